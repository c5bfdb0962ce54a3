public import ProfileCore

// Events in a field with a list of choices.
extension FormState {
    /// Returns the choice whose value or title is the text, ignoring case. Returns nil if there is no such choice or
    /// the field has no list of choices.
    public func choice(for text: String, in name: FieldName) -> FieldChoice? {
        self[name]?.picker?.choice(for: text, stored: validator.storedForm(of: text, in: name))
    }

    /// Handles an event in a field with choices. Returns nil if the event means the same as in any other field.
    mutating func choose(by event: FormEvent, at index: Int) -> [FormEffect]? {
        guard let picker = fields[index].picker else { return nil }
        switch event {
        case .type(" ") where !picker.isOpen, .openChoices: return openChoices(at: index)
        case .closeChoices: return closeChoices(at: index)
        case .nextChoice, .moveRight: return moveChoice(to: (fields[index].presentChoice ?? -1) + 1, at: index)
        case .previousChoice, .moveLeft:
            return moveChoice(to: (fields[index].presentChoice ?? picker.matches.count) - 1, at: index)
        case .moveToStart: return moveChoice(to: 0, at: index)
        case .moveToEnd: return moveChoice(to: picker.matches.count - 1, at: index)
        case .choose(let value): return choose(value, at: index)
        case .backspace, .delete, .deleteToStart, .deleteToEnd, .deleteWord:
            return fields[index].isWholeChoice ? remove(0..<fields[index].content.content.count, at: index) : nil
        default: return nil
        }
    }

    private mutating func openChoices(at index: Int) -> [FormEffect] {
        guard fields[index].picker?.isOpen == false else { return [] }
        let field = fields[index]
        fields[index].picker?.former = field.content
        fields[index].picker?.isOpen = true
        fields[index].picker?.showAll(selecting: field.choice)
        return [.displayChanged(field.name)]
    }

    /// Closes the list and restores the content that the field had before the list opened.
    private mutating func closeChoices(at index: Int) -> [FormEffect] {
        guard let picker = fields[index].picker, picker.isOpen else { return [] }
        fields[index].picker?.close()
        let effects = picker.former.map { setContent($0, at: index) } ?? []
        moveCaret(to: fields[index].content.content.count, at: index)
        return effects + [.displayChanged(fields[index].name)]
    }

    /// Closes the list and takes the selected choice. If no choice is selected, the typed text stays.
    mutating func settleChoice(at index: Int) -> [FormEffect] {
        guard let picker = fields[index].picker, picker.isOpen else { return [] }
        fields[index].picker?.close()
        let effects = picker.selected.map { setChoice($0, at: index) } ?? []
        return effects + [.displayChanged(fields[index].name)]
    }

    /// Whether the list is open and Return would take a value that the field does not show yet. The user must see such
    /// a value before the form is submitted.
    func hasOpenChoice(at index: Int) -> Bool {
        guard let picker = fields[index].picker, picker.isOpen, let selected = picker.selected else { return false }
        return !picker.isFiltered || choice(for: fields[index].text, in: fields[index].name) != selected
    }

    /// Selects the choice at a position of the list, or the nearest position that exists. If the list is closed, the
    /// field takes that choice immediately.
    private mutating func moveChoice(to position: Int, at index: Int) -> [FormEffect] {
        guard let picker = fields[index].picker, let last = picker.matches.indices.last else { return [] }
        let next = min(max(0, position), last)
        guard next != fields[index].presentChoice else { return [] }
        guard picker.isOpen else { return setChoice(picker.matches[next], at: index) }
        fields[index].picker?.selection = next
        return [.displayChanged(fields[index].name)]
    }

    /// Takes the choice with this value.
    private mutating func choose(_ value: String, at index: Int) -> [FormEffect] {
        guard let choice = fields[index].picker?.choices.first(where: { $0.value == value }) else { return [] }
        fields[index].picker?.close()
        return setChoice(choice, at: index) + [.displayChanged(fields[index].name)]
    }

    /// Narrows the list to the choices that match the field's new text. Opens the list if it was closed. In that case
    /// `former` is the content to restore if the user closes the list without a choice.
    mutating func narrowChoices(at index: Int, former: EditedText) -> [FormEffect] {
        guard let picker = fields[index].picker else { return [] }
        let field = fields[index]
        if !picker.isOpen { fields[index].picker?.former = former }
        fields[index].picker?.isOpen = true
        fields[index].picker?.filter(by: field.text, stored: validator.storedForm(of: field.text, in: field.name))
        return [.displayChanged(field.name)]
    }

    private mutating func setChoice(_ choice: FieldChoice, at index: Int) -> [FormEffect] {
        let effects = setContent(EditedText(fields[index].rules.typed(choice.value)), at: index)
        moveCaret(to: fields[index].content.content.count, at: index)
        return effects
    }
}

extension FormField {
    /// The position of the selected choice while the list is open. While the list is closed, the position of the choice
    /// that the field holds.
    fileprivate var presentChoice: Int? {
        guard let picker else { return nil }
        return picker.isOpen ? picker.selection : choice.flatMap { picker.matches.firstIndex(of: $0) }
    }
}
