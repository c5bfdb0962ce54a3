internal import ProfileCore

/// The list of choices of a field, and the selected choice.
///
/// A field has a picker if its rules list the allowed values or if its type is boolean. When the user types, the list
/// shows only the choices that match the text. When editing ends, the field takes the selected choice; see <doc:Forms>.
public struct FieldPicker: Sendable {
    /// All choices, in the schema's order. If the field may be empty, the first choice is the empty value. If the
    /// initial value is not an allowed value, it is the last choice.
    public let choices: [FieldChoice]
    /// Whether the list is open. The host should show an open list.
    public internal(set) var isOpen = false
    /// The choices that match the typed text; all choices if nothing was typed.
    public internal(set) var matches: [FieldChoice]
    /// The position of the selected choice in ``matches``. When editing ends, the field takes this choice. Nil if the
    /// field keeps the typed text.
    public internal(set) var selection: Int?
    /// Whether `matches` contains only the choices that match the text in the field.
    var isFiltered = false
    /// The content of the field before the list opened.
    var former: EditedText?

    /// Creates the picker of a field. Returns nil if the field has no list of choices.
    ///
    /// - Parameters:
    ///   - rules: The rules of the field.
    ///   - text: The initial text.
    ///   - stored: The stored form of the initial text; nil if the text breaks a rule.
    init?(_ rules: FieldRules, text: String, stored: String?) {
        guard !rules.isSecret, rules.type == .boolean || !rules.allowedValues.isEmpty else { return nil }
        let values = rules.allowedValues.isEmpty ? ["true", "false"] : rules.allowedValues
        var choices = rules.isRequired ? [] : [FieldChoice.empty]
        choices += values.map { FieldChoice($0, rules) }
        if !text.isEmpty, stored == nil || !choices.contains(where: { $0.stored == stored }) {
            choices.append(FieldChoice(value: text, title: text, stored: stored, isListed: false))
        }
        self.choices = choices
        matches = choices
    }

    /// The selected choice; nil if no choice is selected.
    public var selected: FieldChoice? {
        selection.flatMap { matches.indices.contains($0) ? matches[$0] : nil }
    }

    /// The length of the longest title in characters. The title of a boolean, such as `Yes`, can be longer than its
    /// value.
    var longestTitle: Int { choices.map(\.title.count).max() ?? 0 }

    /// Whether the title of any choice begins with a text.
    func hasTitle(beginningWith text: Span<UInt8>) -> Bool {
        let folded = FoldedText(text)
        return choices.contains { FoldedText($0.title).bytes.starts(with: folded.bytes) }
    }

    /// Returns the choice that has this text as its value or as its title.
    func choice(for text: String, stored: String?) -> FieldChoice? {
        if let choice = choices.first(where: { $0.value == text }) { return choice }
        if let stored, let choice = choices.first(where: { $0.stored == stored }) { return choice }
        let folded = FoldedText(text.trimmed)
        guard !folded.bytes.isEmpty else { return nil }
        return choices.first { FoldedText($0.title) == folded || FoldedText($0.value) == folded }
    }

    /// Shows only the choices that contain the text. If the text is the value or the title of a choice, selects that
    /// choice. Otherwise selects the first choice that begins with the text. If no choice begins with the text, selects
    /// the first match.
    mutating func filter(by text: String, stored: String?) {
        isFiltered = true
        let folded = FoldedText(text.trimmed)
        guard !folded.bytes.isEmpty else { return showAll(selecting: choices.first { $0.value.isEmpty }) }
        let meant = choice(for: text, stored: stored)
        matches = choices.filter { $0 == meant || $0.holds(folded) }
        selection =
            matches.firstIndex { $0 == meant } ?? matches.firstIndex { $0.begins(with: folded) }
            ?? (matches.isEmpty ? nil : 0)
    }

    mutating func showAll(selecting choice: FieldChoice?) {
        matches = choices
        selection = choice.flatMap { matches.firstIndex(of: $0) }
    }

    mutating func close() {
        isOpen = false
        isFiltered = false
        former = nil
        matches = choices
        selection = nil
    }
}

/// A value that the user can choose in a field.
public struct FieldChoice: Hashable, Sendable {
    /// The text that the field gets if the user takes the choice; empty if the choice means "no value".
    public let value: String
    /// The text that the user sees. It is Yes or No for a boolean, and the value for any other type. Empty if the
    /// choice means "no value".
    public let title: String
    /// Whether the rules allow this value.
    public let isListed: Bool
    /// The stored form of the value; nil if the choice means "no value" or the value breaks a rule.
    let stored: String?

    fileprivate static let empty = FieldChoice(value: "", title: "", stored: nil, isListed: true)

    fileprivate init(value: String, title: String, stored: String?, isListed: Bool) {
        self.value = value
        self.title = title
        self.stored = stored
        self.isListed = isListed
    }

    /// Creates a choice from the stored form of an allowed value.
    fileprivate init(_ stored: String, _ rules: FieldRules) {
        let value = rules.shownForm(of: stored)
        let title = rules.type == .boolean ? stored == "true" ? "Yes" : "No" : value
        self.init(value: value, title: title, stored: stored, isListed: true)
    }

    fileprivate func holds(_ text: FoldedText) -> Bool {
        !value.isEmpty && (text.isContained(in: title.utf8Span.span) || text.isContained(in: value.utf8Span.span))
    }

    fileprivate func begins(with text: FoldedText) -> Bool {
        FoldedText(title).bytes.starts(with: text.bytes) || FoldedText(value).bytes.starts(with: text.bytes)
    }
}

extension String {
    fileprivate var trimmed: String { String(utf8Span.span.trimmed()) }
}
