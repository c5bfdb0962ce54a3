public import SecretHashing

/// Why a secret was not accepted, set or changed.
public enum CredentialError: Error, Hashable, Sendable {
    /// Wrong secret or no such user: nothing tells which (P10).
    case wrong
    /// Too many failures: no secret was looked at; try again after this many milliseconds.
    case throttled(milliseconds: Int64)
    /// A hundred failures in a row: only the owner helps, with ``ProfileRepository/unlock(_:)``, by removing the passcode
    /// or by setting another password.
    case locked
    /// There is a passcode already; edit it.
    case passcodeExists
    /// There is no passcode to remove.
    case noPasscode
    /// The new passcode is the present one.
    case notDifferent
    /// The new passcode breaks the policy.
    case violation(PasscodeViolation)
    /// No hash was computed; the attempt does not count.
    case hashing(HashingError)
    /// The store refused.
    case store(ProfileStoreError)
}

extension CredentialError {
    /// What a caller can do about this error.
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
