import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct StandardFieldTests {
    let standard = ProfileValidator(.standard)

    @Test(arguments: ["username", "phone", "postal_code", "birthday", "password", "address"])
    func `S1: text that is not ASCII is refused in every field`(field: String) throws {
        for value in ["マーン224s한글djfタklsdf", "٣٣٣٣٣", "skböard", "sk\u{0}board", "１２３４５", "a\u{301}b1A"] {
            #expect(try !standard.codes(value, in: field).isEmpty, "\(value)")
        }
    }

    @Test(
        arguments: [
            ("username", "マーン224s한글djfタklsdf", [.tooLong, .badCharacter]), ("username", "sk\nboard", [.badCharacter]),
            ("username", "sk board", [.badCharacter]), ("username", "٣٣٣٣٣", [.badCharacter]),
            ("username", "sk_board", [.badCharacter]),
            ("username", "K\u{212A}", [.badCharacter]), ("username", "a", [.tooShort]),
            ("username", "abcdefghijk", [.tooLong]),
            ("username", "", [.required]), ("username", "skboard", []), ("username", "ab", []),
            ("username", "abcdefghij", []),
            ("postal_code", "٣٣٣٣٣", [.badCharacter]), ("postal_code", "12 45", [.badCharacter]),
            ("postal_code", "12\n45", [.badCharacter]),
            ("postal_code", "1234", [.tooShort]), ("postal_code", "123456", [.tooLong]),
            ("postal_code", "Lorem", [.badCharacter]),
            ("postal_code", "13456", []), ("postal_code", "89761", []), ("postal_code", "", []),
            ("postal_code", "-12a4c6", [.tooLong, .badCharacter]),
            ("address", "12  Yishun", [.badFormat]), ("address", "12 Yishun, 4", [.badCharacter]),
            ("address", "12\nYishun", [.badCharacter]),
            ("address", "12\u{A0}Yishun", [.badCharacter]), ("address", "x", []),
            ("address", "12 Yishun Ring Road", []),
            ("address", "a  b,", [.badCharacter, .badFormat]), ("address", String(repeating: "a", count: 70), []),
            ("address", String(repeating: "a", count: 71), [.tooLong]),
            ("phone", "78761241", []), ("phone", "7876-1241", []), ("phone", "7876124", [.tooShort]),
            ("phone", "787612411", [.tooLong]),
            ("phone", "7876 1241", [.badFormat]), ("phone", "787-61241", [.badFormat]),
            ("phone", "٧٨٧٦-١٢٤١", [.badFormat]),
            ("phone", "7876-124a", [.badFormat]), ("phone", "7876\n1241", [.badFormat]), ("phone", "", [.required]),
            ("birthday", "19980115", []), ("birthday", "1998.01.15", []), ("birthday", "1998-01-15", []),
            ("birthday", "", []),
            ("birthday", "1998.01-15", [.badFormat]), ("birthday", "1998/01/15", [.badFormat]),
            ("birthday", "15.01.1998", [.badFormat]),
            ("birthday", "980115", [.badFormat]), ("birthday", "1998-1-15", [.badFormat]),
            ("birthday", "١٩٩٨٠١١٥", [.badFormat]),
            ("birthday", "1998-02-29", [.badDate]), ("birthday", "19000229", [.badDate]), ("birthday", "20000229", []),
            ("birthday", "18991231", [.dateOutOfRange]), ("birthday", "19000101", []), ("birthday", "20260115", []),
            ("birthday", "20260116", [.dateOutOfRange]),
            ("password", "aK8oio", []), ("password", "poY7trl", []),
            ("password", "a", [.tooShort, .missingUppercase, .missingDigit]),
            ("password", "po", [.tooShort, .missingUppercase, .missingDigit]),
            ("password", "poytrl", [.missingUppercase, .missingDigit]),
            ("password", "abjkop", [.missingUppercase, .missingDigit]), ("password", "A1 b", [.badCharacter]),
            ("password", "A1\u{7F}b", [.badCharacter]), ("password", "!~A1", []), ("password", "", [.required]),
            ("password", "Aa٣", [.missingDigit, .badCharacter]),
            ("password", "A1" + String(repeating: "x", count: 62), []),
            ("password", "A1" + String(repeating: "x", count: 63), [.tooLong]),
        ] as [(String, String, [ValidationIssue.Code])])
    func `S1, F3, F4, L1: each standard field takes what its table says`(
        field: String, value: String, codes: [ValidationIssue.Code]
    ) throws {
        #expect(Set(try standard.codes(value, in: field)) == Set(codes))
        #expect(try standard.codes(value, in: field).count == codes.count)
    }

    @Test(arguments: [
        ("username", "skboard", "skboard"), ("username", "SkBoard", "SkBoard"), ("phone", "78761241", "7876-1241"),
        ("phone", "7876-1241", "7876-1241"), ("address", "12 Yishun Ring Road", "12 Yishun Ring Road"),
        ("postal_code", "01345", "01345"),
        ("birthday", "19980115", "1998-01-15"), ("birthday", "1998.01.15", "1998-01-15"),
        ("birthday", "1998-01-15", "1998-01-15"),
    ])
    func `each standard field is stored in one form`(field: String, typed: String, stored: String) throws {
        #expect(try standard.stored(typed, in: field, with: validStandardValues) == stored)
        #expect(try standard.storedForm(of: typed, in: .named(field)) == stored)
    }

    @Test func `a birthday is shown with dots`() throws {
        let rules = try #require(ProfileSchema.standard[.named("birthday")])
        #expect(rules.typedForm(of: "1998-01-15") == "1998-01-15")
        let dotted = try ProfileSchema.with(#"{"name":"day","type":"date","profiles":{"formats":["yyyy.MM.dd"]}}"#)
        #expect(dotted.fields[1].typedForm(of: "1998-01-15") == "1998.01.15")
        #expect(dotted.fields[1].typedForm(of: "nonsense") == "nonsense")
    }

    @Test func `the caller decides which day is today`() throws {
        for (today, isTaken) in [((2020, 2, 29), true), ((2020, 2, 28), false), ((1899, 1, 1), false)] {
            let day = try ProfileSchema.day(today.0, today.1, today.2)
            let issues = try standard.issues(of: "2020-02-29", in: .named("birthday"), on: day)
            #expect(issues.isEmpty == isTaken, "\(day)")
        }
    }

    @Test(arguments: [" ", "\t", "\n", "\u{0B}", "\u{0C}", "\r", "\r\n \t"])
    func `S2: ASCII white space around a value is trimmed`(space: String) throws {
        #expect(try standard.stored(space + "skboard" + space, in: "username", with: validStandardValues) == "skboard")
        #expect(
            try standard.stored(space + "19980115" + space, in: "birthday", with: validStandardValues) == "1998-01-15")
        #expect(try standard.codes("sk" + space + "bo", in: "username") == [.badCharacter])
        #expect(try standard.codes(space, in: "phone") == [.required])
        #expect(try standard.codes(space, in: "postal_code").isEmpty)
        #expect(try standard.stored(space, in: "postal_code", with: validStandardValues) == nil)
        #expect(try standard.stored("", in: "postal_code", with: validStandardValues) == nil)
    }

    @Test(arguments: ["\u{A0}", "\u{3000}", "\u{85}", "\u{200B}", "\u{FEFF}", "\u{2028}", "\u{0}", "\u{1C}"])
    func `S2: no other white space is trimmed`(space: String) throws {
        #expect(try standard.codes(space + "skboard", in: "username") == [.badCharacter])
        #expect(try standard.codes("skboard" + space, in: "username") == [.badCharacter])
        #expect(try standard.codes(space, in: "postal_code").contains(.badCharacter))
    }

    @Test(arguments: [" ", "\t", "\n", "\u{0B}", "\u{0C}", "\r"])
    func `S2: a secret is never trimmed`(space: String) throws {
        #expect(try standard.codes(space + "aK8oio", in: "password") == [.badCharacter])
        #expect(try standard.codes("aK8oio" + space, in: "password") == [.badCharacter])
        #expect(try !standard.codes(space, in: "password").contains(.required))
        let anyText = ProfileValidator(try .with(#"{"name":"password","profiles":{"secret":true}}"#))
        var draft = ProfileDraft(["username": "sk"])
        draft.password = Secret(" \tx\n ")
        let today = try ProfileSchema.day(2026, 1, 15)
        if space == "\t" {
            let kept = try anyText.validate(draft, on: today).rows.passwords[0]
            #expect(kept == Secret(" \tx\n "))
        }
    }

    @Test func `S3: every issue of every field is reported, in field order`() throws {
        let draft = ProfileDraft([
            "birthday": "1998-02-30", "address": "", "username": "ソ", "postal_code": "12a", "password": "a", "zip": "1",
            "alias": "2",
        ])
        let issues = try standard.issues(of: draft)
        let found = issues.map { "\($0.field?.text ?? "-") \($0.code.rawValue)" }
        #expect(
            found == [
                "username too_short", "username bad_character", "password too_short", "password missing_uppercase",
                "password missing_digit", "phone required", "address required", "postal_code too_short",
                "postal_code bad_character", "birthday bad_date", "- unknown_field", "- unknown_field",
            ])
        #expect(issues.suffix(2).map(\.problem) == [.unknownField("alias"), .unknownField("zip")])
    }

    @Test func `S3: a field that is required and empty has no other issue`() throws {
        let issues = try standard.issues(of: ProfileDraft())
        #expect(issues.map(\.code) == [.required, .required, .required, .required])
        #expect(issues.map(\.field?.text) == ["username", "password", "phone", "address"])
        #expect(ProfileSchema.standard.message(for: issues[2]) == "Phone is required")
    }

    @Test func `a draft may have a hash in place of the password, but not both`() throws {
        let hash = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaJObGRdescudvJCs"
        var draft = ProfileDraft(validStandardValues)
        draft.password = nil
        draft.passwordHash = " \(hash)\n"
        #expect(try standard.issues(of: draft).isEmpty)
        let profile = try standard.validate(draft, on: ProfileSchema.day(2026, 1, 15))
        #expect(profile.rows.text(row: 0, field: 1) == hash)
        #expect(profile[.password] == nil)
        draft["password"] = "aK8oio"
        #expect(try standard.issues(of: draft) == [ValidationIssue(nil, .badRow(.passwordAndHash))])
        draft = ProfileDraft(validStandardValues)
        draft["password"] = nil
        draft["password_hash"] = "plain"
        #expect(try standard.issues(of: draft) == [ValidationIssue(.password, .unsupportedHash(.unknownScheme))])
        draft["password_hash"] = " "
        #expect(try standard.issues(of: draft) == [ValidationIssue(.password, .required)])
        #expect(try standard.issues(of: draft, hasPassword: true).isEmpty)
    }

    @Test func `a schema without a password takes neither one nor a hash`() throws {
        let validator = ProfileValidator(try .with(#"{"name":"email"}"#))
        var draft = ProfileDraft(["username": "sk", "password": "aK8oio"])
        draft.passwordHash = "x"
        #expect(
            try validator.issues(of: draft) == [
                ValidationIssue(nil, .unknownField("password")), ValidationIssue(nil, .unknownField("password_hash")),
            ])
    }
}
