@testable import CSVStream
import Testing
import Watchdog

@Suite("I3: a fault affects only its own record", .watched)
struct RecordFaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        let rows: [Row]
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ rows: [(line: Int, cells: [String], fault: RecordFault?)]) {
            self.name = name
            self.bytes = bytes
            self.rows = rows.enumerated().map { number, row in
                Row(line: row.line, number: number, cells: row.cells.map { Array($0.utf8) }, fault: row.fault)
            }
        }

        init(_ name: String, _ text: String, _ rows: [(line: Int, cells: [String], fault: RecordFault?)]) {
            self.init(name, Array(text.utf8), rows)
        }
    }

    static let cases = [
        Case(
            "text after a quote", "a,b\n\"x\"y,z\nc,d\n",
            [(1, ["a", "b"], nil), (2, ["\"x\"y", "z"], .textAfterQuote), (3, ["c", "d"], nil)]),
        Case(
            "a space after a quote", "\"x\" ,z\nc",
            [(1, ["\"x\" ", "z"], .textAfterQuote), (2, ["c"], nil)]),
        Case(
            "sound cells beside text after a quote are unquoted", "\"a\"\"b\",\"c,d\",\"e\"f,\"g,h\"\r\nz",
            [(1, ["a\"b", "c,d", "\"e\"f", "g,h"], .textAfterQuote), (2, ["z"], nil)]),
        Case(
            "text after a quote that spans lines costs the first line", "\"x\ny\"z,1\nc,d\n",
            [(1, ["\"x"], .textAfterQuote), (2, ["y\"z", "1"], nil), (3, ["c", "d"], nil)]),
        Case(
            "an unclosed quote costs its line", "a,\"b,c\nd,e\nf,g",
            [(1, ["a", "\"b", "c"], .unclosedQuote), (2, ["d", "e"], nil), (3, ["f", "g"], nil)]),
        Case(
            "an unclosed quote in the last line", "a\nb,\"c",
            [(1, ["a"], nil), (2, ["b", "\"c"], .unclosedQuote)]),
        Case("a quote alone", "\"", [(1, ["\""], .unclosedQuote)]),
        Case("three quotes", "\"\"\"", [(1, ["\"\"\""], .unclosedQuote)]),
        Case(
            "a stray quote meets the next quoted cell", "1,\"x\n2,y\n3,\"z\"\n4,w\n",
            [(1, ["1", "\"x"], .textAfterQuote), (2, ["2", "y"], nil), (3, ["3", "z"], nil), (4, ["4", "w"], nil)]),
        Case(
            "blank lines after an unclosed quote still count as lines", "\"a\r\n\r\n\rb",
            [(1, ["\"a"], .unclosedQuote), (4, ["b"], nil)]),
        Case(
            "NUL", "a,b\nx\0,y\n\"\0\",\"z\"\nc,d\n",
            [
                (1, ["a", "b"], nil), (2, ["x\0", "y"], .nul), (3, ["\0", "z"], .nul), (4, ["c", "d"], nil),
            ]),
    ]

    @Test("I3: a faulty record is refused by itself, and the next is read", arguments: cases)
    func faulty(_ example: Case) throws {
        for chunk in [1, 2, 5, .max] {
            for batchBytes in [1, 1 << 20] {
                let rows = try readAll(example.bytes, options: CSVOptions(batchBytes: batchBytes), chunk: chunk)
                #expect(rows == example.rows, "chunk \(chunk), batch \(batchBytes)")
            }
        }
    }

    @Test(
        "I3: bytes that are not UTF-8 are an issue of their row, and stay as they are",
        arguments: [
            [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF],
            [0xFE, 0xFE],
        ] as [[UInt8]])
    func badEncoding(_ bad: [UInt8]) throws {
        let bytes = Array("é,1\n".utf8) + bad + Array(",2\n\"".utf8) + bad + Array("\",3\nü,4\n".utf8)
        for chunk in [1, .max] {
            let rows = try readAll(bytes, chunk: chunk)
            #expect(rows.map(\.fault) == [nil, .badEncoding, .badEncoding, nil])
            #expect(rows.count == 4 && rows[1].cells.first == bad && rows[2].cells.first == bad)
        }
    }

    @Test(
        "I3: unpaired surrogates are an issue of their row",
        arguments: [[0xD800], [0xDC00], [0xD800, 0xD800, 0xDC00], [0xDFFF, 0xD83D]] as [[UInt16]])
    func unpairedSurrogate(_ bad: [UInt16]) throws {
        let units = Array("\u{FEFF}a,😀\n".utf16) + bad + Array(",2\nü,4\n".utf16)
        for (bigEndian, chunk) in [(false, 1), (true, .max), (false, 3)] {
            let rows = try readAll(utf16(units, bigEndian: bigEndian), chunk: chunk)
            #expect(rows.map(\.fault) == [nil, .badEncoding, nil])
            #expect(rows.first?.texts == ["a", "😀"] && rows.last?.texts == ["ü", "4"])
        }
    }

    @Test("I3: UTF-16 that ends in the middle of a character spoils its last row")
    func halfUnit() throws {
        for tail: [UInt8] in [[0x61], [0x3D, 0xD8], [0x3D, 0xD8, 0x00]] {
            let rows = try readAll(utf16("a\nb,c", bigEndian: false) + tail)
            #expect(rows.map(\.fault) == [nil, .badEncoding])
        }
    }

    // A limit of ten bytes, line ends not counted.
    static let limits = [
        Case("as long as may be", "0123456789\nb\n", [(1, ["0123456789"], nil), (2, ["b"], nil)]),
        Case("as long as may be, CR LF", "0123,56789\r\nb\r\n", [(1, ["0123", "56789"], nil), (2, ["b"], nil)]),
        Case("as long as may be, CR", "01234567\"9\rb", [(1, ["01234567\"9"], nil), (2, ["b"], nil)]),
        Case("one too many", "a\n01234567890\nb", [(1, ["a"], nil), (2, [], .tooLong), (3, ["b"], nil)]),
        Case("one too many, CR LF", "01234567890\r\nb", [(1, [], .tooLong), (2, ["b"], nil)]),
        Case("one too many, CR", "01234567890\r\rb", [(1, [], .tooLong), (3, ["b"], nil)]),
        Case("two too many, CR", "012345678901\rb", [(1, [], .tooLong), (2, ["b"], nil)]),
        Case("many too many", String(repeating: "x,", count: 99) + "\nb", [(1, [], .tooLong), (2, ["b"], nil)]),
        Case("too long at the end", "b\n01234567890", [(1, ["b"], nil), (2, [], .tooLong)]),
        Case("quoted, too long on one line", "\"012345678901234\",x\nb", [(1, [], .tooLong), (2, ["b"], nil)]),
        Case(
            "quoted, never closed", "\"0123456789012345\nb\nc",
            [(1, [], .tooLong), (2, ["b"], nil), (3, ["c"], nil)]),
        Case(
            "quoted over lines past the limit", "\"a\n0123456789\n\",x\nb,\"1\"",
            [
                (1, ["\"a"], .unclosedQuote), (2, ["0123456789"], nil), (3, ["\"", "x"], .textAfterQuote),
                (4, ["b", "1"], nil),
            ]),
        Case("quotes closed before the limit", "\"a\nb\",0123456789\nc", [(1, [], .tooLong), (3, ["c"], nil)]),
        Case("text after a quote on a line too long", "\"a\"b0123456789\nc", [(1, [], .tooLong), (2, ["c"], nil)]),
    ]

    @Test("I3: a record over the limit is refused, and the line after it is read", arguments: limits)
    func limit(_ example: Case) throws {
        for chunk in [1, 2, 11, .max] {
            for batchBytes in [1, 1 << 20] {
                let options = CSVOptions(maximumRecordBytes: 10, batchBytes: batchBytes)
                #expect(try readAll(example.bytes, options: options, chunk: chunk) == example.rows, "chunk \(chunk)")
            }
        }
    }

    @Test("I11: a cell of a hundred megabytes is refused with bounded memory", arguments: ["", "\""])
    func enormousCell(quote: String) throws {
        var bytes = Array("a,b\n\(quote)".utf8)
        bytes += [UInt8](repeating: UInt8(ascii: "x"), count: 100 << 20)
        bytes += Array("\(quote),1\nc,d\n".utf8)
        let options = CSVOptions(maximumRecordBytes: 1 << 16, batchBytes: 1 << 16)
        var reader = CSVReader(options: options, source: .bytes(bytes))
        var batch = RecordBatch()
        var rows: [Row] = []
        while try reader.next(into: &batch) {
            rows += batch.rows
            #expect(batch.bytes.capacity <= 1 << 18)
        }
        #expect(rows.map(\.fault) == [nil, .tooLong, nil])
        #expect(rows.last?.texts == ["c", "d"] && rows.last?.line == 3)
    }

    @Test(
        "I3: hostile quotes cause at most one more scan of the bytes",
        arguments: ["x\",\"\n", "\"\n", "\"\"\"\n\"x", "a,\"\n\"\",", "\"\"\n,\"x\"\"\r", "\"a\nb\"c\n\"\"\"\n"])
    func hostileQuotes(_ unit: String) throws {
        for limit in [100, 5_000, 1 << 20] {
            let bytes = Array(String(repeating: unit, count: 20_000).utf8)
            var reader = CSVReader(
                options: CSVOptions(maximumRecordBytes: limit, batchBytes: 1 << 16), source: .bytes(bytes))
            var batch = RecordBatch()
            while try reader.next(into: &batch) {}
            #expect(reader.bytesRescanned <= UInt64(bytes.count))
        }
    }

    @Test func `hostile quotes do cause a second scan, so the test of its bound is not empty`() throws {
        let bytes = Array(String(repeating: "x\",\"\n", count: 2_000).utf8)
        var reader = CSVReader(source: .bytes(bytes))
        var batch = RecordBatch()
        #expect(try reader.next(into: &batch))
        #expect(batch.records.count == 2_000)
        #expect(batch.records.allSatisfy { $0.fault == .unclosedQuote })
        #expect(reader.bytesRescanned == UInt64(bytes.count - 5))
    }
}
