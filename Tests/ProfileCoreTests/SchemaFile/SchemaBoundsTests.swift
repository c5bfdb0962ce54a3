import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// The parts of a schema file whose length is limited, because every value or issue of a field repeats them.
@Suite(.watched) struct SchemaBoundsTests {
    private static let text = String(repeating: "é", count: 2_048)

    /// A mask of nothing but digits.
    private static func places(_ count: Int) -> String { String(repeating: "#", count: count) }

    @Test(
        arguments: [
            (#"{"name":"x","profiles":{"mask":"\#(places(256))"}}"#, nil),
            (#"{"name":"x","profiles":{"mask":"\#(places(257))"}}"#, ".profiles.mask"),
            (#"{"name":"x","profiles":{"mask":"-#\#(String(repeating: "-", count: 900_000))"}}"#, ".profiles.mask"),
            (#"{"name":"x","title":"\#(text)"}"#, nil), (#"{"name":"x","title":"\#(text)!"}"#, ".title"),
            (#"{"name":"x","profiles":{"message":{"required":"\#(text)"}}}"#, nil),
            (#"{"name":"x","profiles":{"message":{"required":"\#(text)!"}}}"#, ".profiles.message.required"),
            (#"{"name":"x","profiles":{"contentType":"\#(text)!"}}"#, ".profiles.contentType"),
            (
                #"{"name":"x","type":"date","profiles":{"formats":["yyyy\#(String(repeating: "-", count: 24))MMdd"]}}"#,
                nil
            ),
            (
                #"{"name":"x","type":"date","profiles":{"formats":["yyyy\#(String(repeating: "-", count: 25))MMdd"]}}"#,
                ".profiles.formats[0]"
            ),
            (#"{"name":"x","profiles":{"characters":[\#(entries(16))]}}"#, nil),
            (#"{"name":"x","profiles":{"characters":[\#(entries(17))]}}"#, ".profiles.characters"),
            (#"{"name":"x","type":"date","profiles":{"formats":[\#(entries(17))]}}"#, ".profiles.formats"),
            (#"{"name":"x","profiles":{"columns":[\#(texts(100))]}}"#, nil),
            (#"{"name":"x","profiles":{"columns":[\#(texts(101))]}}"#, ".profiles.columns"),
            (#"{"name":"x","missingValues":["\#(places(256))"]}"#, nil),
            (#"{"name":"x","missingValues":["\#(places(257))"]}"#, ".missingValues[0]"),
            (#"{"name":"x","missingValues":[\#(texts(1_000))]}"#, nil),
            (#"{"name":"x","missingValues":[\#(texts(1_001))]}"#, ".missingValues"),
        ] as [(String, String?)])
    func `S6: a part of a field that is too long is refused with its path`(field: String, path: String?) {
        do throws(SchemaFailure) {
            _ = try ProfileSchema(parsing: ProfileSchema.documentWith(field))
            #expect(path == nil)
        } catch {
            #expect(path != nil, "\(error)")
            #expect(error.errors.map(\.path) == ["$.fields[1]" + (path ?? "")])
            #expect(error.description.utf8.count < 500, "what is quoted is cut")
        }
    }

    private static func entries(_ count: Int) -> String {
        (0..<count).map { "\"\(Character(Unicode.Scalar(UInt8(0x41 + $0))))\"" }.joined(separator: ",")
    }

    private static func texts(_ count: Int) -> String {
        (0..<count).map { "\"-\($0)\"" }.joined(separator: ",")
    }

    @Test func `S6: a schema's name is bounded as titles are`() {
        let error = #expect(throws: SchemaFailure.self) {
            try ProfileSchema(
                parsing: #"{"name":"\#(Self.text)!","fields":[{"name":"username","constraints":"#
                    + #"{"required":true,"unique":true}}]}"#)
        }
        #expect(error?.errors.map(\.path) == ["$.name"])
    }

    @Test(arguments: [
        #"{"\#(text)\#(text)":1}"#, #"{"fields":"","missingValues":["\#(text)"]}"#,
        #"{"a":1,"a\#(text)":1,"a\#(text)":1}"#,
    ])
    func `S6: an error cuts the text that it quotes from the file`(document: String) {
        let error = #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: document) }
        #expect(error?.errors.allSatisfy { $0.description.utf8.count < 500 } == true)
    }

    /// Schemas whose rules are as long as they may be.
    @Test(arguments: [
        (#"{"name":"x","constraints":{"enum":[\#(longValues)]}}"#, "a"),
        (#"{"name":"x","profiles":{"characters":["\#(manyCharacters)","-"]}}"#, "a"),
        (#"{"name":"x","profiles":{"characters":["a\#(String(repeating: "\u{301}", count: 10_000))"]}}"#, "b"),
        (#"{"name":"x","profiles":{"requires":[\#(requirements)]}}"#, "a"),
        (#"{"name":"x","profiles":{"mask":"\#(places(256))"}}"#, "a"),
        (#"{"name":"x","title":"\#(text)"}"#, "\u{1}"),
        (#"{"name":"x","profiles":{"message":{"bad_character":"\#(text)"}}}"#, "\u{1}"),
    ])
    func `S4: whatever the rules say, a value has one issue, and its message is shorter than 5 KiB`(
        field: String, value: String
    ) throws {
        let schema = try ProfileSchema.with(field)
        let issues = try ProfileValidator(schema).issues(of: ProfileDraft(["username": "sk", "x": value]))
        #expect(issues.count == 1)
        for issue in issues {
            #expect(schema.message(for: issue).utf8.count < 5_120)
            #expect(issue.message(label: "X").utf8.count < 5_120)
        }
    }

    private static let longValues = (0..<8).map { "\"\($0)\(String(repeating: "v", count: 50_000))\"" }
        .joined(separator: ",")
    private static let manyCharacters = String(
        String.UnicodeScalarView((0x4E00..<0x4E00 + 20_000).compactMap { Unicode.Scalar(UInt32($0)) }))
    private static let requirements = [String](repeating: "\"digit\"", count: 1_000).joined(separator: ",")
}
