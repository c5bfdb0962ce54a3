public import ProfileCore
public import ProfileStore
internal import SecretHashing

/// Checks credentials in a store. Passwords are hashed, throttled and compared as described in ProfileStore's article
/// Credentials.
public struct RepositoryAuthenticator: Authenticator {
    private let repository: ProfileRepository

    /// Creates an authenticator for a store.
    public init(_ repository: ProfileRepository) { self.repository = repository }

    public func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile {
        // The stored form of a username may differ from the typed form, so it is converted as in a lookup.
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
