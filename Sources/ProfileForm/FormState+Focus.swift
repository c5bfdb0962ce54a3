internal import ProfileCore

// Where the focus goes, and what ends on its way.
extension FormState {
    /// Ends what is edited and begins to edit another field, or none.
    mutating func moveFocus(to name: FieldName?) -> [FormEffect] {
        guard name != focus, name.map({ self[$0]?.takesFocus == true }) ?? true else { return [] }
        let previous = focus
        return endField() + beginField(name, after: previous)
    }

    /// Moves along the order of focus, and around its ends.
    mutating func moveFocus(by step: Int) -> [FormEffect] {
        let order = focusOrder
        guard let first = order.first, let last = order.last else { return [] }
        guard let focus, let index = order.firstIndex(of: focus) else { return moveFocus(to: step > 0 ? first : last) }
        return moveFocus(to: order[(index + step + order.count) % order.count])
    }

    /// Moves along the order of focus, and not beyond its ends.
    mutating func moveFocus(within step: Int) -> [FormEffect] {
        let order = focusOrder
        guard let last = order.indices.last else { return [] }
        guard let focus, let index = order.firstIndex(of: focus) else {
            return moveFocus(to: order[step > 0 ? last : 0])
        }
        return moveFocus(to: order[step > 0 ? index + min(step, last - index) : index + max(step, -index)])
    }

    /// What Return does. What it takes from a list on the last field is seen there before it submits.
    mutating func moveOn() -> [FormEffect] {
        guard let focus, focus == focusOrder.last else { return moveFocus(by: 1) }
        if let index = index(of: focus), hasOpenChoice(at: index) { return settleChoice(at: index) }
        return submit()
    }

    /// Ends the field that is edited, if any: its issue is shown.
    mutating func endField() -> [FormEffect] {
        guard let name = focus, let index = index(of: name) else { return [] }
        focus = nil
        let effects = settleChoice(at: index) + reveal(false, at: index)
        let issue = fields[index].standingIssue
        return effects + setIssue(issue, at: index) + [.fieldEnded(name, issue)]
    }

    /// Begins to edit a field after the one before has ended; the caret stands at the end of its text.
    mutating func beginField(_ name: FieldName?, after previous: FieldName?) -> [FormEffect] {
        guard name != nil || previous != nil else { return [] }
        if let index = name.flatMap(index(of:)) { moveCaret(to: fields[index].content.content.count, at: index) }
        focus = name
        return [.focusMoved(from: previous, to: name)]
    }
}
