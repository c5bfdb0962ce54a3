internal import ProfileCore

/// The list of a field that takes one of some values, and where somebody is in it.
///
/// A field has one where its rules list its values, and where it is a boolean. What is typed there looks for a value, and
/// becomes the one that is selected when the field ends; see <doc:Forms>.
public struct FieldPicker: Sendable {
    /// In the schema's order, after none where the field may be empty. A value that the field had at the beginning and
    /// that the rules do not list comes last.
    public let choices: [FieldChoice]
    /// Whether somebody looks for a value: the list is to be shown.
    public internal(set) var isOpen = false
    /// The choices that what was typed leaves; all of them where nothing was.
    public internal(set) var matches: [FieldChoice]
    /// The position in ``matches`` of what the field will hold when it ends; nil where that is what was typed.
    public internal(set) var selection: Int?
    /// Whether the list was narrowed by what is in the field now.
    var isFiltered = false
    /// What was in the field before somebody looked for another value.
    var former: EditedText?

    /// Nil for a field of other values.
    ///
    /// - Parameters:
    ///   - rules: Of the field.
    ///   - text: What it holds at the beginning.
    ///   - stored: The form in which that would be stored; nil where no rule lists it.
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

    /// What is selected.
    public var selected: FieldChoice? {
        selection.flatMap { matches.indices.contains($0) ? matches[$0] : nil }
    }

    /// The most characters of a title: of Yes, where the words of a boolean are shorter.
    var longestTitle: Int { choices.map(\.title.count).max() ?? 0 }

    /// Whether the title of a choice begins with a text.
    func hasTitle(beginningWith text: Span<UInt8>) -> Bool {
        let folded = FoldedText(text)
        return choices.contains { FoldedText($0.title).bytes.starts(with: folded.bytes) }
    }

    /// The choice whose value or title a text is.
    func choice(for text: String, stored: String?) -> FieldChoice? {
        if let choice = choices.first(where: { $0.value == text }) { return choice }
        if let stored, let choice = choices.first(where: { $0.stored == stored }) { return choice }
        let folded = FoldedText(text.trimmed)
        guard !folded.bytes.isEmpty else { return nil }
        return choices.first { FoldedText($0.title) == folded || FoldedText($0.value) == folded }
    }

    /// Leaves the choices that hold a text, and selects the one that is meant, or that begins with it.
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

/// One of the values that a field takes.
public struct FieldChoice: Hashable, Sendable {
    /// What is in the field while it is chosen; empty for no value.
    public let value: String
    /// What people read: the value itself, or Yes or No; empty for no value.
    public let title: String
    /// Whether the rules list it.
    public let isListed: Bool
    /// The form in which it is stored; nil for no value.
    let stored: String?

    fileprivate static let empty = FieldChoice(value: "", title: "", stored: nil, isListed: true)

    fileprivate init(value: String, title: String, stored: String?, isListed: Bool) {
        self.value = value
        self.title = title
        self.stored = stored
        self.isListed = isListed
    }

    /// A value that the rules list, in the form in which it is stored.
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
