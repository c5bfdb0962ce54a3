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
    func `S4: whatever the rules say, a hint is shorter than 5 KiB`(field: String) throws {
        #expect(try FormState.custom(field).fields.allSatisfy { $0.hint.utf8.count < 5_120 })
    }

    @Test(
        "S4: the hint of a field describes its notation to people who have not seen the schema",
        arguments: [
            (
                #""type":"number","decimalChar":",","groupChar":".","constraints":{"minimum":1.5}"#,
                #"a number, at least 1,5, with "," before the fraction, with "." or nothing between groups of digits"#
            ),
            (
                #""type":"integer","bareNumber":false,"constraints":{"minimum":1,"maximum":5}"#,
                "a whole number from 1 to 5, with or without other characters around it, and \"-\" before it if "
                    + "it is negative"
            ),
            (#""type":"date","format":"%m/%d/%Y""#, "like 12/31/2020"),
            (#""type":"datetime","format":"%m/%d/%Y %I:%M %p""#, "like 12/31/2020 11:59 PM"),
            (#""type":"time","format":"%H:%M""#, "like 23:59"),
            (#""type":"date","profiles":{"formats":["dd.MM.yyyy","%d %B %Y"]}"#, "dd.MM.yyyy or like 31 December 2020"),
            (#""type":"date""#, "yyyy-MM-dd"), (#""type":"time""#, "hh:mm:ss"),
        ])
    func typing(rules: String, hint: String) throws {
        let form = try FormState.custom(#"{"name":"x",\#(rules)}"#)
        #expect(try form["x"].hint == hint + ", or nothing")
    }

    @Test(
        "S4: the hint of a field names the accepted characters legibly",
        arguments: [
            (#""ascii-letters","ascii-digits","special""#, "letters A–Z, a–z, digits 0–9 and special characters"),
            (##""ascii-letters","#-.,/'""##, "letters A–Z, a–z and the signs # - . , / '"),
            (#""0123456789abcdef""#, "0–9 and a–f"), (#""FM""#, "F and M"), (#""-""#, "the sign -"),
            (#""ab-\u00a0""#, "a, b and the signs - no-break space"),
            (#""letters","spaces""#, "letters and single spaces"),
        ])
    func characters(classes: String, hint: String) throws {
        let form = try FormState.custom(#"{"name":"x","profiles":{"characters":[\#(classes)]}}"#)
        #expect(try form["x"].hint == hint + ", or nothing")
        var typing = form
        typing.handle(.focus(try .named("x")))
        typing.type("a€漢\u{301}")
        typing.handle(.endEditing)
        #expect(try typing["x"].message?.hasPrefix("X may hold \(hint) only: ") == true)
    }

    @Test(
        "S4: the hint of a field says exactly for a fixed length",
        arguments: [
            (#""constraints":{"minLength":5,"maxLength":5},"profiles":{"characters":["digits"]}"#, "exactly 5 digits"),
            (#""constraints":{"minLength":2,"maxLength":2},"profiles":{"characters":["FM"]}"#, "exactly 2 of F and M"),
            (#""constraints":{"minLength":2},"profiles":{"characters":["-/"]}"#, "2 or more of the signs - /"),
            (###""profiles":{"mask":"##/##"}"###, "exactly 4 digits, as ##/##"),
        ])
    func fixedLength(rules: String, hint: String) throws {
        let form = try FormState.custom(#"{"name":"x",\#(rules)}"#)
        #expect(try form["x"].hint == hint + ", or nothing")
    }

    private static let longValues = (0..<8).map { "\"\($0)\(String(repeating: "v", count: 50_000))\"" }
        .joined(separator: ",")
    private static let manyCharacters = String(
        String.UnicodeScalarView((0x4E00..<0x4E00 + 20_000).compactMap { Unicode.Scalar(UInt32($0)) }))
    private static let requirements = [String](repeating: "\"digit\"", count: 1_000).joined(separator: ",")
}
