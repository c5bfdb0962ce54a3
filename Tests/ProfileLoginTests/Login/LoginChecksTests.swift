import ProfileCore
import ProfileLogin
import ProfileStore
import Testing
import Watchdog

/// L1: the checks before the authenticator is asked.
@Suite(.watched) struct LoginChecksTests {
    private static let usernameLength = LoginError.invalidUsernameLength(minimum: 2, maximum: 10)
    private static let passwordLength = LoginError.invalidPasswordLength(
        minimum: 3, requirements: [.uppercase, .digit])
    private static let passwordCharacters = LoginError.invalidPasswordCharacters(requirements: [.uppercase, .digit])

    private func failure(
        _ username: String, _ password: String, _ checks: LoginChecks = LoginChecks(.standard)
    ) -> LoginError? {
        checks.failure(username: username, password: Secret(password))
    }

    private func schema(username: String = "{}", password: String?) throws -> ProfileSchema {
        let secret = password.map { #", {"name": "password", "profiles": {"secret": true}, \#($0)}"# } ?? ""
        return try ProfileSchema(
            parsing: """
                {"name": "other", "fields": [{"name": "username", "constraints": \(username)}\(secret)]}
                """)
    }

    @Test(
        "L1: the worked examples",
        arguments: [
            ("pritesh", "aK8oio", nil), ("pritesh", "poY7trl", nil), ("p", "aK8oio", usernameLength),
            ("pritesh", "a", passwordLength), ("pritesh", "po", passwordLength),
            ("pritesh", "poytrl", passwordCharacters), ("pritesh", "abjkop", passwordCharacters),
        ])
    func example(username: String, password: String, failure: LoginError?) {
        #expect(self.failure(username, password) == failure)
    }

    @Test(
        "L1: the bounds",
        arguments: [
            ("", "aK8oio", usernameLength), ("ab", "aK8", nil), ("abcdefghij", "aK8", nil),
            ("abcdefghijk", "aK8", usernameLength), ("ab", "", passwordLength), ("ab", "K8", passwordLength),
            ("ab", "aKB", passwordCharacters), ("ab", "a8b", passwordCharacters),
            ("ab", "aK8" + String(repeating: "x", count: 200), nil),
        ])
    func bound(username: String, password: String, failure: LoginError?) {
        #expect(self.failure(username, password) == failure)
    }

    @Test func `L1: only the first failure is reported, in the order username, password length, characters`() {
        #expect(failure("p", "a") == Self.usernameLength)
        #expect(failure("p", "abjkop") == Self.usernameLength)
        #expect(failure("pritesh", "a") == Self.passwordLength)
    }

    @Test func `L1: other bad characters are not judged here`() {
        #expect(failure("sk board", "aK8 oio") == nil)
        #expect(failure("マーン", "aK8\u{30DE}") == nil)
        #expect(failure("sk\nboard", "aK8\t\0") == nil)
    }

    @Test func `S5: lengths are counted in characters as people see them`() {
        #expect(failure("e\u{301}", "aK8oio") == Self.usernameLength)
        #expect(failure("e\u{301}o\u{308}", "aK8oio") == nil)
        #expect(failure("ab", "K8\u{301}\u{302}") == Self.passwordLength)
        let smuggled = "ab" + String(repeating: "\u{301}", count: 2_000)
        #expect(failure(smuggled, "aK8oio") == Self.usernameLength)
        let notUnicode: [UInt8] = [0xFF, 0x4B, 0x38]
        #expect(LoginChecks(.standard).failure(username: "ab", password: Secret(notUnicode.span)) == nil)
    }

    @Test func `L1: the lengths are those of the schema`() throws {
        let checks = LoginChecks(
            try schema(
                username: #"{"required": true, "unique": true, "minLength": 4}"#,
                password: #""constraints": {"minLength": 8}"#))
        #expect(failure("abc", "12345678", checks) == .invalidUsernameLength(minimum: 4, maximum: nil))
        #expect(failure(String(repeating: "a", count: 500), "12345678", checks) == nil)
        #expect(failure("abcd", "1234567", checks) == .invalidPasswordLength(minimum: 8, requirements: []))
        #expect(failure("abcd", "12345678", checks) == nil)
    }

    @Test func `L1: where the rules name no length, nothing may be empty`() throws {
        let checks = LoginChecks(
            try schema(
                username: #"{"required": true, "unique": true}"#, password: #""constraints": {"required": true}"#))
        #expect(failure("", "x", checks) == .invalidUsernameLength(minimum: 1, maximum: nil))
        #expect(failure("x", "", checks) == .invalidPasswordLength(minimum: 1, requirements: []))
        #expect(failure("x", "x", checks) == nil)
    }

    @Test func `L1: a username with a mask is as long as the mask, with or without its literals`() throws {
        let checks = LoginChecks(
            try ProfileSchema(
                parsing: """
                    {"name": "numbers", "fields": [
                      {"name": "username", "constraints": {"required": true, "unique": true},
                       "profiles": {"mask": "##-##"}},
                      {"name": "password", "profiles": {"secret": true}}]}
                    """))
        for (username, isRight) in [("123", false), ("1234", true), ("12-34", true), ("12-345", false)] {
            #expect(
                failure(username, "x", checks)
                    == (isRight ? nil : .invalidUsernameLength(minimum: 4, maximum: 5)), "\(username)")
        }
    }

    @Test func `L1: passwords that the rules never judged must not be empty, and that is all`() {
        let checks = LoginChecks(.standard, judgesPasswords: false)
        #expect(failure("pritesh", "a", checks) == nil)
        #expect(failure("pritesh", "abjkop", checks) == nil)
        #expect(failure("pritesh", "", checks) == .invalidPasswordLength(minimum: 1, requirements: []))
        #expect(failure("p", "", checks) == Self.usernameLength)
    }

    @Test func `L1: every login fails if profiles have no password`() throws {
        let names = try schema(username: #"{"required": true, "unique": true}"#, password: nil)
        for judges in [true, false] {
            #expect(failure("pritesh", "aK8oio", LoginChecks(names, judgesPasswords: judges)) == .noPasswords)
        }
    }
}
