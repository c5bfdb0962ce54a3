/// The kinds of values that JSON has.
public enum JSONKind: Hashable, Sendable {
    /// The word `null`.
    case null
    /// The words `true` and `false`.
    case boolean
    /// A number, with or without a fraction. JSON has one type for both.
    case number
    /// Text in quotes.
    case string
    /// A list of values between `[` and `]`.
    case array
    /// A list of names and values between `{` and `}`.
    case object
}

extension JSONKind {
    /// The name of the kind in an error message.
    package var text: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
