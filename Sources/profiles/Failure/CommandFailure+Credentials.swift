internal import ProfileLogin
internal import ProfileStore

// Converts errors of secrets into failures. Such an error occurs when a secret is checked, set or changed.
extension CommandFailure {
    init(_ error: CredentialError) {
        let message = error.message ?? ""
        switch error {
        case .wrong, .noPasscode, .notDifferent, .violation: self.init(.no, message)
        case .throttled: self.init(.notPermitted, message)
        case .locked:
            self.init(.notPermitted, message, "The owner can lift it with \"profiles unlock USERNAME\"")
        case .passcodeExists: self.init(.no, message, "Change it with \"profiles passcode edit USERNAME\"")
        case .hashing(let error): self.init(error)
        case .store(let error): self.init(error)
        }
    }

    init(_ error: PasscodeFlowError) { self.init(.no, error.message) }
}
