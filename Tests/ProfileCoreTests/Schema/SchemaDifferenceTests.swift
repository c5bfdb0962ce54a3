import ProfileCore
import Testing
import Watchdog

/// The changes that are reported for two versions of a field's rules.
@Suite(.watched) struct SchemaDifferenceTests {
    private static func field(_ rules: String) throws -> FieldRules {
        let schema = try ProfileSchema.with(#"{"name":"x"\#(rules.isEmpty ? "" : "," + rules)}"#)
        return try #require(schema.fields.last)
    }

    @Test(
        "R6: a change has both values, and whether it is stricter; the other way round it is looser",
        arguments: [
            ("", #""constraints":{"required":true}"#, "required", "false", "true"),
            ("", #""constraints":{"unique":true}"#, "unique", "false", "true"),
            ("", #""constraints":{"minLength":2}"#, "minLength", nil, "2"),
            (#""constraints":{"minLength":2}"#, #""constraints":{"minLength":3}"#, "minLength", "2", "3"),
            (#""constraints":{"maxLength":9}"#, #""constraints":{"maxLength":8}"#, "maxLength", "9", "8"),
            ("", #""constraints":{"maxLength":8}"#, "maxLength", nil, "8"),
            (
                #""type":"integer","constraints":{"minimum":1}"#, #""type":"integer","constraints":{"minimum":2}"#,
                "minimum", "1", "2"
            ),
            (
                #""type":"number","constraints":{"maximum":2.5}"#, #""type":"number","constraints":{"maximum":2}"#,
                "maximum", "2.5", "2"
            ),
            (
                #""type":"date","constraints":{"maximum":"2030-01-01"}"#,
                #""type":"date","constraints":{"maximum":"2020-01-01"}"#, "maximum", "2030-01-01", "2020-01-01"
            ),
            ("", #""constraints":{"pattern":"a+"}"#, "pattern", nil, "a+"),
            (#""constraints":{"enum":["a","b"]}"#, #""constraints":{"enum":["b"]}"#, "enum", "a, b", "b"),
            ("", #""constraints":{"enum":["b"]}"#, "enum", nil, "b"),
            (
                #""profiles":{"characters":["letters","digits"]}"#, #""profiles":{"characters":["digits"]}"#,
                "characters", "letters, digits", "digits"
            ),
            ("", #""profiles":{"characters":["digits"]}"#, "characters", nil, "digits"),
            ("", #""profiles":{"requires":["digit"]}"#, "requires", nil, "digit"),
            ("", ##""profiles":{"mask":"#-#"}"##, "mask", nil, "#-#"),
            (
                #""type":"time","constraints":{"minimum":"07:00:00"}"#,
                #""type":"time","constraints":{"minimum":"08:00:00"}"#, "minimum", "07:00:00", "08:00:00"
            ),
            (
                #""type":"datetime","constraints":{"maximum":"2030-01-01T00:00:00"}"#,
                #""type":"datetime","constraints":{"maximum":"2020-01-01T00:00:00"}"#, "maximum",
                "2030-01-01T00:00:00", "2020-01-01T00:00:00"
            ),
        ] as [(String, String, String, String?, String?)])
    func stricter(old: String, new: String, rule: String, before: String?, after: String?) throws {
        let (old, new) = (try Self.field(old), try Self.field(new))
        let change = try #require(new.changes(from: old).first { $0.rule == rule })
        #expect(change == RuleChange(rule: rule, before: before, after: after, effect: .stricter))
        let back = try #require(old.changes(from: new).first { $0.rule == rule })
        #expect(back == RuleChange(rule: rule, before: after, after: before, effect: .looser))
    }

    @Test(
        "R6: the effect of a change is other if it may be stricter and looser, and none if it has none",
        arguments: [
            (#""constraints":{"pattern":"a"}"#, #""constraints":{"pattern":"b"}"#, "pattern", RuleChange.Effect.other),
            ("", #""type":"integer""#, "type", .other),
            (#""constraints":{"enum":["a","b"]}"#, #""constraints":{"enum":["b","c"]}"#, "enum", .other),
            (#""constraints":{"enum":["a","b"]}"#, #""constraints":{"enum":["b","a"]}"#, "enum", .none),
            (##""profiles":{"mask":"#"}"##, ##""profiles":{"mask":"#-#"}"##, "mask", .other),
            (
                #""type":"date","constraints":{"maximum":"2030-01-01"}"#,
                #""type":"date","constraints":{"maximum":"today"}"#, "maximum", .other
            ),
            ("", #""title":"Ex""#, "title", .none), ("", #""profiles":{"contentType":"tel"}"#, "contentType", .none),
            ("", #""profiles":{"message":{"required":"Why?"}}"#, "message", .none),
        ])
    func other(old: String, new: String, rule: String, effect: RuleChange.Effect) throws {
        let (old, new) = (try Self.field(old), try Self.field(new))
        let change = try #require(new.changes(from: old).first { $0.rule == rule })
        #expect(change.effect == effect)
        #expect(old.changes(from: old) == [])
    }

    @Test(
        "R6: a change of notation makes no stored value invalid, and standard notations have a name",
        arguments: [
            (
                #""type":"date","profiles":{"formats":["yyyy-MM-dd","dd.MM.yyyy"]}"#, #""type":"date""#, "formats",
                "yyyy-MM-dd, dd.MM.yyyy", "yyyy-MM-dd"
            ),
            (
                #""type":"datetime""#, #""type":"datetime","format":"%d/%m/%Y %H:%M""#, "formats", "ISO 8601",
                "%d/%m/%Y %H:%M"
            ),
            (#""type":"number""#, #""type":"number","decimalChar":",""#, "decimalChar", ".", ","),
            (#""type":"integer""#, #""type":"integer","groupChar":".""#, "groupChar", nil, "."),
            (#""type":"integer""#, #""type":"integer","bareNumber":false"#, "bareNumber", "true", "false"),
            (#""type":"boolean""#, #""type":"boolean","trueValues":["ja"]"#, "trueValues", "true, True, TRUE, 1", "ja"),
            (
                #""type":"boolean""#, #""type":"boolean","falseValues":["nein"]"#, "falseValues",
                "false, False, FALSE, 0",
                "nein"
            ),
        ] as [(String, String, String, String?, String?)])
    func typing(old: String, new: String, rule: String, before: String?, after: String?) throws {
        let changes = try Self.field(new).changes(from: Self.field(old))
        #expect(changes == [RuleChange(rule: rule, before: before, after: after, effect: .typing)])
        let one = #"{"name":"x",\#(old)}"#
        let other = #"{"name":"x",\#(new)}"#
        #expect(try !SchemaDifference(from: .with(one), to: .with(other)).mayInvalidate)
    }

    /// The members that a field of a schema file may have: the name of the member, and an example.
    private static let rules: [(member: String, rules: String)] = [
        ("title", #""title":"Ex""#), ("type", #""type":"integer""#), ("format", #""format":"email""#),
        ("missingValues", #""missingValues":["NA"]"#), ("trueValues", #""type":"boolean","trueValues":["ja"]"#),
        ("falseValues", #""type":"boolean","falseValues":["nein"]"#),
        ("decimalChar", #""type":"number","decimalChar":",""#), ("groupChar", #""type":"number","groupChar":",""#),
        ("bareNumber", #""type":"number","bareNumber":false"#), ("required", #""constraints":{"required":true}"#),
        ("unique", #""constraints":{"unique":true}"#), ("minLength", #""constraints":{"minLength":1}"#),
        ("maxLength", #""constraints":{"maxLength":1}"#), ("minimum", #""type":"year","constraints":{"minimum":1}"#),
        ("maximum", #""type":"year","constraints":{"maximum":1}"#), ("pattern", #""constraints":{"pattern":"a"}"#),
        ("enum", #""constraints":{"enum":["a"]}"#), ("characters", #""profiles":{"characters":["digits"]}"#),
        ("requires", #""profiles":{"requires":["digit"]}"#), ("mask", ##""profiles":{"mask":"#"}"##),
        ("formats", #""type":"date","profiles":{"formats":["yyyyMMdd"]}"#),
        ("indexed", #""profiles":{"indexed":true}"#), ("owner", #""profiles":{"owner":"hidden"}"#),
        ("columns", #""profiles":{"columns":["X y"]}"#), ("was", #""profiles":{"was":"y"}"#),
        ("message", #""profiles":{"message":{"required":"Why?"}}"#),
        ("contentType", #""profiles":{"contentType":"tel"}"#),
        ("unit", #""type":"number","profiles":{"unit":"kg"}"#),
        ("written", #""type":"number","profiles":{"written":"0.00"}"#),
        ("missing", #""missingValues":["NA"],"profiles":{"missing":"NA"}"#),
    ]

    @Test(arguments: rules)
    func `R6: no rule that a schema file can change is forgotten`(member: String, rules: String) throws {
        let changes = try Self.field(rules).changes(from: Self.field(""))
        #expect(changes.contains { $0.rule == member }, "\(changes)")
    }

    @Test func `R6: every member of a field in a schema file is among those rules`() throws {
        let field = #""zzz":1,"constraints":{"zzz":1},"profiles":{"zzz":1}"#
        let failure = #expect(throws: SchemaFailure.self) { try ProfileSchema.with(#"{"name":"x",\#(field)}"#) }
        let known = try #require(failure).errors.flatMap { error -> [String] in
            if case .unknownName(let known) = error.reason { known } else { [] }
        }
        // These members have no rule of their own, do not concern values, or exist only for the password.
        let others = ["name", "description", "example", "rdfType", "constraints", "profiles", "secret", "hashColumns"]
        #expect(Set(known) == Set(Self.rules.map(\.member) + others))
    }

    @Test func `R6: a difference says whether a valid profile may become invalid`() throws {
        func mayInvalidate(_ old: String, _ new: String) throws -> Bool {
            SchemaDifference(from: try .with(old), to: try .with(new)).mayInvalidate
        }
        let (plain, required) = (#"{"name":"x"}"#, #"{"name":"x","constraints":{"required":true}}"#)
        #expect(try mayInvalidate(plain, required))
        #expect(try !mayInvalidate(required, plain))
        #expect(try !mayInvalidate(plain, #"{"name":"x","title":"Ex"}"#))
        #expect(try mayInvalidate(#"{"name":"y"}"#, required), "one that is added, and that nobody has")
        #expect(try !mayInvalidate(#"{"name":"y"}"#, plain))
        #expect(try mayInvalidate(plain, #"{"name":"x","type":"integer"}"#))
    }
}
