import ProfileCore
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct FoldedTextTests {
    private func folded(_ text: String) -> String { String(decoding: FoldedText(text).bytes, as: UTF8.self) }

    private func contains(_ text: String, _ part: String) -> Bool {
        FoldedText(part).isContained(in: Array(text.utf8).span)
    }

    @Test(arguments: [
        ("", ""), ("12 Main St.", "12 main st."), ("AZ[az{@", "az[az{@"),
        // Case in every script, and letters that have more than two forms.
        ("ÀÉÎÕÜ", "aeiou"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("GROẞ", "gross"), ("İstanbul", "istanbul"),
        ("Diyarbakır", "diyarbakir"), ("ΟΔΟΣ", "οδοσ"), ("οδός", "οδοσ"), ("ЁЛКА", "елка"), ("ﬁnance", "finance"),
        ("ſ", "s"), ("µ", "μ"), ("Å", "a"), ("K", "k"), ("ŉ", "ʼn"), ("Ǆ", "ǆ"), ("ᾳ", "α"),
        // Accents in one scalar and in several.
        ("José", "jose"), ("Jose\u{301}", "jose"), ("Nguyễn", "nguyen"), ("Čapek", "capek"), ("ŵ", "w"),
        ("Ñandú", "nandu"),
        ("o\u{338}", "o"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"),
        // Letters that are often replaced by other Latin letters.
        ("Łódź", "lodz"), ("Sørensen", "sorensen"), ("Đặng", "dang"), ("Æsir", "aesir"), ("Œuvre", "oeuvre"),
        ("Þór", "thor"), ("Guðrún", "gudrun"), ("Ħal", "hal"), ("ŧ", "t"),
        // Invisible characters.
        ("Ma\u{AD}in", "main"), ("a\u{200D}b\u{FEFF}", "ab"), ("e\u{FE0F}", "e"),
        // Marks that are no accents stay.
        ("กิ", "กิ"), ("が", "か\u{3099}"), ("か\u{3099}", "か\u{3099}"), ("हिन्दी", "हिन्दी"), ("東京", "東京"),
        // The first scalar behind the table of known ones, which is unassigned.
        ("\u{530}", "\u{530}"),
    ])
    func `text is folded as a person would look for it`(text: String, expected: String) {
        #expect(FoldedText(text).bytes == Array(expected.utf8), "\(text): \(folded(text))")
    }

    @Test func `folding folded text changes nothing, and the other forms of a character fold to the same text`() {
        let blocks: [ClosedRange<UInt32>] = [
            0...0x33FF, 0x4DFE...0x5002, 0x8FFE...0xABFF, 0xAC00...0xAC40, 0xF900...0x1FFFF,
        ]
        for number in blocks.joined() {
            guard let scalar = Unicode.Scalar(number), scalar.properties.generalCategory != .unassigned else {
                continue
            }
            let text = String(scalar)
            let once = folded(text)
            let before = Array(once.utf8)
            #expect(FoldedText(once).bytes == before, "U+\(String(number, radix: 16)): \(once)")
            #expect(
                FoldedText(String(String.UnicodeScalarView(text.scalarsOfNFD))).bytes == before,
                "\(scalar.escaped(asASCII: true))")
            // The folding of a character does not depend on the kana before it.
            #expect(FoldedText("か" + text).bytes.dropFirst(3).elementsEqual(before), "U+\(String(number, radix: 16))")
            // The iota below a Greek letter is a combining mark in lower case, and a letter of its own in upper case.
            guard !text.scalarsOfNFD.contains("\u{345}") else { continue }
            for other in [scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping] {
                #expect(FoldedText(other).bytes == before, "U+\(String(number, radix: 16)): \(other)")
            }
        }
    }

    @Test func `a text is found at every place, whatever its case, in texts of every length`() {
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        for length in 0..<40 {
            let text = String(decoding: (0..<length).map { letters[$0 % 26] }, as: UTF8.self)
            for start in 0..<length {
                for end in start...min(length, start + 12) {
                    let part = String(Array(text)[start..<end])
                    #expect(contains(text, part))
                    #expect(contains(text.uppercased(), part))
                    #expect(contains(text, part.uppercased()))
                    #expect(contains("é" + text, part))
                    #expect(!contains(text, part + "!"))
                    #expect(!contains(text, "!" + part))
                }
            }
        }
    }

    @Test func `search agrees with a plain one, in text of any kind`() {
        var random = SeededGenerator(printingSeedOf: "folded text")
        for _ in 0..<rounds(3_000) {
            let text = random.text(0..<24)
            let part =
                random.once(in: 2)
                ? random.text(0..<4)
                : String(text.unicodeScalars.dropFirst(Int.random(in: 0...8, using: &random)).prefix(3))
            let (whole, wanted) = (FoldedText(text).bytes, FoldedText(part).bytes)
            let isThere = wanted.isEmpty || whole.indices.contains { whole[$0...].starts(with: wanted) }
            #expect(contains(text, part) == isThere, "\(text.debugDescription) \(part.debugDescription)")
        }
    }

    @Test func `bytes that are no UTF-8 are searched too`() {
        let text: [UInt8] = [0xFF, 0x41, 0x62, 0xC3, 0x28, 0xE5, 0x80]
        for (part, isThere) in [("AB", true), ("b(", false), ("(", true), ("\u{FFFD}", true)] {
            let found = FoldedText(part).isContained(in: text.span)
            #expect(found == isThere, "\(part)")
        }
    }

    // MARK: How well it matches

    @Test(arguments: [
        ("Elm St", "elm st", TextMatch.whole), ("Łódź", "LODZ", .whole), ("Elm St", "elm", .start),
        ("Élan", "el", .start),
        ("12 Elm St", "elm", .word), ("O'Brien", "brien", .word), ("Zum Straßenfest", "strasse", .word),
        ("東京 elm", "elm", .word), ("—elm", "elm", .word), ("Helm, Elm", "elm", .word), ("7876-1241", "1241", .word),
        ("Helm St", "elm", .inside), ("éelm", "elm", .inside), ("東elm", "elm", .inside), ("9elm", "elm", .inside),
        ("a (b", "(b", .inside), ("aaab", "ab", .inside), ("Elm St", "oak", nil), ("el", "elm", nil), ("", "elm", nil),
        ("x", "", .start), ("", "", .whole),
    ])
    func `N8: a text matches as a whole, at the start, at the start of a word or inside`(
        value: String, text: String, expected: TextMatch?
    ) {
        #expect(FoldedText(text).match(in: Array(value.utf8).span) == expected)
    }

    @Test(arguments: [
        ("Elm and elm", "ELM", ["Elm", "elm"]), ("Straße", "ss", ["ß"]), ("Straße", "s", ["S", "ß"]),
        ("José", "sé", ["sé"]), ("Jose\u{301}!", "e", ["e\u{301}"]), ("aaaa", "aa", ["aa", "aa"]),
        ("aaa", "aa", ["aa"]),
        ("ﬁ", "i", ["ﬁ"]), ("Ma\u{AD}in", "ai", ["a\u{AD}i"]), ("x", "y", []), ("x", "", []), ("", "x", []),
    ])
    func `N8: the ranges of a match consist of whole characters`(value: String, text: String, expected: [String]) {
        #expect(FoldedText(text).ranges(in: value).map { String(value[$0]) } == expected)
    }

    @Test func `N8: each part of a text has a match, and ranges that contain it`() {
        var random = SeededGenerator(printingSeedOf: "places of a text")
        for _ in 0..<rounds(3_000) {
            let text = String(random.text(0..<24).filter { $0.unicodeScalars.allSatisfy { $0.value < 0x250 } })
            let part = String(text.dropFirst(Int.random(in: 0...8, using: &random)).prefix(3))
            let folded = FoldedText(part)
            let match = folded.match(in: Array(text.utf8).span)
            #expect(match != nil, "\(text.debugDescription) \(part.debugDescription)")
            let ranges = folded.ranges(in: text)
            #expect(ranges.isEmpty == folded.bytes.isEmpty)
            for range in ranges { #expect(contains(String(text[range]), part)) }
            #expect(
                !contains(text, part + "\u{4E00}")
                    && folded.match(in: [UInt8]().span) == (folded.bytes.isEmpty ? .whole : nil))
        }
    }
}
