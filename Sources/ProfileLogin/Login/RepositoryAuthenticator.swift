public import ProfileCore
public import ProfileStore
internal import SecretHashing

/// Checks credentials in a store. The article Credentials of ProfileStore describes how passwords are hashed and
/// compared, and how attempts are throttled.
public struct RepositoryAuthenticator: Authenticator {
    private let repository: ProfileRepository

    /// Creates an authenticator for a store.
    public init(_ repository: ProfileRepository) { self.repository = repository }

    public func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile {
        // The typed username may differ from its stored form, so the username is converted to the stored form.
        let username = repository.validator.storedForm(of: username, in: repository.schema.primaryKey.name) ?? username
        do throws(CredentialError) {
            return LoggedInProfile(try await repository.passwords.validate(password, for: username))
        } catch {
            throw LoginError(error)
        }
    }
}

extension LoginError {
    init(_ error: CredentialError) {
        switch error {
        case .wrong: self = .invalidCredentials
        case .throttled(let milliseconds): self = .throttled(milliseconds: milliseconds)
        case .locked: self = .locked
        case .hashing(.cancelled), .store(.cancelled): self = .cancelled
        case .hashing(let error): self = .hashing(error)
        case .store(let error): self = .store(error)
        // These errors occur only with passcodes.
        case .passcodeExists, .noPasscode, .notDifferent, .violation: self = .unknown
        }
    }
}
