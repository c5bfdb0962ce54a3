internal import ProfileStore

/// Derives the login checks from the rules of the store. The rules for passwords are used only if every stored password
/// was validated by these rules. A password that was stored earlier may break a newer rule. If the checks contained
/// this rule, they would refuse the correct password, and its owner could not log in (L1).
struct StoredLoginRules: Sendable {
    private let repository: ProfileRepository

    init(_ repository: ProfileRepository) { self.repository = repository }

    /// Returns the checks. The number of rows that the method reads does not depend on the number of profiles.
    func checks() async throws(ProfileStoreError) -> LoginChecks {
        let rules = try await repository.loginRules()
        return LoginChecks(rules.adopted.schema, judgesPasswords: rules.haveJudgedPasswords)
    }
}
