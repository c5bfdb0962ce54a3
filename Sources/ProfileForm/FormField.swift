public import ProfileCore

/// One field of a ``FormState``: its text, its caret and its issue.
public struct FormField: Sendable {
    /// The rules that the field's values must satisfy.
    public let rules: FieldRules
    /// The typed text, without the literals of a mask.
    var content: EditedText
    /// The initial content. ``isChanged`` compares the present content with the initial content.
    private var initialContent: EditedText
    /// The issue that the field shows. The issue is set when editing ends. It is updated when the text changes, and it
    /// becomes nil as soon as the text is valid.
    public internal(set) var issue: ValidationIssue?
    /// The issue of the present text. It is possible that the field does not show this issue yet.
    var standingIssue: ValidationIssue?
    /// Whether the host has enabled the field. A disabled field cannot have the focus.
    public internal(set) var isEnabled = true
    /// Whether the host has hidden the field. A hidden field keeps its text and cannot have the focus.
    public internal(set) var isHidden = false
    /// The list of choices and its state. Nil if the field has no list of choices.
    public internal(set) var picker: FieldPicker?
    /// Whether the characters of a secret are visible. When editing of the field ends, this becomes false.
    public internal(set) var isRevealed = false
    /// The first character that the rules do not accept. Nil if the field shows no ``issue``.
    var refused: RefusedCharacter?
    /// The position on a screen, if the host has set one.
    public internal(set) var frame: FormFrame?
    /// Whether the host corrects spelling in the field. If true, a change that inserts several characters is not
    /// handled as auto-fill (F8).
    public internal(set) var correctsSpelling = false

    /// - Parameters:
    ///   - rules: The rules that the field's values must satisfy.
    ///   - text: The initial text.
    ///   - stored: The stored form of the initial text; nil if the text breaks a rule.
    init(_ rules: FieldRules, text: String, stored: String?) {
        self.rules = rules
        picker = FieldPicker(rules, text: text, stored: stored)
        let value = picker?.choice(for: text, stored: stored)?.value ?? text
        content = EditedText(rules.typed(value))
        initialContent = content
    }

    /// Copies the state of another field. The other field has the same name, but may have other rules. `stored` is the
    /// stored form of the other field's text under the rules of this field. It is nil if the text breaks one of these
    /// rules, or if the other field is secret.
    mutating func take(over field: FormField, stored: String?) {
        isEnabled = field.isEnabled
        isHidden = field.isHidden
        frame = field.frame
        correctsSpelling = field.correctsSpelling
        guard rules.isSecret == field.rules.isSecret else { return }
        content = field.content
        initialContent = field.initialContent
        picker = FieldPicker(rules, text: rules.isSecret ? "" : field.text, stored: stored)
        // If the masks differ, a character may be a literal of one mask, but not of the other mask. So the content is
        // computed again.
        guard rules.mask != field.rules.mask else { return }
        content = EditedText(rules.typed(field.text))
        if !field.isChanged { initialContent = content }
    }

    /// Shows a computed primary key in this field. The user cannot edit the field.
    mutating func showComputed(_ key: String?) {
        content = EditedText(key ?? "")
        initialContent = content
        isEnabled = false
    }

    /// The name of the field.
    public var name: FieldName { rules.name }

    /// The field's content, including the literals of the mask. If the field is secret, the text is one `•` for each
    /// character.
    public var text: String {
        rules.isSecret ? String(repeating: "•", count: content.count) : withShown { String($0) }
    }

    /// The position of the caret, in characters of ``text``.
    public var caret: Int {
        if let masked { return masked.bytes.span.characterCount(before: masked.shownOffset(of: content.caret)) }
        return content.content.bytes.characterCount(before: content.caret)
    }

    /// The text to show on the screen while the user edits. It equals ``text``, except in three cases. A boolean field
    /// shows Yes for `true` and No for `false`. If the list of choices is open and not filtered, the field shows the
    /// title of the selected choice. A revealed secret shows its characters. Use this text only on a screen.
    public var visibleText: String {
        if let title = visibleTitle { return title }
        return isRevealed ? withShown { String($0) } : text
    }

    /// The position of the caret, in characters of ``visibleText``.
    public var visibleCaret: Int { visibleTitle?.count ?? caret }

    /// The title of the selected choice. If no choice is selected or the list is closed, the title of the choice in the
    /// field. Nil if typed text filters the list.
    private var visibleTitle: String? {
        guard let picker, !picker.isFiltered else { return nil }
        return picker.isOpen ? picker.selected?.title ?? choice?.title : choice?.title
    }

    /// The choice that has the field's text as its value. Nil if there is no such choice.
    public var choice: FieldChoice? {
        guard let picker else { return nil }
        let text = text
        return picker.choices.first { $0.value == text }
    }

    /// Whether the list is closed and the text is the value of a choice. If true, Backspace and typing replace the
    /// whole value.
    var isWholeChoice: Bool { !isChoosing && choice?.value.isEmpty == false }

    /// The byte range that typed text replaces. If the content is a choice, this is the whole content. Otherwise it is
    /// the empty range at the caret.
    var typedRange: Range<Int> { isWholeChoice ? 0..<content.content.count : content.caret..<content.caret }

    /// Whether the list of choices is open.
    public var isChoosing: Bool { picker?.isOpen ?? false }

    /// The text of ``issue``. If the schema defines a message for the issue, this is that message. Otherwise, if the
    /// issue is about characters, the message names the first character that the rules do not accept, and its position.
    /// For a secret field, the message does not name the character.
    public var message: String? { issue.map { rules.message(for: $0, refused) } }

    /// Whether the present text satisfies the rules. An empty field that is not required is valid.
    public var isValid: Bool { standingIssue == nil }

    /// Whether the field has no content.
    public var isEmpty: Bool { content.content.isEmpty }

    /// Whether the content differs from the initial content.
    public var isChanged: Bool { content.content != initialContent.content }

    /// Whether the field can have the focus now.
    public var takesFocus: Bool { isEnabled && !isHidden }

    /// The content with the literals of the field's mask; nil if the field has no mask.
    var masked: MaskedText? { rules.mask.map { MaskedText(content.content.bytes, $0) } }

    /// Calls `body` with the text that is validated and stored, as valid UTF-8. If the field is not secret, the field
    /// shows this text.
    func withShown<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        if let masked { return body(masked.bytes.span) }
        return body(content.content.bytes)
    }

    /// Whether a text is short enough for the field.
    func fits(_ content: EditedText) -> Bool {
        (content.count <= rules.longestTypedLength ?? .max
            || picker?.hasTitle(beginningWith: content.content.bytes) ?? false)
            && content.content.count <= rules.longestByteCount
    }

    /// The maximum number of characters that the user can type. It is at least the length of the longest choice title.
    /// Nil means no limit.
    var longestTypedLength: Int? {
        rules.longestTypedLength.map { max($0, picker?.longestTitle ?? 0) }
    }

    /// Whether the user can type another character.
    package var hasRoom: Bool { content.count < longestTypedLength ?? .max }
}

extension FieldRules {
    /// Returns the text without the mask's literals. The user does not have to type these literals.
    func typed(_ text: String) -> String {
        guard let mask else { return text }
        return text.filter { !mask.hasLiteral($0) }
    }

    /// Returns the part of a pasted text that is inserted. If the field has a mask, only the digits are inserted,
    /// because people write such values with different punctuation.
    func pasted(_ text: String) -> String {
        mask == nil ? text : text.filter { $0.asciiValue?.isASCIIDigit ?? false }
    }
}
