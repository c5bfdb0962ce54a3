public import ProfileCore

// Events in a field with a list of choices.
extension FormState {
    /// Returns the choice that has the text as its value or as its title. Case is ignored. Returns nil if there is no
    /// such choice or the field has no list of choices.
    public func choice(for text: String, in name: FieldName) -> FieldChoice? {
        self[name]?.picker?.choice(for: text, stored: validator.storedForm(of: text, in: name))
    }

    /// Handles an event in a field with choices. Returns nil if the event has no special meaning in a field with
    /// choices.
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

    /// Closes the list and puts the selected choice into the field. If no choice is selected, the typed text is
    /// unchanged.
    mutating func settleChoice(at index: Int) -> [FormEffect] {
        guard let picker = fields[index].picker, picker.isOpen else { return [] }
        fields[index].picker?.close()
        let effects = picker.selected.map { setChoice($0, at: index) } ?? []
        return effects + [.displayChanged(fields[index].name)]
    }

    /// Whether the list is open, and the user has not typed the whole selected choice. The field must take the choice
    /// before the form is submitted.
    func hasOpenChoice(at index: Int) -> Bool {
        guard let picker = fields[index].picker, picker.isOpen, let selected = picker.selected else { return false }
        return !picker.isFiltered || choice(for: fields[index].text, in: fields[index].name) != selected
    }

    /// Selects the choice at a position of the list. If there is no such position, selects the first or the last
    /// choice. If the list is closed, the field takes that choice immediately.
    private mutating func moveChoice(to position: Int, at index: Int) -> [FormEffect] {
        guard let picker = fields[index].picker, let last = picker.matches.indices.last else { return [] }
        let next = min(max(0, position), last)
        guard next != fields[index].presentChoice else { return [] }
        guard picker.isOpen else { return setChoice(picker.matches[next], at: index) }
        fields[index].picker?.selection = next
        return [.displayChanged(fields[index].name)]
    }

    /// Closes the list and puts the choice with this value into the field.
    private mutating func choose(_ value: String, at index: Int) -> [FormEffect] {
        guard let choice = fields[index].picker?.choices.first(where: { $0.value == value }) else { return [] }
        fields[index].picker?.close()
        return setChoice(choice, at: index) + [.displayChanged(fields[index].name)]
    }

    /// Filters the list by the field's new text, and opens the list if it was closed. If the list was closed, `former`
    /// is the content before the list opened. If the user closes the list and takes no choice, this content is
    /// restored.
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
    /// If the list is open, the position of the selected choice. If the list is closed, the position of the choice in
    /// the field.
    fileprivate var presentChoice: Int? {
        guard let picker else { return nil }
        return picker.isOpen ? picker.selection : choice.flatMap { picker.matches.firstIndex(of: $0) }
    }
}
