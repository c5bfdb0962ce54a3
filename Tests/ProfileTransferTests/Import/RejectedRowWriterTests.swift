import CSVStream
import ProfileCore
import ProfileStore
import Synchronization
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct RejectedRowWriterTests {
    static let tooShort = ReportedIssue(field: "phone", code: "too_short", message: "Phone is short")
    static let badRow = ReportedIssue(field: nil, code: "bad_row", message: "The row has 4 cells")

    @Test func `I7: a rejected row has the input's columns, its line and its issues, and secrets are empty`() throws {
        let output = try rejects(
            of: "username,password,phone\nann,Secret1,787\n\n\"b,ob\",Geheim2,\"say \"\"7\"\"\"\n", secretColumns: [1],
            issues: [Self.tooShort, Self.badRow])
        #expect(
            output == """
                username,password,phone,_line,_issues
                ann,,787,2,phone: too_short (Phone is short); row: bad_row (The row has 4 cells)
                "b,ob",,"say ""7""\",4,phone: too_short (Phone is short); row: bad_row (The row has 4 cells)

                """)
    }

    @Test func `I7: columns of an earlier rejects file give way to the new ones`() throws {
        let output = try rejects(of: "_line,username,_issues,phone\n9,ann,phone: old,787\n", issues: [Self.tooShort])
        #expect(output == "username,phone,_line,_issues\nann,787,2,phone: too_short (Phone is short)\n")
    }

    @Test func `I7: a row with a wrong number of cells keeps its cells and their number`() throws {
        let output = try rejects(of: "username;phone\nann\nbob;787;8;9\n", delimiter: .semicolon, issues: [Self.badRow])
        #expect(
            try cells(of: output, delimiter: .semicolon) == [
                ["username", "phone", "_line", "_issues"],
                ["ann", "2", "row: bad_row (The row has 4 cells)"],
                ["bob", "787", "8", "9", "3", "row: bad_row (The row has 4 cells)"],
            ])
        // The columns of the first file give way, although the number of cells is still wrong.
        #expect(
            try cells(of: rejects(of: output, delimiter: .semicolon, issues: [Self.tooShort]), delimiter: .semicolon)
                == [
                    ["username", "phone", "_line", "_issues"],
                    ["ann", "2", "phone: too_short (Phone is short)"],
                    ["bob", "787", "8", "9", "3", "phone: too_short (Phone is short)"],
                ])
    }

    @Test func `I7: no cell is written of a row in which a secret may stand anywhere`() throws {
        let output = try rejects(
            of: "username,password,address\nann,12 Main St, Secret1,x\nbob,Secret2\neve,\"Secret3,12 Main\n",
            secretColumns: [1], issues: [Self.badRow])
        #expect(!output.contains("Secret") && !output.contains("Main"))
        let rows = try cells(of: output).dropFirst()
        #expect(rows.map { $0[$0.count - 2] } == ["2", "3", "4"])
        #expect(rows.allSatisfy { $0.count != 5 && $0.dropLast(2).allSatisfy(\.isEmpty) })
    }

    @Test func `I7: the file can be read whatever the input was`() throws {
        let output = try rejects(of: Array("username,phone\nann,".utf8) + [0xFF, 0x37, 0x0A, 0x62, 0x00], issues: [])
        #expect(
            try cells(of: output) == [
                ["username", "phone", "_line", "_issues"], ["ann", "\u{FFFD}7", "", "2", ""],
                ["b\u{FFFD}", "", "", "3", ""],
            ])
    }

    private func rejects(
        of input: String, secretColumns: Set<Int> = [], delimiter: CSVDelimiter = .comma, issues: [ReportedIssue]
    ) throws -> String {
        try rejects(of: Array(input.utf8), secretColumns: secretColumns, delimiter: delimiter, issues: issues)
    }

    /// Returns the file of rejected rows if every record of an input is rejected.
    private func rejects(
        of input: [UInt8], secretColumns: Set<Int> = [], delimiter: CSVDelimiter = .comma, issues: [ReportedIssue]
    ) throws -> String {
        let written = WrittenBytes()
        var reader = CSVReader(options: CSVOptions(delimiter: .character(delimiter)), source: .bytes(input))
        var batch = RecordBatch()
        #expect(try reader.header(into: &batch))
        var columns: [String] = []
        for cell in batch.records[0].cells { columns.append(String(batch.cell(cell))) }
        var writer = try RejectedRowWriter(
            columns: columns, secretColumns: secretColumns, delimiter: delimiter, to: written.sink)
        while try reader.next(into: &batch) {
            for index in batch.records.indices { try writer.write(record: index, of: batch, issues: issues) }
        }
        try writer.finish()
        return String(decoding: written.bytes.withLock { $0 }, as: UTF8.self)
    }
}

/// A sink in memory.
private final class WrittenBytes: Sendable {
    let bytes = Mutex<[UInt8]>([])

    var sink: ByteSink {
        ByteSink { [self] buffer throws(ByteStreamError) in bytes.withLock { $0.append(contentsOf: buffer) } }
    }
}
