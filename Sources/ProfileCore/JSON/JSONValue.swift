/// A JSON text as values (RFC 8259).
///
/// Objects keep their members' order, and numbers keep the text that they were written with, so that nothing is
/// rounded on its way through. `Foundation` would bring a decoder, but ProfileCore imports none of it, and a schema
/// file's errors need the place in the text.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Arrays and objects in each other, at the most.
    static let depthLimit = 64

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
package struct JSONMember: Hashable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements.map(JSONMember.init)) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
    package init(nilLiteral: ()) { self = .null }
}
