extension JSONValue {
    /// Returns the value as a person types it into a field. The field may have a different notation for numbers and
    /// booleans than JSON.
    ///
    /// - Parameter rules: The rules of the field. Nil if the field has the same notation for numbers and booleans as
    ///   JSON.
    /// - Returns: The text. It is empty for null. Nil for an array or an object, because a field has only one value.
    package func typedForm(in rules: FieldRules?) -> String? {
        switch self {
        case .null: return ""
        case .string(let text): return text
        case .number(let text): return rules?.typedForm(of: text) ?? text
        case .bool(let flag):
            let text = flag ? "true" : "false"
            return rules?.typedForm(of: text) ?? text
        case .array, .object: return nil
        }
    }
}
