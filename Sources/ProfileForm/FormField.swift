public import ProfileCore

/// One field of a ``Form``: what is in it, where the caret is, and what is wrong with it.
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
    /// Where it is on a screen, if its host has said so.
    public internal(set) var frame: FormFrame?
    /// Whether its host corrects spelling in it, so that several characters at once need not be auto-fill (F8).
    public internal(set) var correctsSpelling = false

    init(_ rules: FieldRules, text: String) {
        self.rules = rules
        content = EditedText(rules.typed(text))
        initialContent = content
    }

    /// Takes over what is known of a field of the same name under other rules.
    mutating func take(over field: FormField) {
        isEnabled = field.isEnabled
        isHidden = field.isHidden
        frame = field.frame
        correctsSpelling = field.correctsSpelling
        guard rules.isSecret == field.rules.isSecret else { return }
        content = field.content
        initialContent = field.initialContent
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

    /// The text of ``issue``, with the schema's own words where it has some.
    public var message: String? { issue.map { rules.message(for: $0) } }

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
        content.count <= rules.longestTypedLength ?? .max
            && content.content.count <= rules.longestByteCount
    }
}

extension FieldRules {
    /// The characters of a text that have to be typed: all but the mask's literals.
    func typed(_ text: String) -> String {
        guard let mask else { return text }
        return text.filter { !mask.hasLiteral($0) }
    }
}
