import CSVStream
import InputFixtures
import Platform
import ProfileTesting
import Synchronization
import Testing
import Watchdog

/// Returns all records of an input, which is opened like a file.
private func readOpened(
    _ bytes: [UInt8], encoding: TextEncoding? = nil, chunk: Int = .max
) throws -> (rows: [Row], encoding: TextEncoding, isGuessed: Bool) {
    let text = try TextInput(InputHead(.bytes(bytes, chunk: chunk)), encoding: encoding)
    let (encoding, isGuessed) = (text.encoding, text.isEncodingGuessed)
    var reader = CSVReader(text: text)
    var batch = RecordBatch()
    var rows: [Row] = []
    while try reader.next(into: &batch) { rows += batch.rows }
    #expect(reader.bytesRead == UInt64(bytes.count))
    return (rows, encoding, isGuessed)
}

@Suite("N7: how characters are written", .watched) struct InputEncodingTests {
    @Test(
        "N7: the C library's encodings are read by name, however the bytes arrive",
        arguments: [
            ("latin1", [0x4A, 0x6F, 0x73, 0xE9], "José"), ("latin-1", [0xE9], "é"), ("ISO-8859-15", [0xA4], "€"),
            ("windows-1252", [0x80, 0x93, 0x94], "€“”"), ("windows-1251", [0xCC, 0xE8, 0xF0], "Мир"),
            ("ISO-8859-7", [0xC1, 0xE8], "Αθ"), ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"),
            ("GB18030", [0xC4, 0xE3, 0x81, 0x30, 0x81, 0x34], "你\u{84}"), ("EUC-KR", [0xC7, 0xD1], "한"),
            // The decoder holds the letter back, because a combining accent may follow.
            ("windows-1258", [0x61, 0x62], "ab"), ("TCVN5712-1", [0x61, 0x62], "ab"),
            ("macintosh", [0x8E], "é"), ("CP850", [0x82], "é"), ("UTF-32LE", [0xE9, 0, 0, 0, 0x2C, 0, 0, 0], "é,"),
        ] as [(String, [UInt8], String)])
    func named(name: String, bytes: [UInt8], text: String) throws {
        let encoding = try #require(TextEncoding(name: name))
        for chunk in [1, 2, 3, .max] {
            let (rows, found, isGuessed) = try readOpened(bytes, encoding: encoding, chunk: chunk)
            #expect(rows.map { $0.texts.joined(separator: ",") } == [text])
            #expect(rows.allSatisfy { $0.fault == nil })
            #expect(found == encoding && !isGuessed)
        }
    }

    @Test("I1: UTF-32 with a byte order mark is not taken for UTF-16", arguments: [false, true], [1, 3, .max])
    func utf32(bigEndian: Bool, chunk: Int) throws {
        let bytes = "\u{FEFF}aé,😀\nb,c".unicodeScalars.flatMap { scalar in
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
            return bigEndian ? bytes : bytes.reversed()
        }
        let opened = try readOpened(bytes, chunk: chunk)
        #expect(opened.rows.map(\.texts) == [["aé", "😀"], ["b", "c"]])
        #expect(!opened.isGuessed && opened.encoding.name.hasPrefix("UTF-32"))
        #expect(try readAll(bytes, chunk: chunk).map(\.texts) == [["aé", "😀"], ["b", "c"]])
        // A byte order mark of two bytes and nothing after it is UTF-16.
        #expect(try readOpened([0xFF, 0xFE], chunk: chunk).encoding == .utf16(bigEndian: false))
    }

    @Test(arguments: ["", "no such", "latin1//IGNORE", "latin1/", "x,y", "klingon", "UTF-8//TRANSLIT", "\u{E9}"])
    func `N7: a name is refused if the C library does not know it or would drop characters`(name: String) {
        #expect(TextEncoding(name: name) == nil)
    }

