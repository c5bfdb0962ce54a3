public import ProfileCore

extension ProfileRepository {
    /// Adopts rules, and judges the stored profiles by them.
    public var rules: Rules { Rules(repository: self) }

    /// The rules of a store: the schema in force and those before it.
    public struct Rules: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Rules {
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
        let stamp = repository.stamp(author, KeyedRequest(key, "adopt", [schema.fingerprint]))
        let (inForce, version) = try await repository.ask(.adopt, await repository.engine.adopt(schema, stamp))
        repository.keep(inForce)
        return version
    }

    /// The rules in force, as far as this process knows, with when they were put in force.
    public var inForce: SchemaVersion { SchemaVersion(repository.adoptedSchema) }

    /// Every schema that was ever in force, oldest first; the last one is.
    public func versions() async throws(ProfileStoreError) -> [SchemaVersion] {
        try await repository.adoptedSchemas().map(SchemaVersion.init)
    }
}

extension ProfileRepository {
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
