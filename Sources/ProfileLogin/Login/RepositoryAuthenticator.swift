public import ProfileCore
public import ProfileStore
internal import SecretHashing

/// Asks a store: passwords are hashed, throttled and compared as ProfileStore's article Credentials says.
public struct RepositoryAuthenticator: Authenticator {
    private let repository: ProfileRepository

    /// Asks this store.
    public init(_ repository: ProfileRepository) { self.repository = repository }

    public func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile {
        // As look-ups do, for rules that keep a username in another form than it may be typed in.
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
        // Of pass codes alone.
        case .passcodeExists, .noPasscode, .notDifferent, .violation: self = .unknown
        }
    }
}
