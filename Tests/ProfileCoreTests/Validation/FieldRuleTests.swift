import ProfileCore
import Testing
import Watchdog

/// The rules of fields that a schema file defines (S6).
@Suite(.watched) struct FieldRuleTests {
    private func validator(_ field: String) throws -> ProfileValidator { ProfileValidator(try .with(field)) }

    private func stored(_ value: String, _ validator: ProfileValidator) throws -> String? {
        try validator.storedForm(of: value, in: .named("x"))
    }

    @Test(arguments: [
        ("e\u{301}", 1), ("🇸🇬", 1), ("🇸🇬🇩🇪", 2), ("👩‍👩‍👧‍👦", 1), ("👩🏽", 1), ("각", 1), ("a\r\nb", 3),
        ("\u{1100}\u{1161}\u{11A8}", 1), ("éé", 2),
        ("a\u{300}\u{301}\u{302}", 1),
    ])
    func `S5: length is counted in characters as people see them`(text: String, count: Int) throws {
        let name = try FieldName.named("x")
        func codes(least: Int, most: Int, _ extensions: String = "{}") throws -> [ValidationIssue.Code] {
            let field =
                #"{"name":"x","constraints":{"minLength":\#(least),"maxLength":\#(most)},"profiles":\#(extensions)}"#
            return try validator(field).issues(of: text, in: name, on: ProfileSchema.day(2026, 1, 15)).map(\.code)
        }
        #expect(try codes(least: count, most: count).isEmpty)
        #expect(try codes(least: count + 1, most: count + 1) == [.tooShort])
        if count > 1 { #expect(try codes(least: 0, most: count - 1) == [.tooLong]) }
        if text.contains("\r\n") {
            #expect(try codes(least: count, most: count, #"{"characters":["ascii-letters","\r\n"]}"#).isEmpty)
        }
    }

    @Test func `S5: combining marks add no characters, but their bytes are limited`() throws {
        let short = try validator(#"{"name":"x","constraints":{"maxLength":10}}"#)
        let marks = String(repeating: "\u{301}", count: 600)
        #expect(try short.codes("a" + String(marks.unicodeScalars.prefix(511)), in: "x").isEmpty)
        #expect(try short.codes("a" + String(marks.unicodeScalars.prefix(512)), in: "x") == [.tooLong])
        let long = try validator(#"{"name":"x","constraints":{"maxLength":1000}}"#)
        #expect(try long.codes(String(repeating: "😀", count: 1_000), in: "x").isEmpty)
        #expect(try long.codes("a" + String(repeating: "\u{301}", count: 2_000), in: "x") == [.tooLong])
    }

    @Test func `S5: a value of too many bytes names bytes, unless it has too many characters`() throws {
        func problems(_ value: String, _ constraints: String) throws -> [ValidationIssue.Problem] {
            try validator(#"{"name":"x"\#(constraints)}"#)
                .issues(of: value, in: .named("x"), on: ProfileSchema.day(2026, 1, 15)).map(\.problem)
        }
        let marks = String(repeating: "\u{301}", count: 600)
        let most = #","constraints":{"maxLength":10}"#
        #expect(try problems("123456789a" + marks, most) == [.tooManyBytes(maximum: 1_024)])
        #expect(try problems("1234567890a" + marks, most) == [.tooLong(maximum: 10)])
        #expect(try problems(String(repeating: "a", count: 1_048_577), "") == [.tooManyBytes(maximum: 1_048_576)])
        #expect(
            try problems(String(repeating: "1", count: 1_025), ",\"profiles\":{\"mask\":\"####-####\"}")
                == [.tooLong(maximum: 8)])
    }

    @Test(arguments: [#"{"name":"x"}"#, #"{"name":"x","profiles":{"characters":["ascii-letters"]}}"#])
    func `S5: a field without maxLength takes 1 MiB`(field: String) throws {
        let any = try validator(field)
        #expect(try any.codes(String(repeating: "a", count: 1_048_576), in: "x").isEmpty)
        #expect(try any.codes(String(repeating: "a", count: 1_048_577), in: "x") == [.tooLong])
    }

    @Test(arguments: ["\u{0}", "\u{1}", "\u{B}", "\u{C}", "\u{1B}", "\u{7F}", "\u{80}", "\u{85}", "\u{9F}"])
    func `S6: a string takes no control characters`(control: String) throws {
        #expect(try validator(#"{"name":"x"}"#).codes("a\(control)b", in: "x") == [.badCharacter])
        #expect(try validator(#"{"name":"x"}"#).codes("é\(control)b", in: "x") == [.badCharacter])
    }

    @Test(arguments: [
        "a\tb", "a\nb", "a\r\nb", "é\tb\rc", "😀", "a\u{AD}b", "\u{202E}x", "a\u{2028}b", "a\u{200D}b", "\u{E000}",
    ])
    func `S6: a string takes any other Unicode`(text: String) throws {
        let any = try validator(#"{"name":"x"}"#)
        #expect(try any.codes(text, in: "x").isEmpty)
        #expect(try stored(text, any).map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(arguments: [
        ("ascii-letters", "azAZ", "é0 -"), ("ascii-digits", "0189", "a٣ "), ("letters", "azAZéßжあ한\u{301}", "0٣ -_"),
        ("digits", "09٣५", "aé Ⅷ²"), ("spaces", "", "a\t\u{A0}"), ("special", "!/:@[`{~", "a0 é£"),
        ("-'é", "-'é", "a e"),
    ])
    func `S6: a class of characters takes its own and no others`(name: String, members: String, others: String) throws {
        let one = try validator(#"{"name":"x","profiles":{"characters":["\#(name)"]}}"#)
        for member in members.unicodeScalars {
            #expect(try one.codes(String(repeating: String(member), count: 2), in: "x").isEmpty, "\(member)")
        }
        for other in others.unicodeScalars where !other.properties.isWhitespace {
            #expect(try one.codes(String(other), in: "x") == [.badCharacter], "\(other)")
        }
        let both = try validator(#"{"name":"x","profiles":{"characters":["\#(name)","ascii-letters","ascii-digits"]}}"#)
        for other in others.unicodeScalars where other.properties.isWhitespace {
            #expect(
                try both.codes("a\(other)b", in: "x").contains(.badCharacter) == (name != "spaces" || other != " "),
                "\(other)")
        }
    }

    @Test func `S6: spaces stand one at a time, beyond ASCII too`() throws {
        let words = try validator(#"{"name":"x","profiles":{"characters":["letters","spaces"]}}"#)
        #expect(try words.codes("één twee", in: "x").isEmpty)
        #expect(try words.codes("één  twee", in: "x") == [.badFormat])
    }

    @Test(
        arguments: [
            ("uppercase", "aA", "aÄ1!", .missingUppercase), ("lowercase", "Aa", "Aä1!", .missingLowercase),
            ("digit", "a1", "aA!٣", .missingDigit),
            ("special", "a~", "aA1é ", .missingSpecial),
        ] as [(String, String, String, ValidationIssue.Code)])
    func `S6: a requirement asks for one ASCII character of its kind`(
        name: String, good: String, bad: String, code: ValidationIssue.Code
    ) throws {
        let requiring = try validator(#"{"name":"x","profiles":{"requires":["\#(name)"]}}"#)
        #expect(try requiring.codes(good, in: "x").isEmpty)
        #expect(try requiring.codes(bad, in: "x") == [code])
    }

    @Test(arguments: [
        ("1", "1"), ("+1", "1"), ("007", "7"), ("-0", "0"), ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775807", "9223372036854775807"), (" 5 ", "5"),
    ])
    func `S6: an integer is stored in its shortest form`(typed: String, text: String) throws {
        #expect(try stored(typed, validator(#"{"name":"x","type":"integer"}"#)) == text)
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1.0", "1e2", "٣", "1 0", "0x1", "-", "true"])
    func `S6: what is no integer of 64 bits is bad_format`(typed: String) throws {
        #expect(try validator(#"{"name":"x","type":"integer"}"#).codes(typed, in: "x") == [.badFormat])
    }

    @Test func `S6: bounds are inclusive`() throws {
        let integer = try validator(#"{"name":"x","type":"integer","constraints":{"minimum":-2,"maximum":3}}"#)
        #expect(
            try ["-3", "-2", "3", "4"].map { try integer.codes($0, in: "x") } == [[.outOfRange], [], [], [.outOfRange]])
        let number = try validator(#"{"name":"x","type":"number","constraints":{"minimum":-0.5,"maximum":1e2}}"#)
        #expect(
            try ["-0.51", "-0.5", "-5e-1", "100", "100.00000001"].map { try number.codes($0, in: "x") }
                == [[.outOfRange], [], [], [], [.outOfRange]])
        let date = try validator(
            #"{"name":"x","type":"date","constraints":{"minimum":"2000-02-29","maximum":"today"}}"#)
        #expect(
            try ["2000-02-28", "2000-02-29", "2026-01-15", "2026-01-16"].map { try date.codes($0, in: "x") }
                == [[.dateOutOfRange], [], [], [.dateOutOfRange]])
        let future = try validator(#"{"name":"x","type":"date","constraints":{"minimum":"today"}}"#)
        #expect(
            try ["2026-01-14", "2026-01-15", "9999-12-31"].map { try future.codes($0, in: "x") } == [
                [.dateOutOfRange], [], [],
            ])
    }

    @Test(
        arguments: [
            ("true", "true"), ("True", "true"), ("TRUE", "true"), ("1", "true"), ("false", "false"), ("False", "false"),
            ("FALSE", "false"),
            ("0", "false"), (" 1 ", "true"), ("tRUE", nil), ("yes", nil), ("2", nil), ("true\u{0}", nil), ("1.0", nil),
        ] as [(String, String?)])
    func `S6: a boolean is written as Table Schema has it`(typed: String, text: String?) throws {
        let boolean = try validator(#"{"name":"x","type":"boolean"}"#)
        #expect(try stored(typed, boolean) == text)
        #expect(try boolean.codes(typed, in: "x") == (text == nil ? [.badFormat] : []))
    }

    @Test func `S6: an enum lists stored forms, byte for byte`() throws {
        let listed = try validator(#"{"name":"x","constraints":{"enum":["é","K"]}}"#)
        #expect(try listed.codes("\u{E9}", in: "x").isEmpty)
        #expect(try listed.codes("e\u{301}", in: "x") == [.notAllowed])
        #expect(try listed.codes("\u{212A}", in: "x") == [.notAllowed])
        #expect(try listed.codes("k", in: "x") == [.notAllowed])
        #expect(
            try validator(#"{"name":"x","type":"integer","constraints":{"enum":[7]}}"#).codes("+07", in: "x").isEmpty)
        let dates = try validator(
            #"{"name":"x","type":"date","constraints":{"enum":["01.02.2003"],"minimum":"today"},"profiles":{"formats":["dd.MM.yyyy"]}}"#
        )
        #expect(try dates.codes("01.02.2003", in: "x") == [.dateOutOfRange])
        #expect(try stored("01.02.2003", dates) == "2003-02-01")
    }

    @Test func `S6: a pattern matches the whole stored form`() throws {
        let phone = try validator(
            #"{"name":"x","constraints":{"pattern":"\\(9\\d{3}-.*"},"profiles":{"mask":"(####-####)"}}"#)
        #expect(try phone.codes("98761241", in: "x").isEmpty)
        #expect(try phone.codes("78761241", in: "x") == [.patternMismatch])
        let both = try validator(#"{"name":"x","constraints":{"pattern":"[a-z]+","maxLength":3}}"#)
        #expect(try both.codes("ABCD", in: "x") == [.tooLong, .patternMismatch])
        #expect(try both.codes("abc\nd", in: "x") == [.tooLong, .patternMismatch])
        #expect(try both.codes("ab\n", in: "x").isEmpty)
    }

    @Test func `S8: a pathological pattern ends with an issue`() throws {
        let slow = try validator(#"{"name":"x","constraints":{"pattern":"(a+)+$"}}"#)
        #expect(try slow.codes(String(repeating: "a", count: 5_000) + "!", in: "x") == [.patternMismatch])
    }

    @Test func `a value to look up by has the form in which it would be stored`() throws {
        let standard = ProfileValidator(.standard)
        #expect(standard.storedForm(of: "aK8oio", in: .password) == nil)
        #expect(standard.storedForm(of: " ", in: .username) == nil)
        #expect(standard.storedForm(of: "a b", in: .username) == nil)
        #expect(try standard.storedForm(of: "x", in: .named("email")) == nil)
        #expect(try standard.storedForm(of: "19980230", in: .named("birthday")) == nil)
        #expect(try standard.storedForm(of: "29991231", in: .named("birthday")) == "2999-12-31")
        let future = try validator(#"{"name":"x","type":"date","constraints":{"minimum":"today"}}"#)
        #expect(try stored("2026-01-14", future) == "2026-01-14")
    }

    @Test func `a field can be judged that the schema does not have`() throws {
        #expect(try ProfileValidator(.standard).codes("x", in: "email") == [.unknownField])
    }
}
