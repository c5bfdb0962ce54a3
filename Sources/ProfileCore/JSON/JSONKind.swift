/// The kinds of values that JSON has.
public enum JSONKind: Hashable, Sendable {
    case null
    case boolean
    case number
    case string
    case array
    case object
}

extension JSONKind {
    /// As an error message names it.
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
