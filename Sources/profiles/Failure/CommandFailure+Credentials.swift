internal import ProfileLogin
internal import ProfileStore
internal import SecretHashing

// Secrets that were not accepted, set or changed. Nothing here can hold one.
extension CommandFailure {
    init(_ error: CredentialError) {
        switch error {
        case .wrong: self.init(.no, "The pass code is wrong")
        case .throttled(let milliseconds):
            self.init(.notPermitted, "Too many failed attempts; try again in \(Self.wait(milliseconds))")
        case .locked:
            self.init(
                .notPermitted, "Locked after too many failed attempts",
                "The owner can lift it with \"profiles unlock USERNAME\"")
        case .passcodeExists:
            self.init(.no, "The profile has a pass code already", "Change it with \"profiles passcode edit USERNAME\"")
        case .noPasscode: self.init(.no, "The profile has no pass code")
        case .notDifferent: self.init(PasscodeFlowError.notDifferent)
        case .violation(let violation): self.init(PasscodeFlowError.violation(violation))
        case .hashing(let error): self.init(error)
        case .store(let error): self.init(error)
        }
    }

    init(_ error: PasscodeFlowError) {
        switch error {
        case .mismatch: self.init(.no, error.message ?? "Pass codes do not match")
        case .notDifferent: self.init(.no, "The new pass code is the present one")
        case .violation(.empty): self.init(.no, "The pass code is empty")
        case .violation(.tooShort(let minimum)):
            self.init(.no, "The pass code should have at least \(minimum) characters")
        case .violation(.tooLong(let maximum)):
            self.init(.no, "The pass code should have at most \(maximum) characters")
        case .violation(.notUnicode): self.init(.no, "The pass code is not UTF-8 text")
        }
    }

    /// A time to wait in words, rounded up.
    static func wait(_ milliseconds: Int64) -> String {
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60 + (seconds % 60 > 0 ? 1 : 0)) min"
    }
}
