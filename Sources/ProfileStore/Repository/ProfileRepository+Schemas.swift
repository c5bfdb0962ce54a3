public import ProfileCore

extension ProfileRepository {
    /// Makes a schema the one in force. Profiles keep their values; ``revalidate(candidate:all:mostIssues:progress:)``
    /// then says which of them break the new rules.
    ///
    /// - Parameters:
    ///   - schema: The rules.
    ///   - author: Who adopts them.
    ///   - key: Under which it may be repeated; see `WriteKey`.
    /// - Returns: The schema's version; the present one when its rules are in force already.
    /// - Throws: `repeatedValues` when a field that becomes unique has a value more than once, `busy`, …
    @discardableResult
    public func adopt(
        _ schema: ProfileSchema, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(ProfileStoreError) -> Int {
        let stamp = stamp(author, KeyedRequest(key, "adopt", [schema.fingerprint]))
        let (inForce, version) = try await ask(.adopt, await engine.adopt(schema, stamp))
        keep(inForce)
        return version
    }

    /// The rules in force, as far as this process knows, with when they were put in force.
    public var schemaInForce: SchemaVersion { SchemaVersion(adoptedSchema) }

    /// Every schema that was ever in force, oldest first; the last one is.
    public func schemaVersions() async throws(ProfileStoreError) -> [SchemaVersion] {
        try await adoptedSchemas().map(SchemaVersion.init)
    }

    /// Every schema that was ever in force, oldest first, with its validator.
    func adoptedSchemas() async throws(ProfileStoreError) -> [AdoptedSchema] {
        try await ask(.readSchema, rows: \.count, await engine.schemas())
    }

    /// The rules in force, and whether they have judged every password of the store (L1).
    package func loginRules() async throws(ProfileStoreError) -> LoginRules {
        let rules = try await ask(.readSchema, await engine.loginRules())
        keep(rules.adopted)
        return rules
    }
}
