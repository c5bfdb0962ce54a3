internal import ProfileCore

// Moves the focus. When the focus leaves a field, editing of that field ends.
extension FormState {
    /// Ends editing of the current field. Then begins editing of the field `name`, unless `name` is nil.
    mutating func moveFocus(to name: FieldName?) -> [FormEffect] {
        guard name != focus, name.map({ self[$0]?.takesFocus == true }) ?? true else { return [] }
        let previous = focus
        return endField() + beginField(name, after: previous)
    }

    /// Moves the focus by `step` fields in the order of focus. From the last field, the focus moves on to the first
    /// field. From the first field, it moves back to the last field.
    mutating func moveFocus(by step: Int) -> [FormEffect] {
        let order = focusOrder
        guard let first = order.first, let last = order.last else { return [] }
        guard let focus, let index = order.firstIndex(of: focus) else { return moveFocus(to: step > 0 ? first : last) }
        return moveFocus(to: order[(index + step + order.count) % order.count])
    }

    /// Moves the focus by `step` fields in the order of focus. Does not move beyond the first or the last field.
    mutating func moveFocus(within step: Int) -> [FormEffect] {
        let order = focusOrder
        guard let last = order.indices.last else { return [] }
        guard let focus, let index = order.firstIndex(of: focus) else {
            return moveFocus(to: order[step > 0 ? last : 0])
        }
        return moveFocus(to: order[step > 0 ? index + min(step, last - index) : index + max(step, -index)])
    }

    /// Handles Return. If the last field has an open list, and the user has not typed the whole selected choice, Return
    /// puts this choice into the field. The next Return submits the form.
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

    /// Begins editing of a field, and puts the caret at the end of its text. Editing of the previous field must have
    /// ended.
    mutating func beginField(_ name: FieldName?, after previous: FieldName?) -> [FormEffect] {
        guard name != nil || previous != nil else { return [] }
        if let index = name.flatMap(index(of:)) { moveCaret(to: fields[index].content.content.count, at: index) }
        focus = name
        return [.focusMoved(from: previous, to: name)]
    }
}
