internal import ProfileStore

/// Which checks a login to a store gets: those of the rules in force, and of a password only where these have judged
/// every password of the store, so that a newer rule locks nobody out (L1).
struct StoredLoginRules: Sendable {
    private let repository: ProfileRepository

    init(_ repository: ProfileRepository) { self.repository = repository }

    /// However many profiles there are, this looks at a row or two.
    func checks() async throws(ProfileStoreError) -> LoginChecks {
        let rules = try await repository.loginRules()
        return LoginChecks(rules.adopted.schema, judgesPasswords: rules.haveJudgedPasswords)
    }
}
