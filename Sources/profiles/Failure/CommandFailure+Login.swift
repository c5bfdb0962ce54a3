internal import ProfileLogin
internal import ProfileStore

// The reasons why a login failed.
extension CommandFailure {
    init(_ error: LoginError) {
        switch error {
        case .invalidUsernameLength, .invalidPasswordLength, .invalidPasswordCharacters, .noPasswords,
            .invalidCredentials:
            self.init(.no, error.message)
        case .invalidResponse, .unexpectedStatus, .unknown: self.init(.unavailable, error.message)
        case .cancelled: self.init(.interrupted, "Interrupted")
        // These errors lead to the same failures as for a passcode.
        case .throttled(let milliseconds): self.init(CredentialError.throttled(milliseconds: milliseconds))
        case .locked: self.init(CredentialError.locked)
        case .hashing(let error): self.init(error)
        case .store(let error): self.init(error)
        }
    }
}
