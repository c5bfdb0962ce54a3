public import ProfileCore

/// A version of the schema that is or was in force in a store.
public struct SchemaVersion: Hashable, Sendable {
    /// The number of the version, from 1, in the order of adoption.
    public let number: Int
    /// The rules.
    public let schema: ProfileSchema
    /// The schema's `fingerprint`.
    public let fingerprint: String
    /// The time of adoption.
    public let adoptedAt: Timestamp

    init(_ adopted: AdoptedSchema) {
        number = adopted.version
        schema = adopted.schema
        fingerprint = adopted.fingerprint
        adoptedAt = adopted.adoptedAt
    }
}

extension SchemaVersion: JSONEncodable {
    /// The version in the format of `schema log --format json`: its number, the time of adoption, and the name and the
    /// fingerprint of the schema. The rules are not included; for the rules, use the `json` of ``schema``.
    public var json: JSONValue {
        [
            "version": .number(number), "adopted_at": .string(adoptedAt.description), "name": .string(schema.name),
            "fingerprint": .string(fingerprint),
        ]
    }
}
