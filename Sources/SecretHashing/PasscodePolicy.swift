public import ProfileCore

/// What a new passcode has to be like: long enough, and nothing else (NIST SP 800-63B, section 5.1.1.2).
///
/// Any Unicode is allowed; there are no rules of composition (P6). Passwords follow the schema instead.
public struct PasscodePolicy: Sendable, Equatable {
    /// The least number of user-perceived characters.
    public let minimumLength: Int
    /// The greatest number of user-perceived characters.
    public let maximumLength: Int

    /// 8 to 128 characters.
    public static let standard = PasscodePolicy()

    /// Names a policy; bounds below 1, or the wrong way round, are mended upwards.
    public init(minimumLength: Int = 8, maximumLength: Int = 128) {
        self.minimumLength = max(minimumLength, 1)
        self.maximumLength = max(maximumLength, self.minimumLength)
    }

    /// Judges a new passcode.
    ///
    /// - Returns: what is wrong with it, or nil.
    public func violation(of passcode: Secret) -> PasscodeViolation? {
        if passcode.isEmpty { return .empty }
        // As S5 has it: combining marks must not smuggle megabytes in.
        guard passcode.count <= max(maximumLength.multipliedClamped(by: 4), 1024) else {
            return .tooLong(maximum: maximumLength)
        }
        guard let text = try? UTF8Span(validating: passcode.bytes) else { return .notUnicode }
        var characters = text.makeCharacterIterator()
        var length = 0
        while characters.skipForward() > 0 { length += 1 }

        if length < minimumLength { return .tooShort(minimum: minimumLength) }
        if length > maximumLength { return .tooLong(maximum: maximumLength) }
        return nil
    }
}

/// Why a new passcode is refused.
public enum PasscodeViolation: Error, Hashable, Sendable {
    /// There is nothing in it.
    case empty
    /// It has fewer user-perceived characters than the minimum.
    case tooShort(minimum: Int)
    /// It has more user-perceived characters than the maximum, or far more bytes than these need.
    case tooLong(maximum: Int)
    /// It is not UTF-8, so that it has no characters to count.
    case notUnicode
}

extension Int {
    fileprivate func multipliedClamped(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
