package import ProfileCore

/// Which rules something was judged by.
public struct SchemaReference: Hashable, Sendable {
    /// What the schema is called.
    public let name: String
    /// In the store; nil for a schema that is not from one.
    public let version: Int?
    /// SHA-256 of the schema's document, in lower-case hexadecimal digits.
    public let fingerprint: String

    package init(name: String, version: Int?, fingerprint: String) {
        self.name = name
        self.version = version
        self.fingerprint = fingerprint
    }
}

extension SchemaReference: Encodable {
    /// Writes `name`, `version`, null for rules that are not from a store, and `fingerprint`.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package var json: JSONValue {
        [
            "name": .string(name), "version": version.map { .number($0) } ?? .null,
            "fingerprint": .string(fingerprint),
        ]
    }
}
