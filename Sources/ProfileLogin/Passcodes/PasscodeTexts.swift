public import ProfileStore
internal import SecretHashing

// What is said of pass codes, in English and without a full stop. Nothing here can hold one.

extension PasscodeFlowError {
    /// What the alert says.
    public var message: String {
        switch self {
        case .mismatch: "Pass codes do not match"
        case .notDifferent: "The new pass code is the present one"
        case .violation(.empty): "The pass code is empty"
        case .violation(.tooShort(let minimum)): "The pass code should have at least \(minimum) characters"
        case .violation(.tooLong(let maximum)): "The pass code should have at most \(maximum) characters"
        case .violation(.notUnicode): "The pass code is not UTF-8 text"
        }
    }
}

extension CredentialError {
    /// What the alert says; nil where the store or the hasher is at fault, of which whoever shows it knows more.
    public var message: String? {
        switch self {
        case .wrong: "The pass code is wrong"
        case .throttled(let milliseconds): "Too many failed attempts; try again in \(Self.wait(milliseconds))"
        case .locked: "Locked after too many failed attempts"
        case .passcodeExists: "The profile has a pass code already"
        case .noPasscode: "The profile has no pass code"
        case .notDifferent: PasscodeFlowError.notDifferent.message
        case .violation(let violation): PasscodeFlowError.violation(violation).message
        case .hashing, .store: nil
        }
    }

    /// A time to wait in words, rounded up.
    private static func wait(_ milliseconds: Int64) -> String {
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60 + (seconds % 60 > 0 ? 1 : 0)) min"
    }
}
