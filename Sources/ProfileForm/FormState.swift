public import ProfileCore

/// A form for one profile, as a value: events go in, and state and effects come out.
///
/// A form does not depend on a screen. A terminal, a web page or a UIKit view can use it; see <doc:Forms>. While the
/// user types, only the length is limited. A field's content is judged when editing of the field ends, and all fields
/// are judged when the form is submitted.
///
/// ```swift
/// var form = FormState(ProfileValidator(.standard), on: today)
/// form.handle(.focus(.username))
/// for character in "skboard" { form.handle(.type(character)) }
/// form.handle(.return)        // [.fieldEnded(username, nil), .focusMoved(from: username, to: password)]
/// ```
public struct FormState: Sendable {
    /// The validator that judges the fields.
    public let validator: ProfileValidator
    /// The current day for rules such as "not in the future".
    public let today: CalendarDay
    /// Whether the profile is already stored with a password. The stored password is kept if the user types no new one.
    public let hasPassword: Bool
    /// The fields, in the schema's order.
    public internal(set) var fields: [FormField]
    /// The field that is being edited. Nil if no field is edited, as at the beginning.
    public internal(set) var focus: FieldName?
    /// The index of the postal code field, by whose value addresses are searched. Nil unless the schema has a postal
    /// code and a street address.
    private let postalCodeOfSearch: Int?
    /// Defines which edge is the leading one when fields have frames.
    public var layoutDirection = LayoutDirection.leftToRight

    /// Makes a form in which no field has the focus.
    ///
    /// - Parameters:
    ///   - validator: The rules.
    ///   - today: The current day for these rules, usually in UTC.
    ///   - hasPassword: Whether the profile is already stored with a password. The stored password is kept if the user
    ///     types no new one.
    ///   - values: The initial values in their stored form.
    ///   - typed: Initial texts as a user typed them before the form was made. They replace the entries of `values` for
    ///     the same fields. Secret fields always begin empty and ignore both dictionaries.
    public init(
        _ validator: ProfileValidator, on today: CalendarDay, hasPassword: Bool = false,
        values: [FieldName: String] = [:], typed: [FieldName: String] = [:]
    ) {
        self.validator = validator
        self.today = today
        self.hasPassword = hasPassword
        let schema = validator.schema
        fields = schema.fields.map { rules in
            let text = rules.isSecret ? nil : typed[rules.name] ?? values[rules.name].map(rules.shownForm(of:))
            return FormField(
                rules, text: text ?? "", stored: text.flatMap { validator.storedForm(of: $0, in: rules.name) })
        }
        postalCodeOfSearch =
            schema.field(of: .streetAddress) == nil
            ? nil : schema.field(of: .postalCode).flatMap { schema.index(of: $0.name) }
        for index in fields.indices { fields[index].standingIssue = standingIssue(at: index) }
    }

    /// Returns this form under other rules, for example after the store has adopted a new schema.
    ///
    /// Fields that both schemas have keep their text, which is judged again. A field does not keep its text if it is
    /// secret in only one of the two schemas.
    public func under(_ validator: ProfileValidator) -> FormState {
        var form = FormState(validator, on: today, hasPassword: hasPassword)
        form.layoutDirection = layoutDirection
        for index in form.fields.indices {
            guard let field = self[form.fields[index].name] else { continue }
            let stored = field.rules.isSecret ? nil : validator.storedForm(of: field.text, in: field.name)
            form.fields[index].take(over: field, stored: stored)
            form.fields[index].standingIssue = form.standingIssue(at: index)
        }
        form.focus = focus.flatMap { form[$0]?.takesFocus == true ? $0 : nil }
        return form
    }

    /// The schema of ``validator``.
    public var schema: ProfileSchema { validator.schema }

    /// The field with this name; nil if the schema has no such field.
    public subscript(name: FieldName) -> FormField? { index(of: name).map { fields[$0] } }

    /// The number of fields that ``FormEvent/nextPage`` moves by. Most screens show more fields at the same time, so
    /// the user still sees the previous field after the move.
    public static let pageLength = 10

    /// The first field of a content type; nil if there is no such field.
    package func field(of type: ContentType) -> FormField? { schema.field(of: type).flatMap { self[$0.name] } }

    /// The fields that can have the focus, in the order in which Return and Tab visit them (F10). Fields with a frame
    /// come first, ordered by position. The other fields follow in the schema's order.
    public var focusOrder: [FieldName] {
        let able = fields.filter(\.takesFocus)
        let placed = able.compactMap { field in field.frame.map { (name: field.name, frame: $0) } }
            .sorted { $0.frame.precedes($1.frame, layoutDirection) }
        return placed.map(\.name) + able.filter { $0.frame == nil }.map(\.name)
    }

    /// Whether addresses can be searched: exactly while the postal code is valid and not empty (F4). It is always false
    /// if the schema has no field of content type `postal-code` or none of `street-address`.
    public var isAddressSearchAvailable: Bool {
        guard let postalCodeOfSearch else { return false }
        return !fields[postalCodeOfSearch].isEmpty && fields[postalCodeOfSearch].isValid
    }

