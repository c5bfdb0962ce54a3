internal import ProfileStore

/// Determines the checks of a login to a store from the rules in force. The rules for passwords apply only if they have
/// judged every password in the store. Otherwise a newer rule would lock users out (L1).
struct StoredLoginRules: Sendable {
    private let repository: ProfileRepository

    init(_ repository: ProfileRepository) { self.repository = repository }

    /// Returns the checks. It reads one or two rows, however many profiles there are.
    func checks() async throws(ProfileStoreError) -> LoginChecks {
        let rules = try await repository.loginRules()
        return LoginChecks(rules.adopted.schema, judgesPasswords: rules.haveJudgedPasswords)
    }
}