    @Test func `N7: UTF-8 and UTF-16 have several names`() {
        for name in ["utf-8", "UTF8", "Utf_8"] { #expect(TextEncoding(name: name) == .utf8) }
        for name in ["utf-16", "UTF-16LE", "utf16le"] { #expect(TextEncoding(name: name) == .utf16(bigEndian: false)) }
        #expect(TextEncoding(name: "utf-16be") == .utf16(bigEndian: true))
    }

    @Test(
        "N7: bytes that do not fit a named encoding make their row bad_encoding, and no other",
        arguments: [
            ("windows-1252", [0x61, 0x0A, 0x81, 0x0A, 0x62]), ("Shift_JIS", [0x61, 0x0A, 0x93, 0x0A, 0x62]),
            ("GB18030", [0x61, 0x0A, 0xFF, 0x0A, 0x62]), ("ASCII", [0x61, 0x0A, 0xE9, 0x0A, 0x62]),
        ] as [(String, [UInt8])])
    func misfit(name: String, bytes: [UInt8]) throws {
        for chunk in [1, .max] {
            let (rows, _, _) = try readOpened(bytes, encoding: TextEncoding(name: name), chunk: chunk)
            #expect(rows.map(\.fault) == [nil, .badEncoding, nil], "\(rows)")
        }
        let cut = try readOpened([0x61, 0x0A, 0x93], encoding: TextEncoding(name: "Shift_JIS"))
        #expect(cut.rows.map(\.fault) == [nil, .badEncoding])
        let unit = try readOpened(
            [0x61, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x62, 0, 0, 0], encoding: TextEncoding(name: "UTF-32LE"))
        #expect(unit.rows.map(\.fault) == [.badEncoding])
    }

    @Test func `N7: a byte order mark takes precedence over a named encoding`() throws {
        let marked = try readOpened([0xEF, 0xBB, 0xBF] + Array("é".utf8), encoding: TextEncoding(name: "latin1"))
        #expect(marked.rows.map(\.texts) == [["é"]] && marked.encoding == .utf8)
        let wide = try readOpened(utf16("é", bigEndian: true), encoding: .utf8)
        #expect(wide.rows.map(\.texts) == [["é"]] && wide.encoding == .utf16(bigEndian: true))
        let unmarked = try readOpened(utf16(Array("é".utf16), bigEndian: true), encoding: .utf16(bigEndian: true))
        #expect(unmarked.rows.map(\.texts) == [["é"]])
    }

    @Test(
        "N7: Windows-1252 is guessed only where there is no UTF-8",
        arguments: [
            ("ascii\n", false), ("Jos\u{E9}, Ren\u{E9}\n", true), ("\u{E9}", true), ("Caf\u{E9} \u{C3}\u{A9}\n", false),
            ("\u{CC}\u{E8}\u{E0} \u{EF}\u{EE}\n", false), ("a\u{81}b", false), ("\u{80} 5\n", true), ("", false),
            ("Stra\u{DF}e \u{FC}ber\n", true), ("na\u{EF}", true),
        ])
    func guessed(text: String, isGuess: Bool) throws {
        // Each scalar becomes one byte.
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        for chunk in [1, .max] {
            let (rows, encoding, isGuessed) = try readOpened(bytes, chunk: chunk)
            #expect(isGuessed == isGuess)
            #expect(encoding == (isGuess ? .named("windows-1252") : .utf8))
            if isGuess { #expect(rows.allSatisfy { $0.fault == nil }) }
            #expect(try !readOpened(bytes, encoding: .utf8, chunk: chunk).isGuessed, "what is said is not guessed")
        }
    }

    @Test func `N7: the encoding is guessed from the first MiB, which may end within a character`() throws {
        let megabyte = 1 << 20
        let text = [UInt8](repeating: 0x61, count: megabyte - 1) + Array("é\n".utf8)
        let cut = try readOpened([0x78, 0x0A] + text.dropFirst(2))
        #expect(cut.encoding == .utf8 && cut.rows.allSatisfy { $0.fault == nil })
        let lines = (0..<1_024).flatMap { _ in [UInt8](repeating: 0x61, count: 1_023) + [0x0A] }
        let late = try readOpened(lines + [0xE9, 0x0A, 0x62])
        #expect(late.encoding == .utf8)
        #expect(late.rows.suffix(3).map(\.fault) == [nil, .badEncoding, nil])
        let whole = [UInt8](repeating: 0x61, count: megabyte / 2 - 1) + [0xC3]
        #expect(try readOpened(whole).isGuessed, "nothing follows that could end the character")
    }
}

@Suite("I1: input that is compressed with gzip", .watched) struct GzipTests {
    private static let text = "name,note\n" + (0..<5_000).map { "user\($0),some words \($0 * 7)\n" }.joined()

    private func rows(_ bytes: [UInt8], chunk: Int = .max) throws -> [[String]] {
        let text = try TextInput(InputHead(.bytes(bytes, chunk: chunk)), encoding: nil)
        var reader = CSVReader(text: text)
        var batch = RecordBatch()
        var rows: [[String]] = []
        while try reader.next(into: &batch) { rows += batch.rows.map(\.texts) }
        #expect(reader.bytesRead == UInt64(bytes.count), "counted as they are there")
        return rows
    }

    @Test(arguments: [1, 1_000, .max])
    func `I1: a gzip file is decompressed, with one member or several, and with zeros at its end`(chunk: Int) throws {
        let text = Array(Self.text.utf8)
        let plain = try readAll(text).map(\.texts)
        let half = text.count / 2
        #expect(try rows(Gzip.compressed(text), chunk: chunk) == plain)
        let members =
            try Gzip.compressed(Array(text[..<half])) + Gzip.compressed([]) + Gzip.compressed(Array(text[half...]))
        #expect(try rows(members, chunk: chunk) == plain)
        #expect(try rows(members + [0, 0, 0], chunk: chunk) == plain)
        #expect(try rows(Gzip.compressed([]), chunk: chunk) == [])
    }

    @Test func `N7: the text in a gzip file may have any encoding`() throws {
        #expect(try rows(Gzip.compressed(utf16("é,b\n", bigEndian: false))) == [["é", "b"]])
        #expect(try rows(Gzip.compressed([0x4A, 0x6F, 0x73, 0xE9])) == [["José"]])
    }

    @Test func `I3: a gzip file that is truncated, damaged or followed by other bytes is an error`() throws {
        let good = try Gzip.compressed(Array(Self.text.utf8))
        let damaged = ByteStreamError(operation: .decompress, code: EBADMSG)
        for end in [4, 12, good.count / 2, good.count - 8, good.count - 1] {
            #expect(throws: damaged, "cut at \(end)") { try rows(Array(good[..<end])) }
        }
        for place in [good.count / 2, good.count - 6, good.count - 2] {
            var bad = good
            bad[place] ^= 0x10
            #expect(throws: damaged, "changed at \(place)") { try rows(bad) }
        }
        #expect(throws: damaged) { try rows(good + Array("more".utf8)) }
    }

    @Test func `I11: a gzip file that expands a thousandfold is read in bounded pieces`() throws {
        let zeros = try Gzip.compressed([UInt8](repeating: 0x61, count: 50_000_000))
        #expect(zeros.count < 100_000)
        let text = try TextInput(InputHead(.bytes(zeros)), encoding: nil)
        var reader = CSVReader(text: text)
        var batch = RecordBatch()
        #expect(try reader.next(into: &batch))
        #expect(batch.records.map(\.fault) == [.tooLong])
        #expect(batch.byteCount < 4 << 20)
    }
}

@Suite(.alone, .unsanitized, .watched) struct ZeroedInputTests {
    @Test(arguments: [false, true])
    func `P12: after decompression and decoding, no copy of a secret is in memory`(isCompressed: Bool) throws {
        let marker = MemoryMarker()
        #expect(try count(of: marker, isCompressed: isCompressed) == 3)
        #expect(try marker.occurrences() == 0)
    }

    /// Reads a text with the marker in it, in an encoding that has to be decoded.
    private func count(of marker: MemoryMarker, isCompressed: Bool) throws -> Int {
        let source = MarkedSource(marker, isCompressed: isCompressed)
        let text = try TextInput(
            InputHead(ByteSource { buffer throws(ByteStreamError) in source.read(into: buffer) }),
            encoding: TextEncoding(name: "latin1"))
        var reader = CSVReader(text: text)
        var batch = RecordBatch(containsSecrets: true)
        var count = 0
        while try reader.next(into: &batch) { count += batch.records.count }
        return count
    }
}

/// Provides a text of three lines. The first two lines are the marker. Each read returns one byte, so the source
/// keeps no copy of the marker.
private final class MarkedSource: Sendable {
    private struct State {
        var position = 0
        var stored: Gzip.Stored
    }

    private let marker: MemoryMarker
    private let isCompressed: Bool
    private let count: Int
    private let state: Mutex<State>

    init(_ marker: MemoryMarker, isCompressed: Bool) {
        self.marker = marker
        self.isCompressed = isCompressed
        count = 2 * (marker.count + 1) + 1
        state = Mutex(State(stored: Gzip.Stored(count: count)))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            guard let byte = next(&state) else { return 0 }
            buffer[0] = byte
            state.position += 1
            return 1
        }
    }

    private func next(_ state: inout State) -> UInt8? {
        let start = isCompressed ? state.stored.start : []
        let place = state.position - start.count
        if place < 0 { return start[state.position] }
        if place < count {
            let offset = place % (marker.count + 1)
            let byte = place == count - 1 ? 0x78 : offset == marker.count ? 0x0A : marker[offset]
            state.stored.add(byte)
            return byte
        }
        let end = isCompressed ? state.stored.end : []
        return place - count < end.count ? end[place - count] : nil
    }
}
