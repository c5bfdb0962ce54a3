import CSVStream
import Platform
import ProfileTesting
import Testing
import Watchdog

/// A line with its bytes. `bytes` is nil if the line is too long.
private struct ReadLine: Equatable {
    let number: Int
    let bytes: [UInt8]?

    init(_ number: Int, _ text: String?) {
        self.number = number
        bytes = text.map { Array($0.utf8) }
    }

    init(number: Int, bytes: [UInt8]?) {
        self.number = number
        self.bytes = bytes
    }
}

private func lines(_ source: ByteSource, longestLine: Int = 1 << 20) throws -> [ReadLine] {
    var reader = JSONElementReader(source: source, longest: longestLine)
    var lines: [ReadLine] = []
    while let line = try reader.next() {
        let span = reader.bytes(of: line)
        let bytes = span.indices.map { span[$0] }
        #expect(line.fault == nil || bytes.isEmpty)
        lines.append(ReadLine(number: line.line, bytes: line.fault == nil ? bytes : nil))
    }
    #expect(try reader.next() == nil, "the end stays the end")
    return lines
}

private func lines(_ text: String, chunk: Int = .max, longestLine: Int = 1 << 20) throws -> [ReadLine] {
    try lines(.bytes(Array(text.utf8), chunk: chunk), longestLine: longestLine)
}

@Suite(.watched) struct JSONElementReaderTests {
    @Test("I13: lines are the same however the bytes arrive", arguments: [1, 2, 3, 7, .max])
    func chunks(size: Int) throws {
        #expect(try lines("a\nbb\r\n\n\nlast", chunk: size).map(\.number) == [1, 2, 3, 4, 5])
        #expect(
            try lines("a\nbb\r\n\n\nlast", chunk: size) == [
                ReadLine(1, "a"), ReadLine(2, "bb\r"), ReadLine(3, ""), ReadLine(4, ""), ReadLine(5, "last"),
            ])
        #expect(try lines("a\n", chunk: size) == [ReadLine(1, "a")])
        #expect(try lines("\n", chunk: size) == [ReadLine(1, "")])
        #expect(try lines("", chunk: size) == [])
    }

    @Test("I13: a byte order mark is skipped however it arrives, and only at the start", arguments: [1, 2, .max])
    func byteOrderMark(size: Int) throws {
        #expect(try lines("\u{FEFF}a\n\u{FEFF}b", chunk: size) == [ReadLine(1, "a"), ReadLine(2, "\u{FEFF}b")])
        #expect(try lines("\u{FEFF}", chunk: size) == [])
    }

    @Test("I13: UTF-16 is read as UTF-8", arguments: [false, true])
    func utf16(isBig: Bool) throws {
        let bytes = CSVStreamTests.utf16("{\u{1F600}}\nb", bigEndian: isBig)
        #expect(try lines(.bytes(bytes, chunk: 3)) == [ReadLine(1, "{\u{1F600}}"), ReadLine(2, "b")])
    }

    @Test("I11: a line over the limit has no bytes, and later lines are complete", arguments: [1, 5, .max])
    func limit(chunk: Int) throws {
        let text = "1234\n12345\n123456\n\n1234567890\nend"
        #expect(
            try lines(text, chunk: chunk, longestLine: 5) == [
                ReadLine(1, "1234"), ReadLine(2, "12345"), ReadLine(3, nil), ReadLine(4, ""), ReadLine(5, nil),
                ReadLine(6, "end"),
            ])
        #expect(try lines("123456", chunk: chunk, longestLine: 5) == [ReadLine(1, nil)])
        #expect(try lines("12345", chunk: chunk, longestLine: 5) == [ReadLine(1, "12345")])
    }

    @Test func `I11: a line of many megabytes is passed over`() throws {
        let long = String(repeating: "x", count: 10_000_000)
        #expect(
            try lines("a\n\(long)\nb\n\(long)", chunk: 100_000)
                == [ReadLine(1, "a"), ReadLine(2, nil), ReadLine(3, "b"), ReadLine(4, nil)])
    }

    @Test func `I13: random lines agree with splitting at line feeds`() throws {
        for seed in 0..<UInt64(rounds(300)) {
            var random = SeededGenerator(seed: seed)
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                [0x0A, 0x0A, 0x0D, 0x61, 0x62, 0xFF].randomElement(using: &random) ?? UInt8(0)
            }
            let limit = Int.random(in: 1...12, using: &random)
            var expected = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            if expected.last?.isEmpty ?? true { expected.removeLast() }
            let found = try lines(
                .bytes(bytes, chunk: Int.random(in: 1...9, using: &random)), longestLine: limit)
            #expect(
                found
                    == expected.enumerated().map {
                        ReadLine(number: $0.offset + 1, bytes: $0.element.count > limit ? nil : Array($0.element))
                    }, "seed \(seed)")
        }
    }

    @Test func `I13: no line is lost if the source fails now and then`() throws {
        let source = FlakySource(bytes: Array("\u{FEFF}ab\n\nlonger\nend".utf8))
        var reader = JSONElementReader(
            source: ByteSource { buffer throws(ByteStreamError) in try source.read(into: buffer) },
            longest: 4)
        var found: [String] = []
        while true {
            do throws(ByteStreamError) {
                guard let line = try reader.next() else { break }
                let span = reader.bytes(of: line)
                found.append(
                    line.fault == .tooLong ? "too long" : String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
                )
            } catch {
                #expect(error.code == EIO)
            }
        }
        #expect(found == ["ab", "", "too long", "end"])
    }

    @Test func `the bytes that were read are counted`() throws {
        var reader = JSONElementReader(source: .bytes(Array("\u{FEFF}ab\ncd".utf8)))
        while try reader.next() != nil {}
        #expect(reader.bytesRead == 8)
    }
}

