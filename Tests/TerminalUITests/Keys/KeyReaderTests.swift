import ProfileTesting
@testable import TerminalUI
import Testing
import Watchdog

@Suite(.watched) struct KeyReaderTests {
    @Test(
        arguments: [
            ("a", [.character("a")]), ("é", [.character("é")]), ("ab", [.character("a"), .character("b")]),
            (" ", [.character(" ")]), ("漢", [.character("漢")]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
            ("\t", [.tab]), ("\r", [.enter]), ("\n", [.enter]), ("\r\n", [.enter, .enter]), ("\u{1}", [.control("a")]),
            ("\u{1A}", [.control("z")]), ("\u{0}", [.control("@")]), ("\u{1C}", [.control("\\")]),
            ("\u{1F}", [.control("_")]), ("\u{85}", [.unknown]),
        ] as [(String, [Key])])
    func `typed bytes are keys`(bytes: String, keys: [Key]) {
        #expect(read(bytes) == keys)
    }

    @Test(
        arguments: [
            ("[A", .up), ("[B", .down), ("[C", .right), ("[D", .left), ("OA", .up), ("OD", .left), ("[1;5C", .right),
            ("[1;2A", .up), ("O5C", .right), ("[a", .up), ("[H", .home), ("[F", .end), ("OH", .home), ("OF", .end),
            ("[1~", .home), ("[7~", .home), ("[4~", .end), ("[8~", .end), ("[1;5H", .controlHome),
            ("[1;5F", .controlEnd),
            ("[7^", .controlHome), ("[8^", .controlEnd),
            ("[1;5~", .controlHome), ("[4;5~", .controlEnd), ("[1;2H", .home), ("[3~", .delete),
            ("[3;5~", .delete), ("[3$", .delete), ("[3^", .delete), ("[5~", .pageUp), ("[6~", .pageDown),
            ("[Z", .backTab),
            ("OM", .enter), ("Oq", .character("1")), ("Ok", .character("+")), ("[27;5;105~", .control("i")),
            ("[27;2;13~", .enter), ("[97;5u", .control("a")), ("[97;2u", .character("A")), ("[223;2u", .character("ß")),
            ("[9;2u", .backTab), ("[27u", .escape), ("[127;3u", .control("w")), ("[233u", .character("é")),
            ("\u{7F}", .control("w")),
        ] as [(String, Key)])
    func `a terminal's sequence is a key`(sequence: String, key: Key) {
        #expect(read("\u{1B}\(sequence)") == [key])
    }

    @Test(
        arguments: [
            ("<0;1;1M", MouseEvent(.press, row: 0, column: 0)),
            ("<0;12;3M", MouseEvent(.press, row: 2, column: 11)),
            ("<0;12;3m", MouseEvent(.release, row: 2, column: 11)),
            ("<32;12;3M", MouseEvent(.drag, row: 2, column: 11)),
            ("<64;300;200M", MouseEvent(.wheelUp, row: 199, column: 299)),
            ("<65;1;2M", MouseEvent(.wheelDown, row: 1, column: 0)),
            ("<4;1;1M", MouseEvent(.press, row: 0, column: 0)),
            ("<28;1;1M", MouseEvent(.press, row: 0, column: 0)),
            ("<48;2;1M", MouseEvent(.drag, row: 0, column: 1)),
            ("<0;9999;1M", MouseEvent(.press, row: 0, column: 9_998)),
            ("<0;999999999999999;1M", MouseEvent(.press, row: 0, column: 0x1F_FFFF)),
        ] as [(String, MouseEvent)])
    func `a mouse sequence is one event with its cell`(sequence: String, event: MouseEvent) {
        #expect(read("\u{1B}[\(sequence)x") == [.mouse(event), .character("x")])
    }

    @Test(arguments: [
        "[<0;0;1M", "[<0;1;0M", "[<0;1M", "[<M", "[<;;M", "[<0;1;1;1M", "[<1;1;1M", "[<2;1;1M", "[<3;1;1M", "[<35;1;1M",
        "[<66;1;1M", "[<64;1;1m", "[<32;1;1m", "[<128;1;1M", "[<999999999999999999999;1;1M", "[<0;-1;1M", "[<<0;1;1M",
        "[0;1;1M", "[<0;1;1A", "[<0;1;1~", "[<0;1;1 M", "[<00000000000000000000000000000000000000;1;1M",
    ])
    func `another button, or a sequence that no terminal sends, is one unknown key`(sequence: String) {
        #expect(read("\u{1B}\(sequence)x") == [.unknown, .character("x")])
    }

    @Test func `sequences of the mouse that are cut, mixed or wrong swallow no key after them`() {
        var random = SeededGenerator(printingSeedOf: "mouse sequences")
        for _ in 0..<rounds(3_000) {
            var text = "\u{1B}[<"
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                switch Int.random(in: 0...5, using: &random) {
                case 0: text += ";"
                case 1: text += String(UInt64.random(in: 0...UInt64.max, using: &random))
                case 2: text += String(Int.random(in: 0...70, using: &random)) + ";"
                case 3: text += ["<", ":", "?", "-", " ", "\u{7F}", "é"].randomElement(using: &random) ?? ""
                case 4: text += "\(Int.random(in: 0...300, using: &random));\(Int.random(in: 0...300, using: &random))"
                default: text += String(repeating: "9", count: Int.random(in: 1...50, using: &random))
                }
            }
            if !random.once(in: 3) { text += random.once(in: 2) ? "M" : "m" }
            // Ctrl-C ends every sequence, and is a key of its own.
            let keys = read(text + "\u{3}x")
            #expect(keys.suffix(2) == [.control("c"), .character("x")], "\(text.debugDescription)")
            for case .mouse(let event) in keys { #expect(event.position.row >= 0 && event.position.column >= 0) }
        }
    }

    @Test(arguments: [
        "[2~", "[15~", "[24;5~", "[[A", "[[E", "OP", "[P", "[1;2Q", "[I", "[O", "[201~", "[?1;2c", "[?2026;2$y",
        "[>0;1c",
        "[99999999999999999999999~", "[;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;A", "[1114112u", "[55296u",
        "[1u",
        "b", "é", "]", "P", "漢", "[97;3u", "[1 q", "[ A",
    ])
    func `an unknown sequence is one unknown key, and the key after it is whole`(sequence: String) {
        #expect(read("\u{1B}\(sequence)x") == [.unknown, .character("x")])
        #expect(read("\u{1B}\(sequence)\u{1B}[A") == [.unknown, .up])
    }

    @Test(
        arguments: [
            ("\u{1B}[1\u{1B}[A", [.unknown, .up]), ("\u{1B}[\r", [.unknown, .enter]),
            ("\u{1B}[1;é", [.unknown, .character("é")]),
            ("\u{1B}O\u{3}", [.unknown, .control("c")]), ("\u{1B}\u{1B}", [.escape, .escape]),
            ("\u{1B}\r", [.escape, .enter]),
            ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}[[\u{1B}", [.unknown, .escape]),
        ] as [(String, [Key])])
    func `an incomplete sequence does not swallow the key after it`(bytes: String, keys: [Key]) {
        #expect(read(bytes) == keys)
    }

    @Test(
        arguments: [
            ([0xFF, 0x61], [.unknown, .character("a")]), ([0xC3, 0x61], [.unknown, .character("a")]),
            ([0xC0, 0xAF], [.unknown, .unknown]), ([0xED, 0xA0, 0x80], [.unknown, .unknown, .unknown]),
            ([0xF0, 0x9F, 0x1B, 0x5B, 0x41], [.unknown, .up]),
            ([0xF4, 0x90, 0x61], [.unknown, .unknown, .character("a")]),
            ([0x1B, 0xFF, 0x61], [.unknown, .character("a")]), ([0x1B, 0xC3, 0x61], [.unknown, .character("a")]),
        ] as [([UInt8], [Key])])
    func `bytes that are no UTF-8 are unknown keys`(bytes: [UInt8], keys: [Key]) {
        #expect(read(bytes) == keys)
    }

    @Test func `Esc is a key once nothing follows it`() {
        var reader = KeyReader()
        #expect(reader.read([0x1B].span).isEmpty)
        var isWaiting = reader.isWaitingAfterEscape
        #expect(isWaiting)
        #expect(reader.timeOut() == [.escape])
        isWaiting = reader.isWaitingAfterEscape
        #expect(!isWaiting)
        #expect(reader.read(Array("[A".utf8).span) == [.character("[")])
        #expect(reader.pause() == [.character("A")])
    }

    @Test func `a sequence that has begun its parameters waits for its end`() {
        var reader = KeyReader()
        #expect(reader.read(Array("\u{1B}[3".utf8).span).isEmpty)
        let isWaiting = reader.isWaitingAfterEscape
        #expect(!isWaiting)
        #expect(reader.timeOut().isEmpty)
        #expect(reader.read(Array("~".utf8).span) == [.delete])
    }

    @Test func `Alt and a bracket are an unknown key once nothing follows`() {
        for prefix in ["\u{1B}[", "\u{1B}O", "\u{1B}[["] {
            var reader = KeyReader()
            #expect(reader.read(Array(prefix.utf8).span).isEmpty)
            let isWaiting = reader.isWaitingAfterEscape
            #expect(isWaiting)
            #expect(reader.timeOut() == [.unknown])
        }
    }

    @Test(arguments: [
        "e\u{301}", "👩\u{1F3FD}\u{200D}🚀", "🇩🇪", "\u{1112}\u{1161}\u{11AB}", "क्षि", "1\u{FE0F}\u{20E3}",
    ])
    func `the scalars of one character are one key`(text: String) {
        #expect(read(text + "x") == [.character(Character(text)), .character("x")])
        #expect(read(text) == [.character(Character(text))])
    }

    @Test func `a mark that comes later is a character of its own`() {
        var reader = KeyReader()
        #expect(reader.read(Array("e".utf8).span).isEmpty)
        #expect(reader.pause() == [.character("e")])
        #expect(reader.read(Array("\u{301}".utf8).span).isEmpty)
        #expect(reader.pause() == [.character("\u{301}")])
    }

    @Test func `a flood of marks is cut into characters`() {
        let keys = read("e" + String(repeating: "\u{301}", count: 10_000))
        #expect(keys.count > 50 && keys.count < 100)
        #expect(
            keys.allSatisfy { if case .character(let character) = $0 { character.utf8.count <= 260 } else { false } })
    }

    @Test(arguments: [
        ("abc", "abc"), ("", ""), ("a\rb\r\nc\n", "a\nb\nc\n"), ("\u{1B}[A", "\u{1B}[A"),
        ("\u{1B}\u{1B}[20x", "\u{1B}\u{1B}[20x"),
        ("\u{3}\t", "\u{3}\t"), ("é漢👩‍🚀", "é漢👩‍🚀"),
    ])
    func `a paste is one key`(pasted: String, text: String) {
        #expect(read("x\u{1B}[200~\(pasted)\u{1B}[201~y") == [.character("x"), .paste(text), .character("y")])
    }

    @Test(.alone, .unsanitized) func `P12: pasted text is in memory only as the text of its key`() throws {
        let marker = MemoryMarker()
        var reader = KeyReader()
        for byte in Array("\u{1B}[200~".utf8) { #expect(reader.read([byte].span).isEmpty) }
        for index in 0..<marker.count { #expect(reader.read([marker[index]].span).isEmpty) }
        #expect(try marker.occurrences() == 1)
        var keys: [Key] = []
        for byte in Array("\u{1B}[201~".utf8) { keys += reader.read([byte].span) }
        #expect(keys.count == 1)
        #expect(try marker.occurrences() == 1)
    }

    @Test(
        arguments: [
            ("abc", [.paste("abc")]), ("a\rb\tc\n", [.paste("a\nb\tc\n")]), ("", [.unknown]),
            // A control character and the input after it do not belong to the paste.
            ("abc\u{3}", [.paste("abc"), .control("c")]), ("\u{3}", [.unknown, .control("c")]),
            ("abc\u{1B}[A\u{7F}x", [.paste("abc"), .up, .backspace, .character("x")]),
            ("abc\u{1B}[20", [.paste("abc")]), ("abc\u{1B}", [.paste("abc"), .escape]),
            ("é漢\u{1}", [.paste("é漢"), .control("a")]),
            ("abc\u{1B}[200~def\u{1B}[201~x", [.paste("abc\u{1B}[200~def"), .character("x")]),
        ] as [(String, [Key])])
    func `a paste whose end never comes is given up, and the keys after it count`(bytes: String, keys: [Key]) {
        var reader = KeyReader()
        var found = reader.read(Array("\u{1B}[200~\(bytes)".utf8).span)
        let isWaiting = reader.isWaitingForPaste
        #expect(isWaiting == found.isEmpty)
        found += reader.timeOut() + reader.pause() + reader.timeOut()
        #expect(found == keys)
        #expect(reader.read(Array(bytes.hasSuffix("[20") ? "1~".utf8 : "\r".utf8).span).count == 1)
    }

    @Test func `Ctrl-C is a key after a paste without an end, even if the paste is over the limit`() throws {
        var reader = KeyReader()
        let long = String(repeating: "x", count: 2 * KeyReader.longestPaste)
        #expect(reader.read(Array("\u{1B}[200~\(long)\u{3}yz".utf8).span).isEmpty)
        let keys = reader.timeOut()
        #expect(keys == [.paste(String(long.prefix(KeyReader.longestPaste))), .control("c")])
        // A paste with an end is one key, even if it contains Ctrl-C.
        let whole = reader.read(Array("\u{1B}[200~\(long)\u{3}yz\u{1B}[201~".utf8).span)
        #expect(whole == [.paste(String(long.prefix(KeyReader.longestPaste)))])
    }

    @Test func `a paste keeps at most the maximum length`() throws {
        for character in ["x", "漢", "🚀"] {
            let keys = read("\u{1B}[200~" + String(repeating: character, count: 100_000) + "\u{1B}[201~\r")
            try #require(keys.count == 2)
            guard case .paste(let text) = keys[0] else {
                Issue.record("\(keys[0]) is no paste")
                continue
            }
            #expect(text.utf8.count <= KeyReader.longestPaste && text.utf8.count > KeyReader.longestPaste - 8)
            #expect(text.allSatisfy { String($0) == character })
            #expect(text.count == KeyReader.longestPaste / character.utf8.count)
            #expect(keys[1] == .enter)
        }
    }

    @Test func `random bytes are the same keys however they are cut`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("KeyReader fuzz seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(3_000) {
            let bytes = randomInput(&random)
            let whole = read(bytes)
            var reader = KeyReader()
            var keys: [Key] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(Int.random(in: 1...4, using: &random)))
                keys += reader.read(chunk.span)
                rest = rest.dropFirst(chunk.count)
            }
            keys += reader.timeOut() + reader.pause()
            #expect(keys == whole, "seed \(seed), bytes \(bytes)")
            for case .character(let character) in keys {
                #expect(
                    character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "seed \(seed)")
            }
        }
    }

    /// Bytes, UTF-8 and pieces of sequences.
    private func randomInput(_ random: inout SeededGenerator) -> [UInt8] {
        let pieces = [
            "\u{1B}", "[", "O", "\u{1B}[200~", "\u{1B}[201~", "1;5", "~", "A", "é", "e\u{301}", "👩‍🚀", "🇩🇪", "\u{200D}",
            "$",
            "\u{1B}[27;5;", "u", "\r", "\u{9B}", "\u{1B}[<0;", "5;6M", "<", "m", "64;",
        ]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            if Bool.random(using: &random) {
                bytes += (pieces.randomElement(using: &random) ?? "").utf8
            } else {
                bytes.append(UInt8.random(in: 0...255, using: &random))
            }
        }
        return bytes
    }

    private func read(_ text: String) -> [Key] { read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) -> [Key] {
        var reader = KeyReader()
        return reader.read(bytes.span) + reader.timeOut() + reader.pause()
    }
}
