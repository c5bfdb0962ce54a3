import ProfileCore
import Testing
import Watchdog

/// What is said of two versions of a field's rules.
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
                #""type":"date","profiles":{"formats":["yyyy-MM-dd","yyyyMMdd"]}"#,
                #""type":"date","profiles":{"formats":["yyyyMMdd"]}"#, "formats", "yyyy-MM-dd, yyyyMMdd", "yyyyMMdd"
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
        "R6: what may be either is told as that, and what judges nothing as nothing",
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
