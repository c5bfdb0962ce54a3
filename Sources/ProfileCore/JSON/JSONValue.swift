/// A JSON value (RFC 8259).
///
/// Objects keep the order of their members. A number is stored as the text from the input, so it is not rounded.
/// ``text(indented:)`` and ``utf8(indented:)`` write the value. They are much faster than an `Encoder`.
///
/// ProfileCore does not use the decoder of `Foundation`, because the module must compile without Foundation. Also, an
/// error message for a schema file must contain the line and the column.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// The text of a number. The writer does not check this text.
    case number(String)
    /// A string, without escapes.
    case string(String)
    /// Values in their order.
    case array([JSONValue])
    /// Members in their order. The writer does not check that names are unique.
    case object([JSONMember])

    /// The maximum depth of nested arrays and objects.
    static let depthLimit = 64

    /// The value of the first member with this name. Nil if the value is not an object, or has no such member.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package static func number(_ integer: some BinaryInteger) -> JSONValue { .number(String(integer)) }

    package var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}

/// One `"name": value` of an object.
public struct JSONMember: Hashable, Sendable {
    /// The name, without escapes.
    public let name: String
    /// The value.
    public let value: JSONValue

    /// Creates a member of an object.
    public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements.map(JSONMember.init)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(value) }
    public init(nilLiteral: ()) { self = .null }
}
