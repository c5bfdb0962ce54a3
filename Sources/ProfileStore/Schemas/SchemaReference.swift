public import ProfileCore

/// The schema that validated profiles or rows.
public struct SchemaReference: Hashable, Sendable {
    /// The name of the schema.
    public let name: String
    /// The version in the store; nil if the schema is not in force.
    public let version: Int?
    /// The SHA-256 of the schema's document, in lower-case hexadecimal digits.
    public let fingerprint: String

    package init(name: String, version: Int?, fingerprint: String) {
        self.name = name
        self.version = version
        self.fingerprint = fingerprint
    }
}

extension SchemaReference: JSONEncodable {
    /// The members `name`, `version` (null if the schema is not in force) and `fingerprint`.
    public var json: JSONValue {
        [
            "name": .string(name), "version": version.map { .number($0) } ?? .null,
            "fingerprint": .string(fingerprint),
        ]
    }
}
