import ProfileCore
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct JSONParserTests {
    @Test(
        arguments: [
            ("null", JSONValue.null), ("true", true), ("false", false), (" \t\r\n1 \t\r\n", 1), ("0", 0),
            ("-0", .number("-0")),
            ("-12", .number("-12")), ("0.50", .number("0.50")), ("1e5", .number("1e5")), ("1E+05", .number("1E+05")),
            ("1.25e-999", .number("1.25e-999")),
            ("123456789012345678901234567890", .number("123456789012345678901234567890")),
            (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{08}\u{0C}\n\r\t"),
            (#""\u0041\u00e9\u00E9""#, "Aéé"),
            (#""\u0000""#, "\u{0}"), (#""\ud83d\ude00""#, "😀"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
            ("\"é€😀\u{7F}\"", "é€😀\u{7F}"),
            ("[]", []), ("[ ]", []), ("[1,[2],{}]", [1, [2], [:]]), ("{}", [:]), ("{ }", [:]),
            (#"{"b":1,"a":[null]}"#, ["b": 1, "a": [nil]]), (#"{ "" : "" }"#, ["": ""]),
            (#"{"a":{"a":1}}"#, ["a": ["a": 1]]),
        ] as [(String, JSONValue)])
    func `a JSON text is read`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test func `every character comes back, and those that a terminal would obey are escaped`() throws {
        for scalar in (0...0x10FFFF).compactMap(Unicode.Scalar.init) {
            let isEscaped =
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: scalar == "\"" || scalar == "\\" || scalar.properties.isBidiControl
                }
            let text = JSONValue.string(String(scalar)).text()
            if text.unicodeScalars.dropFirst().first == scalar, isEscaped, scalar != "\\" {
                Issue.record("U+\(String(scalar.value, radix: 16)): \(text)")
            }
            if isEscaped != (text.utf8.count > String(scalar).utf8.count + 2) || !isEscaped && text != "\"\(scalar)\"" {
                Issue.record("U+\(String(scalar.value, radix: 16)): \(text)")
            }
            let back = try JSONValue(parsing: text)
            if back != .string(String(scalar)) { Issue.record("U+\(String(scalar.value, radix: 16)): \(text)") }
        }
    }

    @Test(
        arguments: [
            ("", JSONError.Reason.unexpectedEnd, 1, 1), ("  ", .unexpectedEnd, 1, 3), ("nul", .unexpectedEnd, 1, 4),
            ("nulL", .unexpectedCharacter, 1, 4), ("True", .unexpectedCharacter, 1, 1),
            ("NaN", .unexpectedCharacter, 1, 1),
            ("Infinity", .unexpectedCharacter, 1, 1), ("'a'", .unexpectedCharacter, 1, 1),
            ("\u{FEFF}1", .unexpectedCharacter, 1, 1),
            ("\u{A0}1", .unexpectedCharacter, 1, 1), ("\u{0C}1", .unexpectedCharacter, 1, 1),
            ("// x\n1", .unexpectedCharacter, 1, 1),
            ("1 2", .textAfterEnd, 1, 3), ("1\n]", .textAfterEnd, 2, 1), ("{}}", .textAfterEnd, 1, 3),
            ("1\u{0}", .textAfterEnd, 1, 2),
            ("01", .badNumber, 1, 2), ("-01", .badNumber, 1, 3), ("-", .badNumber, 1, 2),
            ("+1", .unexpectedCharacter, 1, 1),
            (".5", .unexpectedCharacter, 1, 1), ("1.", .badNumber, 1, 3), ("1.e1", .badNumber, 1, 3),
            ("1e", .badNumber, 1, 3),
            ("1e+", .badNumber, 1, 4), ("0x10", .textAfterEnd, 1, 2), ("1_000", .textAfterEnd, 1, 2),
            ("-Infinity", .badNumber, 1, 2),
            ("１", .unexpectedCharacter, 1, 1),
            ("\"", .unexpectedEnd, 1, 2), ("\"a", .unexpectedEnd, 1, 3), ("\"\\", .unexpectedEnd, 1, 3),
            (#""\x""#, .badEscape, 1, 3),
            (#""\U0041""#, .badEscape, 1, 3), (#""\u00g0""#, .badEscape, 1, 6), (#""\u00"#, .unexpectedEnd, 1, 6),
            (#""\u٣٣٣٣""#, .badEscape, 1, 4), (#""\ud83d""#, .badEscape, 1, 8), (#""\ud83d\n""#, .badEscape, 1, 9),
            (#""\ud83d\u0041""#, .badEscape, 1, 14), (#""\ude00""#, .badEscape, 1, 8),
            (#""\ud83d\ud83d""#, .badEscape, 1, 14),
            ("\"\n\"", .controlCharacterInString, 1, 2), ("\"\t\"", .controlCharacterInString, 1, 2),
            ("\"\u{0}\"", .controlCharacterInString, 1, 2), ("\"\u{1F}\"", .controlCharacterInString, 1, 2),
            ("[", .unexpectedEnd, 1, 2), ("[1", .unexpectedEnd, 1, 3), ("[1,]", .unexpectedCharacter, 1, 4),
            ("[,1]", .unexpectedCharacter, 1, 2), ("[1 2]", .unexpectedCharacter, 1, 4),
            ("[1}", .unexpectedCharacter, 1, 3),
            ("[\n1,\n\n,]", .unexpectedCharacter, 4, 1), ("{", .unexpectedEnd, 1, 2), (#"{"a""#, .unexpectedEnd, 1, 5),
            (#"{"a":"#, .unexpectedEnd, 1, 6), (#"{"a" 1}"#, .unexpectedCharacter, 1, 6),
            (#"{"a":1,}"#, .unexpectedCharacter, 1, 8),
            ("{a:1}", .unexpectedCharacter, 1, 2), ("{1:1}", .unexpectedCharacter, 1, 2),
            (#"{"a":1 "b":2}"#, .unexpectedCharacter, 1, 8),
            (#"{"a":1,"a":1}"#, .duplicateName("a"), 1, 8), (#"{"a":1,"\u0061":1}"#, .duplicateName("a"), 1, 8),
        ] as [(String, JSONError.Reason, Int, Int)])
    func `what RFC 8259 does not allow is refused, with the place`(
        text: String, reason: JSONError.Reason, line: Int, column: Int
    ) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.reason == reason)
        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82],
        ] as [[UInt8]])
    func `a string that is not UTF-8 is refused`(bytes: [UInt8]) {
        let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text.span) }
        #expect(error?.reason == .badEncoding)
    }

    @Test func `nesting is allowed 64 deep`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(64)) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: nested(65)) }
        let endless = String(repeating: #"{"a":["#, count: 100_000)
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: endless) }
        #expect(error?.reason == .tooDeep(limit: 64))
    }

    @Test func `random bytes never trap, and what is accepted is written back as the same value`() throws {
        var random = SeededGenerator(seed: 8259)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d83d", "\"a\"", "0", "-", "1.5", "e9", "true", "nul", " ",
        ]
        var accepted = 0
        for _ in 0..<rounds(20_000) {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                let piece = pieces.randomElement(using: &random) ?? ""
                bytes += random.once(in: 8) ? random.bytes(1..<4) : Array(piece.utf8)
            }
            guard let value = try? JSONValue(parsing: bytes.span) else { continue }
            accepted += 1
            #expect(try JSONValue(parsing: value.text()) == value, "\(bytes)")
            #expect(try JSONValue(parsing: value.text(indented: true)) == value, "\(bytes)")
        }
        #expect(accepted > 100)
    }
}

@Suite(.watched) struct JSONWriterTests {
    @Test func `a value is written on one line`() {
        let value: JSONValue = ["b": [1, nil, true], "a": [:], "é": "x\"\\\n\r\t\u{0}\u{1F}\u{7F}€"]
        #expect(value.text() == #"{"b":[1,null,true],"a":{},"é":"x\"\\\n\r\t\u0000\u001f\u007f€"}"#)
    }

    @Test func `a value is written indented by two spaces a level`() {
        let value: JSONValue = ["a": [1, []], "b": [:]]
        #expect(
            value.text(indented: true) == """
                {
                  "a": [
                    1,
                    []
                  ],
                  "b": {}
                }
                """)
    }

    @Test func `every scalar survives writing and parsing`() throws {
        var text = ""
        for value in 0..<UInt32(0x3000) { if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) } }
        let parsed = try JSONValue(parsing: JSONValue.string(text).text())
        guard case .string(let back) = parsed else { return #expect(Bool(false), "no string: \(parsed)") }
        #expect(Array(back.utf8) == Array(text.utf8))
    }
}
