public import SecretHashing

/// The reason a secret was not accepted, set or changed.
public enum CredentialError: Error, Hashable, Sendable {
    /// The secret is wrong, or there is no such user. The error does not reveal which of the two is true (P10).
    case wrong
    /// There were too many failed attempts. The secret was not checked. Try again after this number of milliseconds.
    case throttled(milliseconds: Int64)
    /// There were a hundred failed attempts in a row. The owner of the store must call
    /// ``ProfileRepository/unlock(_:)``, remove the passcode, or set another password.
    case locked
    /// The profile has a passcode already. Edit it.
    case passcodeExists
    /// The profile has no passcode to remove.
    case noPasscode
    /// The new passcode equals the present one.
    case notDifferent
    /// The new passcode breaks the policy.
    case violation(PasscodeViolation)
    /// No hash was computed. The attempt does not count.
    case hashing(HashingError)
    /// The store refused the request with this error, or cannot be used.
    case store(ProfileStoreError)
}

extension CredentialError {
    /// The kind of this error, which decides what a caller can do about it.
    public var kind: ProfileStoreError.Kind {
        switch self {
        case .wrong: .denied
        case .throttled, .locked: .throttled
        case .passcodeExists: .conflict
        case .noPasscode: .notFound
        case .notDifferent, .violation: .invalid
        case .hashing(let error): error.kind
        case .store(let error): error.kind
        }
    }
}
