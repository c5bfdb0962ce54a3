public import ProfileCore

/// The limits of the length of a new passcode.
///
/// All Unicode characters are allowed, and no kind of character is required (P6; NIST SP 800-63B, section 5.1.1.2). The
/// rules for passwords are part of the schema instead.
public struct PasscodePolicy: Sendable, Equatable {
    /// The minimum number of user-perceived characters.
    public let minimumLength: Int
    /// The maximum number of user-perceived characters.
    public let maximumLength: Int

    /// 8 to 128 characters.
    public static let standard = PasscodePolicy()

    /// Creates a policy. A minimum below 1 becomes 1, and a maximum below the minimum becomes the minimum.
    public init(minimumLength: Int = 8, maximumLength: Int = 128) {
        self.minimumLength = max(minimumLength, 1)
        self.maximumLength = max(maximumLength, self.minimumLength)
    }

    /// Checks a new passcode.
    ///
    /// - Returns: The rule that the passcode violates; nil if the passcode is valid.
    public func violation(of passcode: Secret) -> PasscodeViolation? {
        if passcode.isEmpty { return .empty }
        // Combining marks do not count as characters. Without this limit on the number of bytes, combining marks could
        // make a passcode megabytes long (as in S5).
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

/// The reason why a new passcode is refused.
public enum PasscodeViolation: Error, Hashable, Sendable {
    /// The passcode is empty.
    case empty
    /// The passcode has fewer user-perceived characters than the minimum.
    case tooShort(minimum: Int)
    /// The passcode has more user-perceived characters than the maximum. This case is also used if the passcode has too
    /// many bytes: more than 1,024 bytes, and more than four bytes for each allowed character.
    case tooLong(maximum: Int)
    /// The passcode is not UTF-8, so its characters cannot be counted.
    case notUnicode
}

extension Int {
    fileprivate func multipliedClamped(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
