import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct ValidationIssueTests {
    /// A schema file's field, and a value that has an issue of the code.
    private static let examples: [ValidationIssue.Code: (field: String, value: String)] = [
        .required: (#"{"name":"x","constraints":{"required":true}}"#, ""),
        .tooShort: (#"{"name":"x","constraints":{"minLength":9}}"#, "zorkmid"),
        .tooLong: (#"{"name":"x","constraints":{"maxLength":3}}"#, "zorkmid"),
        .badCharacter: (#"{"name":"x","profiles":{"characters":["ascii-digits"]}}"#, "zorkmid"),
        .missingUppercase: (#"{"name":"x","profiles":{"requires":["uppercase"]}}"#, "zorkmid"),
        .missingLowercase: (#"{"name":"x","profiles":{"requires":["lowercase"]}}"#, "ZORKMID"),
        .missingDigit: (#"{"name":"x","profiles":{"requires":["digit"]}}"#, "zorkmid"),
        .missingSpecial: (#"{"name":"x","profiles":{"requires":["special"]}}"#, "zorkmid"),
        .badFormat: (#"{"name":"x","profiles":{"mask":"+##"}}"#, "zorkmid"),
        .badDate: (#"{"name":"x","type":"date"}"#, "1998-02-30"),
        .dateOutOfRange: (#"{"name":"x","type":"date","constraints":{"maximum":"1990-01-01"}}"#, "1998-02-20"),
        .notAllowed: (#"{"name":"x","constraints":{"enum":["a","b"]}}"#, "zorkmid"),
        .patternMismatch: (#"{"name":"x","constraints":{"pattern":"[a-c]+"}}"#, "zorkmid"),
        .outOfRange: (#"{"name":"x","type":"integer","constraints":{"minimum":1}}"#, "-41739"),
        .unsupportedHash: (#"{"name":"password","profiles":{"secret":true}}"#, "zorkmid"),
        .unknownField: (#"{"name":"other"}"#, "zorkmid"),
        .badEncoding: (#"{"name":"password","profiles":{"secret":true}}"#, "\u{FFFD}zorkmid"),
        .badRow: (#"{"name":"password","profiles":{"secret":true}}"#, "zorkmid"),
    ]

    /// Only the store reports duplicates, and only the reader of a file reports an unclosed quote.
    private static let madeElsewhere: [ValidationIssue.Code] = [.duplicate, .unclosedQuote]

    @Test(arguments: ValidationIssue.Code.allCases.filter { !madeElsewhere.contains($0) })
    func `S4: every code is reachable, and its message holds no value`(code: ValidationIssue.Code) throws {
        let example = try #require(Self.examples[code], "no example for \(code)")
        let schema = try ProfileSchema.with(example.field)
        var draft = ProfileDraft(["username": "sk"])
        switch code {
        case .unsupportedHash: draft.passwordHash = example.value
        case .badEncoding: draft.password = Secret((Array("zorkmid".utf8) + [0xC3]).span)
        case .badRow:
            draft.password = Secret(example.value)
            draft.passwordHash = example.value
        default: draft["x"] = example.value
        }
        let issues = try ProfileValidator(schema).issues(of: draft)
        #expect(issues.map(\.code) == [code])
        let message = schema.message(for: try #require(issues.first))
        #expect(!message.isEmpty)
        #expect(example.value.isEmpty || !message.contains(example.value), "\(message)")
    }

    @Test func `S4: the name of each code is stable`() {
        #expect(
            ValidationIssue.Code.allCases.map(\.rawValue) == [
                "required", "too_short", "too_long", "bad_character", "missing_uppercase", "missing_lowercase",
                "missing_digit", "missing_special", "bad_format", "bad_date", "date_out_of_range", "not_allowed",
                "pattern_mismatch", "out_of_range", "duplicate", "unsupported_hash", "unknown_field", "bad_row",
                "bad_encoding", "unclosed_quote",
            ])
    }

    @Test(arguments: [
        ("aaZorkmid", "a"), ("Zorkmid\u{7F}", ""), ("zorkmid" + String(repeating: "z", count: 2_000), ""),
        ("zork mid7", ""),
    ])
    func `S4: no text about a secret holds its value`(secret: String, unused: String) throws {
        for text in [secret, String(secret.prefix(2))] {
            var draft = ProfileDraft(validStandardValues)
            draft["password"] = text
            let issues = try ProfileValidator(.standard).issues(of: draft)
            #expect(!issues.isEmpty)
            for issue in issues {
                #expect(!ProfileSchema.standard.message(for: issue).contains(text))
                #expect(!String(reflecting: issue).contains("ork"))
            }
            #expect(!String(reflecting: draft).contains("ork"))
        }
    }

    @Test(
        arguments: [
            (.required, "Phone is required"), (.tooShort(minimum: 1), "Phone should have at least 1 character"),
            (.tooShort(minimum: 2), "Phone should have at least 2 characters"),
            (.tooLong(maximum: 9), "Phone should have at most 9 characters"),
            (.tooManyBytes(maximum: 1_024), "Phone should have at most 1024 bytes"),
            (
                .badCharacter(allowed: [.asciiLetters, .spaces, .list("-'")]),
                "Phone may hold letters A–Z, a–z, single spaces and the signs - ' only"
            ),
            (.badCharacter(allowed: nil), "Phone may not hold control characters"),
            (.missing(.uppercase), "Phone should have at least one uppercase letter"),
            (.badFormat(expected: .mask(.standardPhone)), "Phone should look like ####-####"),
            (.badFormat(expected: .dates([.dotted, .iso])), "Phone should be written as yyyy.MM.dd or yyyy-MM-dd"),
            (
                .badFormat(expected: .boolean(FieldRules.defaultTrueValues, FieldRules.defaultFalseValues)),
                "Phone should be true or false"
            ),
            (.badFormat(expected: .boolean(["ja", "j"], ["nein"])), "Phone should be ja, j or nein"),
            (.badFormat(expected: .integer(.plain)), "Phone should be a whole number"),
            (
                .badFormat(expected: .number(NumberFormat(decimal: ",", group: "."))),
                "Phone should be a number with \",\" before the fraction, with \".\" or nothing between "
                    + "groups of digits"
            ),
            (
                .badFormat(expected: .integer(NumberFormat(isBare: false))),
                "Phone should be a whole number with or without other characters around it, and \"-\" before it "
                    + "if it is negative"
            ),
            (
                .badFormat(expected: .dates(["%m/%d/%Y", "dd.MM.yyyy"].compactMap { DateFormat($0) })),
                "Phone should be written as dd.MM.yyyy or like 12/31/2020"
            ),
            (
                .badFormat(
                    expected: .dateTimes(["%d %b %Y %I:%M %p"].compactMap { DateFormat($0, of: .dateTime) })),
                "Phone should be written like 31 Dec 2020 11:59 PM"
            ),
            (.badFormat(expected: .string(.uri)), "Phone should be a URI"),
            (.badFormat(expected: .times([])), "Phone should be a time, written as hh:mm:ss"),
            (.badFormat(expected: .year), "Phone should be a year of four digits"),
            (.dateOutOfRange(minimum: nil, maximum: .today), "Phone should be at most today"),
            (.outOfRange(minimum: .integer(1), maximum: .number(2.5)), "Phone should be from 1 to 2.5"),
            (.notAllowed(allowed: ["a", "b", "c"]), "Phone should be a, b or c"),
            (.notAllowed(allowed: (0..<8).map(String.init)), "Phone should be 0, 1, 2, 3, 4, 5, 6 or 7"),
            (.notAllowed(allowed: (0..<9).map(String.init)), "Phone should be one of the 9 allowed values"),
            (.duplicate(line: 7), "Phone is the same as in line 7"), (.duplicate(line: nil), "Phone is taken"),
            (.unsupportedHash(.unknownScheme), "Phone's hash is not supported: its scheme is not known"),
            (
                .unsupportedHash(.malformed(.sha512crypt)),
                "Phone's hash is not supported: it is malformed as sha512-crypt"
            ),
            (
                .unsupportedHash(.outOfBounds(.memoryKiB, value: 4_194_304, allowed: 8...1_048_576)),
                "Phone's hash is not supported: its memory_kib is 4194304, where 8 to 1048576 are allowed"
            ),
            (.badEncoding, "Phone holds bytes that are not UTF-8"),
        ] as [(ValidationIssue.Problem, String)])
    func `S4: the message of an issue describes its problem`(problem: ValidationIssue.Problem, text: String) throws {
        let issue = ValidationIssue(try .named("phone"), problem)
        #expect(issue.message(label: "Phone") == text)
        // The field has a mask of digits, so the schema's message says digits in place of characters.
        let lengths: Set<ValidationIssue.Code> = [.tooShort, .tooLong]
        let digits = text.replacing("character", with: "digit")
        #expect(ProfileSchema.standard.message(for: issue) == (lengths.contains(issue.code) ? digits : text))
    }

    @Test func `S6: a schema's own message stands in for ours, for its code alone`() throws {
        let schema = try ProfileSchema.with(
            #"{"name":"x","constraints":{"minLength":3},"profiles":{"message":{"too_short":"Write more"}}}"#)
        #expect(schema.message(for: ValidationIssue(schema.fields[1].name, .tooShort(minimum: 3))) == "Write more")
        #expect(schema.message(for: ValidationIssue(schema.fields[1].name, .required)) == "X is required")
    }
}