    /// Whether the text of any field differs from its initial text.
    public var isChanged: Bool { fields.contains(where: \.isChanged) }

    /// Handles an event.
    ///
    /// - Returns: The effects of the event, in order.
    @discardableResult
    public mutating func handle(_ event: FormEvent) -> [FormEffect] {
        observingSearch { form in
            switch event {
            case .focus(let name): form.moveFocus(to: name)
            case .endEditing: form.moveFocus(to: nil)
            case .next: form.moveFocus(by: 1)
            case .previous: form.moveFocus(by: -1)
            case .nextPage: form.moveFocus(within: Self.pageLength)
            case .previousPage: form.moveFocus(within: -Self.pageLength)
            case .firstField: form.moveFocus(within: .min)
            case .lastField: form.moveFocus(within: .max)
            case .return: form.moveOn()
            case .submit: form.submit()
            default: form.edit(event)
            }
        }
    }

    /// Judges a text by the rules of a field. It does not matter which field is being edited (F11).
    ///
    /// - Parameters:
    ///   - text: The text, as it could be typed.
    ///   - name: The field whose rules apply.
    ///   - label: The name of the field in the message; by default the field's title.
    /// - Returns: The issue found, if any, with its message.
    public func judge(_ text: String, in name: FieldName, label: String? = nil) -> FieldJudgement {
        let issue = validator.issues(of: text, in: name, on: today).first
        let refused = index(of: name).flatMap { validator.refusedCharacter(in: text.utf8Span.span, index: $0) }
        let message = issue.map { issue in
            guard let rules = schema[name] else { return label.map(issue.message) ?? schema.message(for: issue) }
            return label.map { rules.message(for: issue, refused, label: $0) } ?? rules.message(for: issue, refused)
        }
        return FieldJudgement(field: name, issue: issue, message: message)
    }
}

// Properties of the fields that the host sets.
extension FormState {
    /// Enables or disables a field. A disabled field cannot have the focus, and loses it.
    @discardableResult
    public mutating func setEnabled(_ isEnabled: Bool, _ name: FieldName) -> [FormEffect] {
        setAbility(of: name) { $0.isEnabled = isEnabled }
    }

    /// Hides or shows a field. A hidden field cannot have the focus, and loses it.
    @discardableResult
    public mutating func setHidden(_ isHidden: Bool, _ name: FieldName) -> [FormEffect] {
        setAbility(of: name) { $0.isHidden = isHidden }
    }

    /// Sets the position of a field in coordinates that all fields share; nil removes the frame.
    public mutating func place(_ frame: FormFrame?, _ name: FieldName) {
        change(name) { $0.frame = frame }
    }

    /// Sets whether the host corrects spelling in a field. If it does, several characters in one change are not taken
    /// for auto-fill.
    public mutating func setCorrectsSpelling(_ correctsSpelling: Bool, _ name: FieldName) {
        change(name) { $0.correctsSpelling = correctsSpelling }
    }

    private mutating func setAbility(of name: FieldName, _ set: (inout FormField) -> Void) -> [FormEffect] {
        change(name, set)
        guard focus == name, self[name]?.takesFocus == false else { return [] }
        return moveFocus(to: nil)
    }

    private mutating func change(_ name: FieldName, _ set: (inout FormField) -> Void) {
        guard let index = index(of: name) else { return }
        set(&fields[index])
    }
}

extension FormState {
    func index(of name: FieldName) -> Int? { schema.index(of: name) }

    /// Runs `body` and appends a ``FormEffect/searchAvailable(_:)`` if ``isAddressSearchAvailable`` has changed.
    mutating func observingSearch(_ body: (inout FormState) -> [FormEffect]) -> [FormEffect] {
        let wasAvailable = isAddressSearchAvailable
        var effects = body(&self)
        if isAddressSearchAvailable != wasAvailable { effects.append(.searchAvailable(isAddressSearchAvailable)) }
        return effects
    }

    /// Replaces the content of a field. If the field shows an issue, the issue is updated.
    mutating func setContent(_ content: EditedText, at index: Int) -> [FormEffect] {
        let isChanged = content.content != fields[index].content.content
        fields[index].content = content
        guard isChanged else { return [] }
        fields[index].standingIssue = standingIssue(at: index)
        let name = fields[index].name
        return [.textChanged(name)]
            + (fields[index].issue == nil ? [] : setIssue(fields[index].standingIssue, at: index))
    }

    mutating func setIssue(_ issue: ValidationIssue?, at index: Int) -> [FormEffect] {
        let refused = issue.flatMap { _ in fields[index].withShown { validator.refusedCharacter(in: $0, index: index) }
        }
        guard fields[index].issue != issue || fields[index].refused != refused else { return [] }
        fields[index].issue = issue
        fields[index].refused = refused
        return [.issueChanged(fields[index].name)]
    }

    private func standingIssue(at index: Int) -> ValidationIssue? {
        fields[index].withShown {
            validator.issues(of: $0, index: index, on: today, hasPassword: hasPassword).first
        }
    }
}

extension FieldRules {
    var isNameLike: Bool { contentType.flatMap(ContentType.init).map(ContentType.nameLike.contains) ?? false }
}
