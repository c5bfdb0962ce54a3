import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct LoosenedRulesTests {
    private func schema(_ field: String) throws -> ProfileSchema {
        let username = #"{"name":"username","constraints":{"required":true,"unique":true}}"#
        return try ProfileSchema(parsing: #"{"fields":[\#(username),{"name":"price",\#(field)}]}"#)
    }

    /// Loosens the first field so that it allows the values of the second one.
    private func loosened(_ stored: String, by file: String) throws -> FieldRules {
        let name: FieldName = "price"
        let satisfied = try #require(try schema(file)[name])
        let broken = BrokenFieldRules(codes: [.badFormat], choices: nil, satisfied: satisfied)
        return try #require(try schema(stored).loosened(where: [name: broken])[name])
    }

    @Test func `N12: whole numbers become numbers with the decimal sign of the file`() throws {
        let rules = try loosened(#""type":"integer""#, by: #""type":"number","decimalChar":",""#)
        #expect(rules.type == .number)
        #expect(rules.numberFormat.decimalCharacter == ",")
    }

    @Test func `N12: numbers keep their decimal sign, and with two of them the field becomes text`() throws {
        let comma = #""type":"number","decimalChar":",""#
        let kept = try loosened(comma, by: #""type":"integer","bareNumber":false"#)
        #expect(kept.type == .number && kept.numberFormat.decimalCharacter == "," && !kept.numberFormat.isBare)
        #expect(try loosened(comma, by: #""type":"number""#).type == .string)
    }
}
