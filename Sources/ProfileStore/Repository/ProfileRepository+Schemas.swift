public import ProfileCore

extension ProfileRepository {
    /// Makes a schema the one in force. Profiles keep their values; ``revalidate(candidate:all:mostIssues:progress:)``
    /// then says which of them break the new rules.
    ///
    /// - Returns: The schema's version; the present one when its rules are in force already.
    /// - Throws: `repeatedValues` when a field that becomes unique has a value more than once, `busy`, …
    @discardableResult
    public func adopt(_ schema: ProfileSchema) async throws(ProfileStoreError) -> Int {
        let rules = try await engine.adopt(schema, at: options.now())
        keep(rules)
        return rules.version
    }

    /// The rules in force, and whether they have judged every password of the store (L1).
    package func loginRules() async throws(ProfileStoreError) -> LoginRules {
        let rules = try await engine.loginRules()
        keep(rules.adopted)
        return rules
    }
}
