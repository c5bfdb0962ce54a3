public import ProfileCore
public import ProfileForm

extension FormState {
    /// Types a text into the active field as a person would: one character at a time.
    ///
    /// - Returns: what came of it, in order.
    @discardableResult
    public mutating func typeText(_ text: String) -> [FormEffect] {
        text.flatMap { handle(.type($0)) }
    }

    /// Goes to a field and types a text into it.
    ///
    /// - Returns: what came of it, in order; nothing is typed where the field cannot have the focus.
    @discardableResult
    public mutating func typeText(_ text: String, into name: FieldName) -> [FormEffect] {
        let effects = focus == name ? [] : handle(.focus(name))
        return focus == name ? effects + typeText(text) : effects
    }

    /// Types a text into each field that there is one for, in the order of focus, and ends editing.
    ///
    /// - Returns: what came of it, in order.
    @discardableResult
    public mutating func fill(_ texts: [FieldName: String]) -> [FormEffect] {
        var effects: [FormEffect] = []
        for name in focusOrder {
            if let text = texts[name] { effects += typeText(text, into: name) }
        }
        return effects + handle(.endEditing)
    }
}
