internal import ProfileCore

// Moves of the focus, and the end of editing that they cause.
extension FormState {
    /// Ends editing of the current field and begins editing of another one, or of no field if `name` is nil.
    mutating func moveFocus(to name: FieldName?) -> [FormEffect] {
        guard name != focus, name.map({ self[$0]?.takesFocus == true }) ?? true else { return [] }
        let previous = focus
        return endField() + beginField(name, after: previous)
    }

    /// Moves the focus by some steps in the order of focus. After the last field it continues with the first, and the
    /// other way round.
    mutating func moveFocus(by step: Int) -> [FormEffect] {
        let order = focusOrder
        guard let first = order.first, let last = order.last else { return [] }
        guard let focus, let index = order.firstIndex(of: focus) else { return moveFocus(to: step > 0 ? first : last) }
        return moveFocus(to: order[(index + step + order.count) % order.count])
    }

    /// Moves the focus by some steps in the order of focus, at most to the first or last field.
    mutating func moveFocus(within step: Int) -> [FormEffect] {
        let order = focusOrder
        guard let last = order.indices.last else { return [] }
        guard let focus, let index = order.firstIndex(of: focus) else {
            return moveFocus(to: order[step > 0 ? last : 0])
        }
        return moveFocus(to: order[step > 0 ? index + min(step, last - index) : index + max(step, -index)])
    }

    /// Handles Return. If Return takes a choice from an open list on the last field, the field first shows that choice;
    /// the next Return submits.
    mutating func moveOn() -> [FormEffect] {
        guard let focus, focus == focusOrder.last else { return moveFocus(by: 1) }
        if let index = index(of: focus), hasOpenChoice(at: index) { return settleChoice(at: index) }
        return submit()
    }

    /// Ends editing of the current field, if there is one, and shows its issue.
    mutating func endField() -> [FormEffect] {
        guard let name = focus, let index = index(of: name) else { return [] }
        focus = nil
        let effects = settleChoice(at: index) + reveal(false, at: index)
        let issue = fields[index].standingIssue
        return effects + setIssue(issue, at: index) + [.fieldEnded(name, issue)]
    }

    /// Begins editing of a field after editing of the previous one has ended. The caret is put at the end of the text.
    mutating func beginField(_ name: FieldName?, after previous: FieldName?) -> [FormEffect] {
        guard name != nil || previous != nil else { return [] }
        if let index = name.flatMap(index(of:)) { moveCaret(to: fields[index].content.content.count, at: index) }
        focus = name
        return [.focusMoved(from: previous, to: name)]
    }
}
