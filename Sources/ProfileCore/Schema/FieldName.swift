/// The name of a field: a lower-case ASCII letter, then lower-case letters, digits and underscores; at most 63
/// characters.
///
/// A field name needs no escaping in SQL, in a CSV header or in JSON. Swift code can write it as a literal,
/// `let city: FieldName = "city"`. A literal that is not a valid name stops the program, so any test that runs the line
/// finds it. Use ``init(_:)-(String)`` for names from input.
public struct FieldName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as schemas, tables and files write it.
    public let text: String

    /// The maximum length of a name in bytes. PostgreSQL has this limit for identifiers.
    public static let longestLength = 63

    /// Creates a name, or returns nil if the text is not a valid name.
    ///
    /// This initializer accepts ``reserved`` names, although a schema cannot use them.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, first.isASCIILowercase, bytes.count <= Self.longestLength,
            bytes.allSatisfy({ $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "_") })
        else { return nil }
        self.text = text
    }

    private init(known text: StaticString) { self.text = text.description }

    /// The default primary key of a schema. Every store keeps the primary key in a column of this name. The values of
    /// that column are unique ignoring ASCII case.
    public static let username = FieldName(known: "username")
    /// The only secret field. A store keeps its value only as a hash.
    public static let password = FieldName(known: "password")
    /// The field `phone` of the standard schema.
    public static let phone = FieldName(known: "phone")
    /// The field `address` of the standard schema.
    public static let address = FieldName(known: "address")
    /// The field `postal_code` of the standard schema.
    public static let postalCode = FieldName(known: "postal_code")
    /// The field `birthday` of the standard schema.
    public static let birthday = FieldName(known: "birthday")

    /// Names that a schema cannot use for a field, because the tables, CSV or JSON already use them.
    public static let reserved: Set<String> = [
        "id", "revision", "created_at", "updated_at", "schema_version", "status", "issues",
        "password_hash", "password_schema_version", "password_is_judged", "passcode_hash", "rowid", "oid",
    ]

    public var description: String { text }

    public static func < (left: FieldName, right: FieldName) -> Bool { left.text < right.text }
}

extension FieldName: ExpressibleByStringLiteral {
    /// Creates a name from a literal. The program stops if the literal is not a valid name.
    public init(stringLiteral literal: StaticString) {
        guard let name = Self(literal.description) else {
            preconditionFailure("\"\(literal)\" is no name of a field: a lower-case letter, then letters, digits and _")
        }
        self = name
    }
}

extension FieldName: Codable {
    /// Reads a name from a string.
    ///
    /// - Throws: `DecodingError` if the string is not a valid name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = FieldName(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text.shortened)\" is no name of a field")
        }
        self = name
    }

    /// Writes the name as a string.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}
