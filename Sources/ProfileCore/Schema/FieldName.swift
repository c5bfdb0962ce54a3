/// The name of a field: a lower-case ASCII letter, then lower-case letters, digits and underscores, 63 at most.
///
/// A name that passed is fit to stand in SQL, in a CSV header and in JSON as it is. In Swift it can be written as a literal,
/// `let city: FieldName = "city"`; one that is no name stops the program where it is made, so that any test that comes by
/// finds it. What comes from outside goes through ``init(_:)-(String)``.
public struct FieldName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// As it stands in schemas, tables and files.
    public let text: String

    /// Longest name, in bytes; PostgreSQL's limit for an identifier.
    public static let longestLength = 63

    /// Nil for what is no name; ``reserved`` ones are, though no schema may use them.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, first.isASCIILowercase, bytes.count <= Self.longestLength,
            bytes.allSatisfy({ $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "_") })
        else { return nil }
        self.text = text
    }

    private init(known text: StaticString) { self.text = text.description }

    /// The primary key of every schema that names no other, and the column that holds it in every store: unique whatever
    /// its ASCII case.
    public static let username = FieldName(known: "username")
    /// The one secret field: it is kept as a hash only.
    public static let password = FieldName(known: "password")
    /// Of the standard schema.
    public static let phone = FieldName(known: "phone")
    /// Of the standard schema.
    public static let address = FieldName(known: "address")
    /// Of the standard schema.
    public static let postalCode = FieldName(known: "postal_code")
    /// Of the standard schema.
    public static let birthday = FieldName(known: "birthday")

    /// Names that mean something of our own in the tables, in CSV or in JSON, so that no field may take them.
    public static let reserved: Set<String> = [
        "id", "revision", "created_at", "updated_at", "schema_version", "status", "issues",
        "password_hash", "password_schema_version", "password_is_judged", "passcode_hash", "rowid", "oid",
    ]

    public var description: String { text }

    public static func < (left: FieldName, right: FieldName) -> Bool { left.text < right.text }
}

extension FieldName: ExpressibleByStringLiteral {
    /// Takes a literal of the source, which must be a name.
    public init(stringLiteral literal: StaticString) {
        guard let name = Self(literal.description) else {
            preconditionFailure("\"\(literal)\" is no name of a field: a lower-case letter, then letters, digits and _")
        }
        self = name
    }
}

extension FieldName: Codable {
    /// Reads a text.
    ///
    /// - Throws: `DecodingError` for a text that is no name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = FieldName(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text.shortened)\" is no name of a field")
        }
        self = name
    }

    /// Writes its text.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}
