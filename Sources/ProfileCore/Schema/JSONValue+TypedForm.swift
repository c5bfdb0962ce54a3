extension JSONValue {
    /// The value as somebody types it into a field: JSON has its own way to write numbers and booleans, and the field may
    /// have another.
    ///
    /// - Parameter rules: The field's; nil where it is known to write them as JSON does.
    /// - Returns: An empty text for null; nil for an array or an object, which no field holds.
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
