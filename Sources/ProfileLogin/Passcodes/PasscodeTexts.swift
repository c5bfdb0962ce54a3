public import ProfileStore
internal import SecretHashing

// The messages about passcodes, in English and without a full stop. No message contains a passcode.

extension PasscodeFlowError {
    /// The text of the alert.
    public var message: String {
        switch self {
        case .mismatch: "Pass codes do not match"
        case .notDifferent: "The new passcode is the present one"
        case .violation(.empty): "The passcode is empty"
        case .violation(.tooShort(let minimum)): "The passcode should have at least \(minimum) characters"
        case .violation(.tooLong(let maximum)): "The passcode should have at most \(maximum) characters"
        case .violation(.notUnicode): "The passcode is not UTF-8 text"
        }
    }
}

extension CredentialError {
    /// The text of the alert. Nil if the error comes from the store or the hasher. The program that shows the alert has
    /// its own texts for these errors.
    public var message: String? {
        switch self {
        case .wrong: "The passcode is wrong"
        case .throttled(let milliseconds): "Too many failed attempts; try again in \(Self.wait(milliseconds))"
        case .locked: "Locked after too many failed attempts"
        case .passcodeExists: "The profile has a passcode already"
        case .noPasscode: "The profile has no passcode"
        case .notDifferent: PasscodeFlowError.notDifferent.message
        case .violation(let violation): PasscodeFlowError.violation(violation).message
        case .hashing, .store: nil
        }
    }

    /// The waiting time as text, rounded up.
    private static func wait(_ milliseconds: Int64) -> String {
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60 + (seconds % 60 > 0 ? 1 : 0)) min"
    }
}
