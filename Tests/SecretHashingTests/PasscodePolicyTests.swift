import ProfileCore
import SecretHashing
import Testing
import Watchdog

private let passcodes: [(String, PasscodeViolation?)] = [
    ("", .empty),
    ("1234567", .tooShort(minimum: 8)),
    ("12345678", nil),
    (String(repeating: "x", count: 128), nil),
    (String(repeating: "x", count: 129), .tooLong(maximum: 128)),
    ("        ", nil),
    ("aaaaaaaa", nil),
    ("abc\0efgh", nil),
    ("パスコードです。", nil),
    ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", .tooShort(minimum: 8)),
    ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", nil),
    ("e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}", .tooShort(minimum: 8)),
    ("12345678" + String(repeating: "\u{301}", count: 600), .tooLong(maximum: 128)),
    // 1,024 bytes and one more.
    ("12345678" + String(repeating: "\u{301}", count: 508), nil),
    ("123456789" + String(repeating: "\u{301}", count: 508), .tooLong(maximum: 128)),
]

@Suite(.watched) struct PasscodePolicyTests {
    private let policy = PasscodePolicy.standard

    @Test(arguments: passcodes)
    func `P6: a passcode has 8 to 128 characters of any kind`(passcode: String, violation: PasscodeViolation?) {
        #expect(policy.violation(of: Secret(passcode)) == violation)
    }

    @Test func `P6: bytes that are no text are refused`() {
        let bytes = [UInt8](repeating: 0xFF, count: 10)
        let passcode = Secret(bytes.span)
        #expect(policy.violation(of: passcode) == .notUnicode)
    }

    @Test func `P6: impossible bounds are mended`() {
        let mended = PasscodePolicy(minimumLength: -1, maximumLength: -5)
        #expect(mended == PasscodePolicy(minimumLength: 1, maximumLength: 1))
        #expect(PasscodePolicy(maximumLength: .max).violation(of: Secret("12345678")) == nil)
    }
}
