import ProfileTesting
import Testing
import Watchdog

@testable import ProfileCore

/// The compiled `characters` and `enum`: the text that they accept, and the time that this takes.
@Suite(.watched) struct CharacterSetTests {
    @Test func `S6: several classes and lists accept the characters that each of them accepts alone`() throws {
        var random = SeededGenerator(seed: 1_414)
        let names = ["ascii-letters", "ascii-digits", "letters", "digits", "spaces", "special"]
        let lists = ["é€", "-.", "\u{301}", "e\u{301}", "あ-", "٣", "👩‍👩‍👧", "\r\n", "\t", "\u{212A}"]
        var taken = 0
        var refused = 0
        for round in 0..<rounds(400) {
            let count = Int.random(in: 1...4, using: &random)
            let entries = Array((names + lists).shuffled(using: &random).prefix(count))
            let classes = try entries.map { try #require(AllowedCharacters($0)) }
            let value = self.value(of: entries, &random)
            guard !value.isEmpty else { continue }
            var rules = FieldRules(name: try .named("x"), title: "X")
            rules.characters = classes
            var issues: [ValidationIssue] = []
            _ = FieldValidator(rules).judge(value.utf8Span.span, today: nil, as: .typed, into: &issues)

            let isFit = value.unicodeScalars.allSatisfy { scalar in classes.contains { Self.takes($0, scalar) } }
            let isSpaced = classes.contains(.spaces) && value.utf8.contains("  ".utf8)
            let expected: [ValidationIssue.Code] = (isFit ? [] : [.badCharacter]) + (isSpaced ? [.badFormat] : [])
            #expect(issues.map(\.code) == expected, "seed 1414, round \(round): \(entries) \(value.debugDescription)")
            if isFit { taken += 1 } else { refused += 1 }
        }
        #expect(taken > rounds(50))
        #expect(refused > rounds(50))
    }

    @Test func `a text without a rule for its characters has no control characters except tab, LF and CR`() throws {
        let validator = FieldValidator(FieldRules(name: try .named("x"), title: "X"))
        for byte in UInt8(0)..<0x80 {
            let value = "a\(Character(Unicode.Scalar(byte)))b"
            let isFit = byte >= 0x20 && byte != 0x7F || [0x09, 0x0A, 0x0D].contains(byte)
            #expect((validator.canonical(value) != nil) == isFit, "\(byte)")
        }
    }

    @Test(
        arguments: [
            ("abc", .list("abc")), ("a-b", .list("a-b")), ("abcd", nil), ("a-bc", nil), ("abcD", .list("abcD")),
            ("digits", .digits),
        ] as [(String, AllowedCharacters?)])
    func `S6: more than three small letters and hyphens are the name of a class or an error`(
        text: String, characters: AllowedCharacters?
    ) {
        #expect(AllowedCharacters(text) == characters)
    }

    /// A value that consists mostly of characters that the entries accept.
    private func value(of entries: [String], _ random: inout SeededGenerator) -> String {
        let samples = [
            "ascii-letters": "azAZ", "ascii-digits": "09", "letters": "aéßжあ한\u{301}", "digits": "0٣५", "spaces": " ",
            "special": "!/~-",
        ]
        let scalars = Array(entries.map { samples[$0] ?? $0 }.joined().unicodeScalars)
        var value = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let taken = scalars.randomElement(using: &random) ?? "x"
            value.unicodeScalars.append(random.once(in: 10) ? random.scalar() : taken)
        }
        return value
    }

    /// What a class takes, by its definition.
    private static func takes(_ one: AllowedCharacters, _ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        switch one {
        case .asciiLetters: return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        case .asciiDigits: return ("0"..."9").contains(scalar)
        case .letters:
            return [
                .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
                .spacingMark, .enclosingMark,
            ].contains(category)
        case .digits: return category == .decimalNumber
        case .spaces: return scalar == " "
        case .special:
            return (0x21...0x7E).contains(scalar.value)
                && ![.asciiLetters, .asciiDigits].contains { takes($0, scalar) }
        case .list(let characters): return characters.unicodeScalars.contains(scalar)
        }
    }

    private static let letters = String(
        String.UnicodeScalarView((0x4E00..<0x4E00 + 20_000).compactMap { Unicode.Scalar(UInt32($0)) }))

    /// The time that one validation of a value takes: the shortest of three measurements.
    private func cost(_ characters: String, _ value: String, enumerating allowed: [String] = []) throws -> Duration {
        let list =
            allowed.isEmpty ? "" : #","constraints":{"enum":[\#(allowed.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        let validator = ProfileValidator(
            try .with(#"{"name":"x","profiles":{"characters":[\#(characters)]}\#(list)}"#))
        let name = try FieldName.named("x")
        let today = try ProfileSchema.day(2026, 1, 15)
        return try #require(
            (0..<3).map { _ in
                ContinuousClock().measure {
                    #expect(validator.issues(of: value, in: name, on: today).isEmpty)
                }
            }.min())
    }

    // Each took a hundred times as long, or thousands, when the classes were asked one after another for each character.

    @Test(.alone) func `characters are judged by letters and special as fast as by classes of ASCII`() throws {
        let value = String(repeating: "-", count: 10_000)
        let plain = try cost(#""ascii-letters","special""#, value)
        #expect(try cost(#""letters","special""#, value) < plain * 40)
    }

    @Test(.alone) func `a long list of characters is as fast as a short one`() throws {
        let value = String(repeating: String(Self.letters.suffix(1)), count: 3_000)
        let short = try cost(#""\#(Self.letters.suffix(2))""#, value)
        #expect(try cost(#""\#(Self.letters)""#, value) < short * 20)
    }

    @Test(.alone) func `a long enum is as fast as a short one`() throws {
        let values = (0..<20_000).map { "value-\($0)-\(String(repeating: "v", count: 20))" }
        let last = try #require(values.last)
        let short = try cost(#""ascii-letters","ascii-digits","-""#, last, enumerating: values.suffix(2))
        #expect(try cost(#""ascii-letters","ascii-digits","-""#, last, enumerating: values) < short * 20)
    }
}

extension String.UTF8View {
    fileprivate func contains(_ other: String.UTF8View) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }
}
