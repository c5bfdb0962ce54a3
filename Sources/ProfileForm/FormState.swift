public import ProfileCore

/// A form for one profile, as a value type. It receives events, changes its state, and returns effects.
///
/// A form does not depend on a screen. A terminal, a web page or a UIKit view can use it; see <doc:Forms>. While the
/// user types, only the length is limited. When editing of a field ends, the field shows its issue. When the form is
/// submitted, all fields are validated.
///
/// ```swift
/// var form = FormState(ProfileValidator(.standard), on: today)
/// form.handle(.focus(.username))
/// for character in "skboard" { form.handle(.type(character)) }
/// form.handle(.return)        // [.fieldEnded(username, nil), .focusMoved(from: username, to: password)]
/// ```
public struct FormState: Sendable {
    /// Validates the fields.
    public let validator: ProfileValidator
    /// The current day for rules such as "not in the future".
    public let today: CalendarDay
    /// Whether the profile is already stored with a password. If the user types no new password, the store keeps the
    /// present password.
    public let hasPassword: Bool
    /// The fields, in the schema's order.
    public internal(set) var fields: [FormField]
    /// The field that has the focus. Nil if no field has the focus, for example in a new form.
    public internal(set) var focus: FieldName?
    /// The index of the postal code field. The host searches addresses by the value of this field. Nil if the schema
    /// has no field for a postal code or no field for a street address.
    private let postalCodeOfSearch: Int?
    /// Whether other fields form the primary key. If so, the field of the key shows that key and cannot have the focus.
    private(set) var computesKey = false
    /// The key and the initial values of a stored profile. The key stays until one of the values that form it changes.
    private(set) var stored: ProfileDraft.StoredKey?
    /// The reading direction. If fields have frames, the reading direction affects the order of focus.
    public var layoutDirection = LayoutDirection.leftToRight

    /// Makes a form in which no field has the focus.
    ///
    /// - Parameters:
    ///   - validator: The rules.
    ///   - today: The current day for these rules, usually in UTC.
    ///   - hasPassword: Whether the profile is already stored with a password. If the user types no new password, the
    ///     store keeps the present password.
    ///   - values: The initial values in their stored form.
    ///   - typed: Initial texts that a user typed before the form was created. If a field is in `values` and in
    ///     `typed`, the form uses the text in `typed`. A secret field is always empty at first, even if `values` or
    ///     `typed` contains a value for it.
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
        stored = values[schema.primaryKey.name].map { key in
            var open: [String: DraftValue] = [:]
            for name in schema.openFields.map(\.name) {
                open[name.text] = values[name].map(DraftValue.init(canonical:))
            }
            return ProfileDraft.StoredKey(key, values: open)
        }
        computesKey = formsKey
        if computesKey { fields[schema.primaryKeyIndex].showComputed(validator.computedKey(of: draft)) }
        for index in fields.indices { fields[index].standingIssue = standingIssue(at: index) }
    }

    /// Returns a copy of this form with other rules. Use it, for example, after the store has adopted a new schema.
    ///
    /// If both schemas have a field, the field keeps its text, and the text is validated again. If the field is secret
    /// in only one of the two schemas, it does not keep its text.
    public func under(_ validator: ProfileValidator) -> FormState {
        var form = FormState(validator, on: today, hasPassword: hasPassword)
        form.layoutDirection = layoutDirection
        form.stored = stored
        for index in form.fields.indices {
            guard let field = self[form.fields[index].name] else { continue }
            let stored = field.rules.isSecret ? nil : validator.storedForm(of: field.text, in: field.name)
            form.fields[index].take(over: field, stored: stored)
            form.fields[index].standingIssue = form.standingIssue(at: index)
        }
        form.computesKey = form.formsKey && (computesKey || schema.keyParts.isEmpty)
        if form.computesKey != computesKey { form.fields[form.schema.primaryKeyIndex].isEnabled = !form.computesKey }
        _ = form.updateKey()
        form.focus = focus.flatMap { form[$0]?.takesFocus == true ? $0 : nil }
        return form
    }

    /// The schema of ``validator``.
    public var schema: ProfileSchema { validator.schema }

    /// The field with this name; nil if the schema has no such field.
    public subscript(name: FieldName) -> FormField? { index(of: name).map { fields[$0] } }

    /// ``FormEvent/nextPage`` moves the focus by this number of fields. Most screens show more than 10 fields at the
    /// same time. So the field that had the focus before the move usually stays visible.
    public static let pageLength = 10

    /// The first field of a content type; nil if there is no such field.
    package func field(of type: ContentType) -> FormField? { schema.field(of: type).flatMap { self[$0.name] } }

    /// The fields that can have the focus, in the order of focus (F10). Return and Tab use this order. Fields with a
    /// frame come first, sorted by position. The other fields follow in the schema's order.
    public var focusOrder: [FieldName] {
        let able = fields.filter(\.takesFocus)
        let placed = able.compactMap { field in field.frame.map { (name: field.name, frame: $0) } }
            .sorted { $0.frame.precedes($1.frame, layoutDirection) }
        return placed.map(\.name) + able.filter { $0.frame == nil }.map(\.name)
    }

    /// Whether the host can search addresses. True while the postal code is valid and not empty (F4). If the schema has
    /// no field of content type `postal-code` or no field of content type `street-address`, this is always false.
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

    /// Validates a text against the rules of a field. The focus of the form does not affect the result (F11).
    ///
    /// - Parameters:
    ///   - text: The text in the notation that a user types.
    ///   - name: The field whose rules apply.
    ///   - label: The name of the field in the message. If nil, the message uses the field's title.
    /// - Returns: The first issue of the text and its message, or no issue if the text is valid.
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

// Field properties that the host can set.
extension FormState {
    /// Enables or disables a field. A disabled field cannot have the focus. If the field has the focus, it loses the
    /// focus.
    @discardableResult
    public mutating func setEnabled(_ isEnabled: Bool, _ name: FieldName) -> [FormEffect] {
        setAbility(of: name) { $0.isEnabled = isEnabled }
    }

    /// Hides or shows a field. A hidden field cannot have the focus. If the field has the focus, it loses the focus.
    @discardableResult
    public mutating func setHidden(_ isHidden: Bool, _ name: FieldName) -> [FormEffect] {
        setAbility(of: name) { $0.isHidden = isHidden }
    }

    /// Sets the position of a field, or removes the position if `frame` is nil. All fields must use the same coordinate
    /// system.
    public mutating func place(_ frame: FormFrame?, _ name: FieldName) {
        change(name) { $0.frame = frame }
    }

    /// Sets whether the host corrects spelling in a field. If it does, a change that inserts several characters is not
    /// handled as auto-fill.
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

    /// Whether the form computes the primary key from other fields. False if the field of the key has a value, but one
    /// of the other fields is empty. Then the form keeps the given key.
    private var formsKey: Bool {
        !schema.keyParts.isEmpty
            && (fields[schema.primaryKeyIndex].isEmpty || validator.computedKey(of: draft) != nil)
    }

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
            + (schema.keyParts.contains(index) ? updateKey() : [])
    }

    /// Shows the primary key that the other fields form now.
    private mutating func updateKey() -> [FormEffect] {
        guard computesKey else { return [] }
        return setContent(EditedText(validator.computedKey(of: draft) ?? ""), at: schema.primaryKeyIndex)
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
