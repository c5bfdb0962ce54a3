public import SecretHashing

/// The reason why a password or a passcode was refused, or could not be set or changed.
public enum CredentialError: Error, Hashable, Sendable {
    /// The secret is wrong, or there is no such user. The error does not distinguish these two cases (P10).
    case wrong
    /// There were too many failed attempts. The secret was not checked. Try again after this number of milliseconds.
    case throttled(milliseconds: Int64)
    /// A hundred consecutive attempts failed. To end the lock, the owner of the store must call
    /// ``ProfileRepository/unlock(_:)``, remove the passcode, or set another password.
    case locked
    /// The profile has a passcode already. Edit the passcode instead.
    case passcodeExists
    /// The profile has no passcode to remove.
    case noPasscode
    /// The new passcode is the same as the present passcode.
    case notDifferent
    /// The new passcode breaks the policy.
    case violation(PasscodeViolation)
    /// The hash could not be computed. The attempt is not counted as a failure.
    case hashing(HashingError)
    /// The store reported this error.
    case store(ProfileStoreError)
}

extension CredentialError {
    /// The kind of this error. A caller can use the kind to decide how to continue.
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
