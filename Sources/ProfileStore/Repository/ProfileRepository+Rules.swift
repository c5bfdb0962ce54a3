public import ProfileCore

extension ProfileRepository {
    /// The rules of this store. Use them to adopt another schema, or to validate the stored profiles.
    public var rules: Rules { Rules(repository: self) }

    /// The rules of a store: the schema in force and all earlier schemas.
    public struct Rules: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Rules {
    /// Puts a schema in force. Profiles keep their values. A field with a `formerName` keeps the values of the
    /// field that had this name. A new field is empty at first, even if a removed field had its name. To keep the
    /// values of the removed field, set `formerName` to this name.
    /// ``revalidate(candidate:all:mostIssues:progress:)`` then reports the profiles that break the new rules.
    ///
    /// - Parameters:
    ///   - schema: The rules.
    ///   - version: The version of the schema that the caller has seen. If another version is in force, even one with
    ///     the same rules, `schemaChanged` is thrown. Nil for any version.
    ///   - author: The author of the change.
    ///   - key: An idempotency key; see `WriteKey`.
    /// - Returns: The version of the schema. If the rules of the schema are already in force, the result is the current
    ///   version.
    /// - Throws: `schemaChanged` with the version in force, `repeatedValues` if profiles have the same value of a field
    ///   that becomes unique, `busy`, …
    @discardableResult
    public func adopt(
        _ schema: ProfileSchema, expecting version: Int? = nil, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(ProfileStoreError) -> Int {
        // The columns that another store has assigned mean nothing here.
        let schema = schema.withoutColumns
        let request = KeyedRequest(key, "adopt", [schema.fingerprint, version.map { String($0) }])
        return try await adopt(schema, expecting: version, repository.stamp(author, request))
    }

    /// The schema in force, as this process last read it, with its version and the time of its adoption.
    public var inForce: SchemaVersion { SchemaVersion(repository.adoptedSchema) }

    /// Returns every schema that was ever in force, oldest first. The last one is in force.
    public func versions() async throws(ProfileStoreError) -> [SchemaVersion] {
        try await repository.adoptedSchemas().map(SchemaVersion.init)
    }
}

extension ProfileRepository {
    /// Returns every schema that was ever in force, oldest first, with its validator.
    func adoptedSchemas() async throws(ProfileStoreError) -> [AdoptedSchema] {
        try await ask(.readSchema, rows: \.schemas.count, await engine.head()).schemas
    }

    /// Returns the rules in force, and whether every password of the store was validated by these rules (L1).
    package func loginRules() async throws(ProfileStoreError) -> LoginRules {
        let rules = try await ask(.readSchema, await engine.loginRules())
        keep(rules.adopted)
        return rules
    }
}
