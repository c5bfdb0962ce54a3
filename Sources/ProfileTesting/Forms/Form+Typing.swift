public import ProfileCore
public import ProfileForm

extension FormState {
    /// Types a text into the active field as a person would: one character at a time.
    ///
    /// - Returns: The effects, in order.
    @discardableResult
    public mutating func typeText(_ text: String) -> [FormEffect] {
        text.flatMap { handle(.type($0)) }
    }

    /// Moves the focus to a field and types a text into it.
    ///
    /// - Returns: The effects, in order. If the field cannot get the focus, the text is not typed.
    @discardableResult
    public mutating func typeText(_ text: String, into name: FieldName) -> [FormEffect] {
        let effects = focus == name ? [] : handle(.focus(name))
        return focus == name ? effects + typeText(text) : effects
    }

    /// Types each text into its field, in the focus order of the form, and then ends editing.
    ///
    /// - Returns: The effects, in order.
    @discardableResult
    public mutating func fill(_ texts: [FieldName: String]) -> [FormEffect] {
        var effects: [FormEffect] = []
        for name in focusOrder {
            if let text = texts[name] { effects += typeText(text, into: name) }
        }
        return effects + handle(.endEditing)
    }
}
