/// The name of a field. It begins with a lower-case ASCII letter. Then lower-case letters, digits and underscores may
/// follow, up to 63 characters in total.
///
/// A field name needs no escaping in SQL, in a CSV header or in JSON. In Swift code, a field name can be written as a
/// literal: `let city: FieldName = "city"`. If the literal is not a valid name, the program stops when it runs this
/// line. So every test that runs this line finds the error. For a name from input, use ``init(_:)-(String)``.
public struct FieldName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as schemas, tables and files write it.
    public let text: String

    /// The maximum length of a name in bytes. PostgreSQL has this limit for identifiers.
    public static let longestLength = 63

    /// Creates a name. Returns nil if the text is not a valid name.
    ///
    /// A schema must not use ``reserved`` names, but this initializer accepts them.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, first.isASCIILowercase, bytes.count <= Self.longestLength,
            bytes.allSatisfy({ $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "_") })
        else { return nil }
        self.text = text
    }

    private init(known text: StaticString) { self.text = text.description }

    /// The name of a fact in a query, such as `_id`. No field of a schema has such a name.
    package init(of fact: ProfileFact) { text = fact.name }

    /// Returns the name of a field or of a fact, or nil if the text is neither.
    package static func inQuery(_ text: String) -> FieldName? {
        if let fact = ProfileFact(name: text) { return FieldName(of: fact) }
        return FieldName(text)
    }

    /// The default primary key of a schema. Every store keeps the primary key in a column of this name. If two values
    /// differ only in ASCII case, this column treats them as equal. Its values are unique.
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

    /// The names that a schema cannot use for a field. In CSV and JSON, `password_hash` contains the hash of the
    /// password.
    public static let reserved: Set<String> = ["password_hash"]

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

extension FieldName: JSONEncodable, JSONDecodable {
    /// Reads a name from a string. The string can also be the name of a fact in a query, such as `_id`.
    @_disfavoredOverload
    public init(_ json: JSONValue) throws(JSONMemberError) {
        guard let name = FieldName.inQuery(try String(json: json)) else { throw JSONMemberError(.malformed) }
        self = name
    }

    /// The name as a string.
    public var json: JSONValue { .string(text) }
}