@Suite("I13: the elements of a JSON array", .watched) struct JSONArrayTests {
    /// An element as text, or its fault.
    private struct Found: Equatable, CustomStringConvertible {
        let line: Int
        let text: String

        init(_ line: Int, _ text: String) {
            self.line = line
            self.text = text
        }

        var description: String { "\(line): \(text)" }
    }

    private func elements(_ text: String, chunk: Int = .max, longest: Int = 1 << 20) throws -> [Found] {
        var reader = JSONElementReader(source: .bytes(Array(text.utf8), chunk: chunk), longest: longest)
        var found: [Found] = []
        while let element = try reader.next() {
            let span = reader.bytes(of: element)
            let text = String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
            found.append(Found(element.line, element.fault.map { "\($0)" } ?? text))
        }
        #expect(try reader.next() == nil, "the end stays the end")
        return found
    }

    @Test("I13: the elements are the same however the bytes arrive", arguments: [1, 2, 3, 7, .max])
    func chunks(size: Int) throws {
        let text = """

              [ {"a": 1, "b": "}]\\"{["} ,
              {"c": {"d": [1, 2]},
               "e": "x"},"text", 12,null
              ,[]]

            """
        #expect(
            try elements(text, chunk: size) == [
                Found(2, #"{"a": 1, "b": "}]\"{["}"#), Found(3, "{\"c\": {\"d\": [1, 2]},\n   \"e\": \"x\"}"),
                Found(4, "\"text\""), Found(4, "12"), Found(4, "null"), Found(5, "[]"),
            ])
        #expect(try elements("[]", chunk: size) == [])
        #expect(try elements("\u{FEFF} [{}]", chunk: size) == [Found(1, "{}")])
    }

    @Test("I3: each fault is reported, and the next element is read if its start can be found", arguments: [1, .max])
    func faults(chunk: Int) throws {
        #expect(
            try elements("[{}\n{}, {}]", chunk: chunk) == [Found(1, "{}"), Found(2, "outsideArray"), Found(2, "{}")])
        #expect(try elements("[{}]\n{} {}", chunk: chunk) == [Found(1, "{}"), Found(2, "outsideArray")])
        #expect(try elements("[{},\n", chunk: chunk) == [Found(1, "{}"), Found(2, "unclosedArray")])
        #expect(try elements("[{},\n{\"a\":", chunk: chunk) == [Found(1, "{}"), Found(2, "unclosedArray")])
        #expect(try elements("[", chunk: chunk) == [Found(1, "unclosedArray")])
        #expect(try elements("[{},,{}]", chunk: chunk) == [Found(1, "{}"), Found(1, ","), Found(1, "outsideArray")])
        #expect(try elements("[}{}]", chunk: chunk).first == Found(1, "}"))
    }

    @Test("I11: an element over the limit has no bytes, and later elements are complete", arguments: [1, 5, .max])
    func limit(chunk: Int) throws {
        #expect(
            try elements("[{\"a\":1},\n{\"a\":\n\"]}}\"},\n{\"b\":2}]", chunk: chunk, longest: 7)
                == [Found(1, "{\"a\":1}"), Found(2, "tooLong"), Found(4, "{\"b\":2}")])
        let long = String(repeating: "x", count: 10_000_000)
        #expect(try elements("[{\"a\":\"\(long)\"},{}]", chunk: 100_000) == [Found(1, "tooLong"), Found(1, "{}")])
    }

    @Test func `I13: no element is lost if the source fails now and then`() throws {
        let source = FlakySource(bytes: Array("[{\"a\":\"[\"},\n {\"b\":{}}]".utf8))
        var reader = JSONElementReader(
            source: ByteSource { buffer throws(ByteStreamError) in try source.read(into: buffer) })
        var found: [String] = []
        while true {
            do throws(ByteStreamError) {
                guard let element = try reader.next() else { break }
                let span = reader.bytes(of: element)
                found.append(String(decoding: span.indices.map { span[$0] }, as: UTF8.self))
            } catch {
                #expect(error.code == EIO)
            }
        }
        #expect(found == ["{\"a\":\"[\"}", "{\"b\":{}}"])
    }
}
