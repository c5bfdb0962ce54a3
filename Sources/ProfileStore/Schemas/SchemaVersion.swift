public import ProfileCore

/// Rules that are in force in a store, or were.
public struct SchemaVersion: Hashable, Sendable {
    /// From 1, in the order in which they were put in force.
    public let number: Int
    /// The rules.
    public let schema: ProfileSchema
    /// The schema's `fingerprint`.
    public let fingerprint: String
    /// When they were put in force.
    public let adoptedAt: Timestamp

    init(_ adopted: AdoptedSchema) {
        number = adopted.version
        schema = adopted.schema
        fingerprint = adopted.fingerprint
        adoptedAt = adopted.adoptedAt
    }
}
