internal import ProfileStore

/// Determines the checks of a login to a store from the rules in force. The rules for passwords apply only if they have
/// judged every password in the store. Otherwise a newer rule would lock out users whose older password breaks it (L1).
struct StoredLoginRules: Sendable {
    private let repository: ProfileRepository

    init(_ repository: ProfileRepository) { self.repository = repository }

    /// Returns the checks. The number of rows that it reads does not depend on the number of profiles.
    func checks() async throws(ProfileStoreError) -> LoginChecks {
        let rules = try await repository.loginRules()
        return LoginChecks(rules.adopted.schema, judgesPasswords: rules.haveJudgedPasswords)
    }
}
