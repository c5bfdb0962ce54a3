import CSVStream
import Platform
import Synchronization
import Testing
import Watchdog

@Suite("I13: records to bytes", .watched)
struct CSVWriterTests {
    @Test(
        "I13: a cell is quoted only where it must be",
        arguments: [
            (["a", "b"], "a,b\n"), (["a,b"], "\"a,b\"\n"), (["say \"hi\""], "\"say \"\"hi\"\"\"\n"),
            (["1\n2", "3\r4"], "\"1\n2\",\"3\r4\"\n"), ([" a", "b ", "c d"], "\" a\",\"b \",c d\n"),
            (["", ""], ",\n"), ([""], "\"\"\n"), ([], "\"\"\n"), (["a;b\t|'"], "a;b\t|'\n"),
            (["\u{FEFF}a", "\u{FEFF}b"], "\"\u{FEFF}a\",\u{FEFF}b\n"), (["naïve 😀"], "naïve 😀\n"),
        ])
    func quoting(_ cells: [String], _ expected: String) throws {
        #expect(try String(decoding: written([cells.map { Array($0.utf8) }]), as: UTF8.self) == expected)
    }

    @Test(
        "I13: a cell that a spreadsheet would evaluate is prefixed only if the option is set",
        arguments: [
            ("=1+1", "'=1+1"), ("+49 30", "'+49 30"), ("-5", "'-5"), ("@SUM(A1)", "'@SUM(A1)"), ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""), ("=A1,B1", "\"'=A1,B1\""), ("a=b", "a=b"), ("'=1", "'=1"), ("7876-1241", "7876-1241"),
        ])
    func spreadsheetSafe(_ cell: String, _ expected: String) throws {
        let safe = try written([[Array(cell.utf8)]], spreadsheetSafe: true)
        #expect(String(decoding: safe, as: UTF8.self) == expected + "\n")
        let plain = try written([[Array(cell.utf8)]])
        #expect(try readAll(plain).map(\.texts) == [[cell]])
    }

    @Test(
        "I13: lines end as asked for",
        arguments: [(.lf, "a\nb\n"), (.crlf, "a\r\nb\r\n"), (.cr, "a\rb\r")] as [(CSVWriter.LineEnd, String)])
    func lineEnds(_ lineEnd: CSVWriter.LineEnd, _ expected: String) throws {
        let bytes = try written([[[0x61]], [[0x62]]], lineEnd: lineEnd)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func `bytes reach a file descriptor in order, however many there are`() throws {
        var path = Array("/tmp/CSVWriterTests.XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        defer { close(descriptor) }
        #expect(unlink(path) == 0)
        var writer = CSVWriter(to: .descriptor(descriptor))
        for number in 0..<30_000 {
            writer.cell("row\(number)".utf8Span.span)
            try writer.endRecord()
        }
        try writer.finish()
        #expect(lseek(descriptor, 0, SEEK_SET) == 0)
        let rows = try readAll(.descriptor(descriptor))
        #expect(rows.map(\.texts) == (0..<30_000).map { ["row\($0)"] })
    }

    @Test func `a failed write throws an error with errno`() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        var writer = CSVWriter(to: .descriptor(full))
        writer.cell("a".utf8Span.span)
        try writer.endRecord()
        let error = #expect(throws: ByteStreamError.self) { try writer.flush() }
        #expect(error == ByteStreamError(operation: .write, code: ENOSPC))
    }
}

func written(
    _ records: [[[UInt8]]], delimiter: CSVDelimiter = .comma, lineEnd: CSVWriter.LineEnd = .lf,
    spreadsheetSafe: Bool = false
) throws -> [UInt8] {
    let output = CollectingSink()
    var writer = CSVWriter(
        to: ByteSink { buffer throws(ByteStreamError) in output.append(buffer) },
        delimiter: delimiter, lineEnd: lineEnd, spreadsheetSafe: spreadsheetSafe)
    for record in records {
        for cell in record { writer.cell(cell.span) }
        try writer.endRecord()
    }
    try writer.finish()
    return output.bytes
}

private final class CollectingSink: Sendable {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    func append(_ buffer: UnsafeRawBufferPointer) {
        let copy = Array(buffer)
        collected.withLock { $0 += copy }
    }
}
