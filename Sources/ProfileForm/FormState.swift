public import ProfileCore

/// A form for one profile, as a value: events go in, and state and effects come out.
///
/// It knows no screen, so that a terminal, a web page or a view of UIKit may feed it alike; see <doc:Forms>. What is
/// typed is limited in length alone; its content is judged when a field ends, and all of it when the form is submitted.
///
/// ```swift
/// var form = FormState(ProfileValidator(.standard), on: today)
/// form.handle(.focus(.username))
/// for character in "skboard" { form.handle(.type(character)) }
/// form.handle(.return)        // [.fieldEnded(username, nil), .focusMoved(from: username, to: password)]
/// ```
public struct FormState: Sendable {
    /// Judges what is in it.
    public let validator: ProfileValidator
    /// The day that a rule such as "not in the future" goes by.
    public let today: CalendarDay
    /// The profile is stored and has a password, which stays where none is typed.
    public let hasPassword: Bool
    /// In the schema's order.
    public internal(set) var fields: [FormField]
    /// The field that is edited; nil at first.
    public internal(set) var focus: FieldName?
    /// The position of the field whose value addresses are searched by, in a schema that has addresses.
    private let postalCodeOfSearch: Int?
    /// What "leading" means where fields carry frames.
    public var layoutDirection = LayoutDirection.leftToRight

    /// Makes a form in which no field has the focus.
    ///
    /// - Parameters:
    ///   - validator: The rules.
    ///   - today: The day that they go by, usually the current one in UTC.
    ///   - hasPassword: The profile is stored and has a password, which stays where none is typed.
    ///   - values: What the fields hold at the beginning, in the form in which values are stored; secrets are left out.
    ///   - typed: What some fields hold instead, as somebody has typed it elsewhere.
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

    /// The same form under other rules, as when a store has adopted some meanwhile: fields that both have keep what was
    /// typed, and are judged anew.
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

    /// The rules that it goes by.
    public var schema: ProfileSchema { validator.schema }

    /// A field by its name; nil where there is none.
    public subscript(name: FieldName) -> FormField? { index(of: name).map { fields[$0] } }

    /// How many fields ``FormEvent/nextPage`` goes on: less than most screens show at once, so that one sees where one was.
    public static let pageLength = 10

    /// The first field of a content type; nil where there is none.
    package func field(of type: ContentType) -> FormField? { schema.field(of: type).flatMap { self[$0.name] } }

    /// The fields that can have the focus, in the order in which Return and Tab go: the schema's, or by position for
    /// those that carry a frame, which come first then (F10).
    public var focusOrder: [FieldName] {
        let able = fields.filter(\.takesFocus)
        let placed = able.compactMap { field in field.frame.map { (name: field.name, frame: $0) } }
            .sorted { $0.frame.precedes($1.frame, layoutDirection) }
        return placed.map(\.name) + able.filter { $0.frame == nil }.map(\.name)
    }

    /// Whether addresses can be searched: exactly while the postal code is valid (F4), in a schema that has fields with
    /// the content types `postal-code` and `street-address`.
    public var isAddressSearchAvailable: Bool {
        guard let postalCodeOfSearch else { return false }
        return !fields[postalCodeOfSearch].isEmpty && fields[postalCodeOfSearch].isValid
    }

    /// Whether any field holds something else than at the beginning.
    public var isChanged: Bool { fields.contains(where: \.isChanged) }

    /// Takes an event.
    ///
    /// - Returns: What came of it, in order.
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

    /// Judges a text by the rules of a field, whatever is edited meanwhile (F11).
    ///
    /// - Parameters:
    ///   - text: The text, as it could be typed.
    ///   - name: The field whose rules count.
    ///   - label: What the message calls the field; its title by default.
    /// - Returns: What the text comes to.
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

// What a host knows of its fields.
extension FormState {
    /// Lets a field have the focus, or keeps it from having it; one that has the focus loses it.
    @discardableResult
    public mutating func setEnabled(_ isEnabled: Bool, _ name: FieldName) -> [FormEffect] {
        setAbility(of: name) { $0.isEnabled = isEnabled }
    }

    /// Hides a field or shows it; one that has the focus loses it.
    @discardableResult
    public mutating func setHidden(_ isHidden: Bool, _ name: FieldName) -> [FormEffect] {
        setAbility(of: name) { $0.isHidden = isHidden }
    }

    /// Says where a field is, in coordinates that all fields share; nil takes the frame away.
    public mutating func place(_ frame: FormFrame?, _ name: FieldName) {
        change(name) { $0.frame = frame }
    }

    /// Says whether the host corrects spelling in a field, so that several characters at once need not be auto-fill.
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

    /// Does something, and says last whether addresses can be searched where that has changed.
    mutating func observingSearch(_ body: (inout FormState) -> [FormEffect]) -> [FormEffect] {
        let wasAvailable = isAddressSearchAvailable
        var effects = body(&self)
        if isAddressSearchAvailable != wasAvailable { effects.append(.searchAvailable(isAddressSearchAvailable)) }
        return effects
    }

    /// Puts another content into a field: its error slot follows, unless it is empty.
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
