import ProfileCore
import ProfileForm
import Testing
import Watchdog

@Suite(.watched) struct FieldHintTests {
    /// Rules that are as long as they may be.
    @Test(arguments: [
        #"{"name":"x","constraints":{"enum":[\#(longValues)]}}"#,
        #"{"name":"x","profiles":{"characters":["\#(manyCharacters)","-"]}}"#,
        #"{"name":"x","profiles":{"characters":["a\#(String(repeating: "\u{301}", count: 10_000))"]}}"#,
        #"{"name":"x","profiles":{"requires":[\#(requirements)]}}"#,
        #"{"name":"x","profiles":{"mask":"\#(String(repeating: "#", count: 256))"}}"#,
    ])
    func `S4: whatever the rules say, what is accepted is told in 5 KiB`(field: String) throws {
        #expect(try Form.custom(field).fields.allSatisfy { $0.hint.utf8.count < 5_120 })
    }

    private static let longValues = (0..<8).map { "\"\($0)\(String(repeating: "v", count: 50_000))\"" }
        .joined(separator: ",")
    private static let manyCharacters = String(
        String.UnicodeScalarView((0x4E00..<0x4E00 + 20_000).compactMap { Unicode.Scalar(UInt32($0)) }))
    private static let requirements = [String](repeating: "\"digit\"", count: 1_000).joined(separator: ",")
}
