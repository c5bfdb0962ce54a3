package import ProfileCore

// Changes to the text of the field that has the focus.
extension FormState {
    mutating func edit(_ event: FormEvent) -> [FormEffect] {
        guard let focus, let index = index(of: focus) else { return [] }
        if let effects = choose(by: event, at: index) { return effects }
        let content = fields[index].content
        switch event {
        case .type(let character): return insert(String(character), at: index) ?? [.refused(focus)]
        case .paste(let text): return paste(text, at: index)
        case .autoFill(let value): return autoFill(value, at: index)
        case .revealSecret(let isRevealed): return reveal(isRevealed, at: index)
        case .backspace: return remove(content.previousCharacter, at: index)
        case .delete: return remove(content.nextCharacter, at: index)
        case .deleteToStart: return remove(0..<content.caret, at: index)
        case .deleteToEnd: return remove(content.caret..<content.content.count, at: index)
        case .deleteWord: return remove(content.previousWord, at: index)
        case .moveLeft: moveCaret(to: content.previousCharacter.lowerBound, at: index)
        case .moveRight: moveCaret(to: content.nextCharacter.upperBound, at: index)
        case .moveToStart: moveCaret(to: 0, at: index)
        case .moveToEnd: moveCaret(to: content.content.count, at: index)
        case .moveCaret(let place): moveCaret(to: fields[index].offset(ofCharacter: place), at: index)
        case .openChoices, .closeChoices, .nextChoice, .previousChoice, .choose, .focus, .endEditing, .next, .previous,
            .nextPage, .previousPage, .firstField, .lastField, .return, .submit:
            break
        }
        return []
    }

    mutating func moveCaret(to offset: Int, at index: Int) {
        fields[index].content.moveCaret(to: offset)
    }

    /// Shows or hides the text of a secret field.
    mutating func reveal(_ isRevealed: Bool, at index: Int) -> [FormEffect] {
        guard fields[index].rules.isSecret, fields[index].isRevealed != isRevealed else { return [] }
        fields[index].isRevealed = isRevealed
        return [.displayChanged(fields[index].name)]
    }

    /// Replaces the text of a field. The field does not need the focus. If the text does not fit, the text is not
    /// replaced, and the effect is ``FormEffect/refused(_:)``.
    package mutating func replaceText(of name: FieldName, with text: String) -> [FormEffect] {
        guard let index = index(of: name) else { return [] }
        fields[index].picker?.close()
        let new = EditedText(fields[index].rules.typed(text))
        guard fields[index].fits(new) else { return [.refused(name)] }
        return observingSearch { $0.setContent(new, at: index) }
    }

    /// Replaces a range of the content's bytes.
    ///
    /// - Returns: The effects. If the result would be too long, returns nil and does not change the content.
    mutating func replace(_ range: Range<Int>, with text: String, at index: Int) -> [FormEffect]? {
        let old = fields[index].content
        let new = old.replacing(range, with: fields[index].rules.typed(text).utf8Span.span)
        // An initial text may already be too long. In that case the user can shorten it step by step.
        guard fields[index].fits(new) || new.count < old.count else { return nil }
        return setContent(new, at: index) + (text.isEmpty ? [] : narrowChoices(at: index, former: old))
    }

    private mutating func insert(_ text: String, at index: Int) -> [FormEffect]? {
        replace(fields[index].typedRange, with: text, at: index)
    }

    mutating func remove(_ range: Range<Int>, at index: Int) -> [FormEffect] {
        guard !range.isEmpty else { return [] }
        let old = fields[index].content
        return setContent(old.replacing(range, with: Span()), at: index) + narrowChoices(at: index, former: old)
    }

    private mutating func paste(_ text: String, at index: Int) -> [FormEffect] {
        // A copied line often includes its line end. The user does not want to paste the line end.
        let text = text.last?.isNewline == true ? String(text.dropLast()) : text
        let whole = fields[index].rules.pasted(text)
        guard !whole.isEmpty else { return text.isEmpty ? [] : [.refused(fields[index].name)] }
        let field = fields[index]
        let kept = field.content.replacing(field.typedRange, with: Span())
        let characterRoom = max(0, (field.longestTypedLength ?? .max) - kept.count)
        var byteRoom = max(0, field.rules.longestByteCount - kept.content.count)
        var part = whole[...]
        // First tries a part that has two more characters than fit into the field. The first pasted character may
        // combine with the character before it, and the last pasted character may combine with the character after it.
        part = part.prefix(characterRoom > .max - 2 ? .max : characterRoom + 2)
        part = part.prefix { character in
            byteRoom -= character.utf8.count
            return byteRoom >= 0
        }
        while true {
            if let effects = insert(String(part), at: index) {
                return effects + (part.endIndex < whole.endIndex ? [.cut(field.name)] : [])
            }
            if part.isEmpty { return [.refused(field.name)] }
            part.removeLast()
        }
    }

    /// Replaces the whole value. Then moves the focus to the next field, unless this field is the last one (F7).
    private mutating func autoFill(_ value: String, at index: Int) -> [FormEffect] {
        let field = fields[index]
        var value = value
        if !field.rules.isSecret { value = String(Array(value.utf8).span.trimmed()) }
        if field.rules.isNameLike { value = value.capitalizingWords }
        let whole = 0..<field.content.content.count
        if field.picker != nil {
            guard let choice = choice(for: value, in: field.name) else { return [.refused(field.name)] }
            value = choice.value
        }
        guard !value.isEmpty, var effects = replace(whole, with: value, at: index) else {
            return [.refused(field.name)]
        }
        // The replacement of the text has opened the list of choices. The list is closed again, because an auto-filled
        // value is complete.
        if field.picker != nil {
            fields[index].picker?.close()
            effects.append(.displayChanged(field.name))
        }
        return focus == focusOrder.last ? effects : effects + moveFocus(by: 1)
    }
}

extension FormField {
    /// Converts a character position in ``text`` to a byte offset in the content. If the text is shorter, returns the
    /// nearest offset.
    func offset(ofCharacter index: Int) -> Int {
        if let masked { return masked.offset(ofShown: masked.bytes.span.offset(ofCharacter: index)) }
        return content.content.bytes.offset(ofCharacter: index)
    }
}

extension String {
    /// The text with an upper-case letter at the start of each word. All other letters are unchanged.
    fileprivate var capitalizingWords: String {
        var capitalized = ""
        var startsWord = true
        for character in self {
            capitalized += startsWord ? character.uppercased() : String(character)
            startsWord = character.isWhitespace
        }
        return capitalized
    }
}
