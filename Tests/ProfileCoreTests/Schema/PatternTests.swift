import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct PatternTests {
    private func matches(_ pattern: String, _ value: String) throws(FieldPattern.CompileError) -> Bool {
        try FieldPattern(pattern).matches(Array(value.utf8).span)
    }

    @Test(
        arguments: [
            ("[a-z]+", "abc", true), ("[a-z]+", "abc1", false), ("[a-z]+", "1abc", false), ("a|ab", "ab", true),
            ("b|a", "ab", false),
            ("^abc$", "abc", true), ("abc", "abc\n", false), ("^abc$", "abc\n", false), ("abc\\Z", "abc\n", false),
            ("(?m)^a$", "a\nb", false),
            (".", "a", true), (".", "é", true), (".", "😀", true), (".", "\n", false), ("\\d+", "٣٣٣", false),
            ("\\w+", "é", false),
            ("\\p{Lu}\\p{L}+", "Émile", true), ("(?i)abc", "ABC", true), ("a{2,3}", "aaaa", false), ("", "", true),
            ("", "a", false),
            ("(a)(b)", "ab", true), ("(?=abc)a", "abc", false), ("a\\Kb", "ab", true), ("(*ACCEPT)a", "ab", false),
        ] as [(String, String, Bool)])
    func `S6: a pattern matches the whole value`(pattern: String, value: String, matches: Bool) throws {
        #expect(try self.matches(pattern, value) == matches)
    }

    @Test(arguments: [
        ("(a+)+$", "b"), ("(a|aa)+$", "b"), ("(.*)*x", "a"), ("(a*)*b", "a"), ("(?:a(?!.*+x))*b", "a"),
        ("(?:a(?=.*+a))*b", "a"),
        ("((a?){1,20}){1,20}b", "a"), ("(?:(?:a*)*)*b", "a"), ("(a)(?1)*?(?R)?b", "a"), ("(\\w+\\s?)+:", "!"),
    ])
    func `S8: a pathological pattern ends with an issue`(pattern: String, last: String) throws {
        for length in [30, 1_000, 65_536, 1_000_000] {
            let value = String(repeating: "a", count: length) + last
            #expect(try matches(pattern, value) == false, "\(length)")
        }
    }

    @Test(arguments: [
        String(repeating: "(", count: 2_000) + String(repeating: ")", count: 2_000),
        String(repeating: "(?=", count: 1_000),
        "((((a{1000}){1000}){1000}){1000})", "(", "a)", "[a", "*a", "(?<n>a)(?<n>b)", "\\", "a{2,1}", "\\C", "(?P=x)",
        "\\p{Nonsense}",
    ])
    func `S8: a pattern that is malformed, too deep or too large does not compile`(pattern: String) {
        #expect(throws: FieldPattern.CompileError.self) { try FieldPattern(pattern) }
    }

    @Test func `a pattern of more than 4,096 bytes does not compile`() throws {
        #expect(throws: Never.self) { try FieldPattern(String(repeating: "a", count: 4_096)) }
        #expect(throws: FieldPattern.CompileError.self) { try FieldPattern(String(repeating: "a", count: 4_097)) }
    }

    @Test func `an error names what is wrong and where`() {
        let error = #expect(throws: FieldPattern.CompileError.self) { try FieldPattern("ab[c") }
        #expect(error == .malformed(code: 106, offset: 4))
        #expect(FieldPattern.text(ofError: 106) == "missing terminating ] for character class")
    }

    @Test func `a long value matches a simple pattern`() throws {
        let value = String(repeating: "a", count: 1_000_000)
        #expect(try matches("[a-z]+", value))
        #expect(try matches(".*", value))
    }

    @Test func `S8: a longer value allows fewer steps of a pattern, because each step may read the whole value`() throws
    {
        let pattern = "(?:a(?!.*+x))*"
        #expect(try matches(pattern, String(repeating: "a", count: 1_000)))
        #expect(try !matches(pattern, String(repeating: "a", count: 30_000)))
    }

    @Test func `S1: no pattern makes its classes match more than ASCII`() {
        #expect(throws: FieldPattern.CompileError.self) { try FieldPattern("(*UCP)\\d+") }
    }

    @Test func `a pattern cannot raise the bound on its own work`() throws {
        let value = String(repeating: "a", count: 64) + "b"
        #expect(try !matches("(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000)(a+)+$", value))
    }
}
