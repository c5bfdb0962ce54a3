internal import ProfileCore
internal import ProfileLogin
public import ProfileStore
internal import ProfileStoreSQLite

/// The store of a scenario with the fixture's profiles, in a private temporary folder. The folder is removed when the
/// last reference is released.
public final class ScenarioStore: Sendable {
    private let folder: TemporaryFolder
    /// The open store. The caller closes it.
    public let repository: ProfileRepository

    /// The path of the private folder (0700) that contains the store. The folder may contain other files too.
    public var folderPath: String { folder.path }

    /// Creates the store of a scenario.
    ///
    /// - Parameters:
    ///   - scenario: The scenario that defines the fixture to store.
    ///   - clock: The clock of the store; the system's clock by default.
    /// - Throws: ``SystemError`` or `ProfileStoreError` if the store cannot be created, `CredentialError` if a passcode
    ///   is refused.
    public init(_ scenario: Scenario, clock: ManualClock? = nil) async throws {
        folder = try TemporaryFolder("profiles-scenario")
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = scenario.schema
        options.command = "profiles, testing \(scenario.model)"
        if let clock { options.now = { clock.timestamp } }
        repository = try await ProfileRepository.open(at: folder.path + "/profiles.sqlite", options: options)
        for profile in scenario.profiles { try await repository.add(profile) }
    }
}

extension ProfileRepository {
    fileprivate func add(_ profile: Scenario.StoredProfile) async throws {
        var draft = ProfileDraft(profile.values)
        draft.password = Secret(Scenario.password)
        let stored = try await register(validator.validate(draft, on: today))
        if let passcode = profile.passcode { try await passcodes.create(Secret(passcode), for: stored.username) }
        let authenticator = RepositoryAuthenticator(self)
        for _ in 0..<profile.failures {
            do throws(LoginError) {
                _ = try await authenticator.authenticate(username: stored.username, password: Secret("Wrong0ne"))
            } catch {
                guard error == .invalidCredentials else { throw error }
            }
        }
    }
}
