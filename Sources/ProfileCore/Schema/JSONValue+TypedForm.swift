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

    /// Returns the elements of a list as one text, separated by a comma and a space. Null is left out.
    ///
    /// As in CSV, an element is enclosed in quotes if it contains a comma, a quote or a line break. An element is also
    /// enclosed in quotes if it is empty, or if it begins or ends with white space.
    ///
    /// - Parameter rules: The rules of the field; see ``typedForm(in:)``.
    /// - Returns: The text. It is empty for an empty list. Nil if this is not a list, or if an element is a list or an
    ///   object.
    package func listForm(in rules: FieldRules?) -> String? {
        guard case .array(let elements) = self else { return nil }
        var texts: [String] = []
        for element in elements where element != .null {
            guard let text = element.typedForm(in: rules) else { return nil }
            let isPlain =
                !text.isEmpty && text.trimmed.utf8.count == text.utf8.count
                && !text.utf8.contains { Self.separating.contains($0) }
            texts.append(isPlain ? text : Self.quoted(text))
        }
        return texts.joined(separator: ", ")
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static let separating = Array(",\"\r\n".utf8)
}
