public import ProfileCore

/// One field of a ``FormState``: what is in it, where the caret is, and what is wrong with it.
public struct FormField: Sendable {
    /// What is valid in it.
    public let rules: FieldRules
    /// Without the literals of a mask.
    var content: EditedText
    /// What it held at the beginning.
    private var initialContent: EditedText
    /// The one error slot: what was wrong when editing ended, kept up to date while the text is mended, and empty again
    /// as soon as it is valid.
    public internal(set) var issue: ValidationIssue?
    /// What is wrong with the text as it stands, shown or not.
    var standingIssue: ValidationIssue?
    /// Whether it can have the focus.
    public internal(set) var isEnabled = true
    /// A hidden field keeps its text and cannot have the focus.
    public internal(set) var isHidden = false
    /// The values that it takes, and where somebody is among them; nil where it takes any others.
    public internal(set) var picker: FieldPicker?
    /// Whether a secret is shown as it was typed, until the field ends.
    public internal(set) var isRevealed = false
    /// The first character that it does not take, as long as there is an issue.
    var refused: RefusedCharacter?
    /// Where it is on a screen, if its host has said so.
    public internal(set) var frame: FormFrame?
    /// Whether its host corrects spelling in it, so that several characters at once need not be auto-fill (F8).
    public internal(set) var correctsSpelling = false

    /// - Parameters:
    ///   - rules: What is valid in it.
    ///   - text: What it holds at the beginning.
    ///   - stored: The form in which that would be stored; nil where it breaks a rule.
    init(_ rules: FieldRules, text: String, stored: String?) {
        self.rules = rules
        picker = FieldPicker(rules, text: text, stored: stored)
        let value = picker?.choice(for: text, stored: stored)?.value ?? text
        content = EditedText(rules.typed(value))
        initialContent = content
    }

    /// Takes over what is known of a field of the same name under other rules, by which its text would be stored in some
    /// form, or in none.
    mutating func take(over field: FormField, stored: String?) {
        isEnabled = field.isEnabled
        isHidden = field.isHidden
        frame = field.frame
        correctsSpelling = field.correctsSpelling
        guard rules.isSecret == field.rules.isSecret else { return }
        content = field.content
        initialContent = field.initialContent
        picker = FieldPicker(rules, text: rules.isSecret ? "" : field.text, stored: stored)
        // What a mask shows between the digits is typed text without it, and the other way round.
        guard rules.mask != field.rules.mask else { return }
        content = EditedText(rules.typed(field.text))
        if !field.isChanged { initialContent = content }
    }

    /// The key of its values.
    public var name: FieldName { rules.name }

    /// The text as it is shown: with the literals of its mask, and one `•` a character where it is secret.
    public var text: String {
        rules.isSecret ? String(repeating: "•", count: content.count) : withShown { String($0) }
    }

    /// Where the next character goes, in characters of ``text``.
    public var caret: Int {
        if let masked { return masked.bytes.span.characterCount(before: masked.shownOffset(of: content.caret)) }
        return content.content.bytes.characterCount(before: content.caret)
    }

    /// The text as its host shows it to whoever types: ``text``, but Yes for the `true` of a boolean, and a secret itself
    /// while it is revealed, which is for the screen alone.
    public var visibleText: String {
        if let title = visibleTitle { return title }
        return isRevealed ? withShown { String($0) } : text
    }

    /// Where the next character goes, in characters of ``visibleText``.
    public var visibleCaret: Int { visibleTitle?.count ?? caret }

    /// Of the choice that stands there, unless somebody types.
    private var visibleTitle: String? {
        guard let picker, !picker.isFiltered else { return nil }
        return picker.isOpen ? picker.selected?.title ?? choice?.title : choice?.title
    }

    /// The choice that is in it.
    public var choice: FieldChoice? {
        guard let picker else { return nil }
        let text = text
        return picker.choices.first { $0.value == text }
    }

    /// Whether it holds a choice, which goes as a whole.
    var isWholeChoice: Bool { !isChoosing && choice?.value.isEmpty == false }

    /// What is replaced by what is typed, in bytes: nothing but a choice.
    var typedRange: Range<Int> { isWholeChoice ? 0..<content.content.count : content.caret..<content.caret }

    /// Whether somebody looks for one of its values.
    public var isChoosing: Bool { picker?.isOpen ?? false }

    /// The text of ``issue``, with the schema's own words where it has some. It says which character is not accepted, and
    /// where, unless the field is secret.
    public var message: String? { issue.map { rules.message(for: $0, refused) } }

    /// Whether the text would pass as it stands; an empty optional field does.
    public var isValid: Bool { standingIssue == nil }

    /// Whether nothing is in it.
    public var isEmpty: Bool { content.content.isEmpty }

    /// Whether its text is another than at the beginning.
    public var isChanged: Bool { content.content != initialContent.content }

    /// Whether it can have the focus now.
    public var takesFocus: Bool { isEnabled && !isHidden }

    /// The content in the shape of the field's mask; nil where it has none.
    var masked: MaskedText? { rules.mask.map { MaskedText(content.content.bytes, $0) } }

    /// Hands over what is judged and stored, and shown unless it is secret: valid UTF-8.
    func withShown<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        if let masked { return body(masked.bytes.span) }
        return body(content.content.bytes)
    }

    /// Whether a text is short enough to be in the field.
    func fits(_ content: EditedText) -> Bool {
        (content.count <= rules.longestTypedLength ?? .max
            || picker?.hasTitle(beginningWith: content.content.bytes) ?? false)
            && content.content.count <= rules.longestByteCount
    }

    /// The most characters that can be typed into it, those of a choice's title among them.
    var longestTypedLength: Int? {
        rules.longestTypedLength.map { max($0, picker?.longestTitle ?? 0) }
    }

    /// Whether there is room for another character.
    package var hasRoom: Bool { content.count < longestTypedLength ?? .max }
}

extension FieldRules {
    /// The characters of a text that have to be typed: all but the mask's literals.
    func typed(_ text: String) -> String {
        guard let mask else { return text }
        return text.filter { !mask.hasLiteral($0) }
    }

    /// What a paste brings: for a mask the digits, since people write what it stands for with other signs around them.
    func pasted(_ text: String) -> String {
        mask == nil ? text : text.filter { $0.asciiValue?.isASCIIDigit ?? false }
    }
}
