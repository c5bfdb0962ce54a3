import InputFixtures
import ProfileCore
import ProfileStore
import ProfileTransfer
import SchemaInference
import SpreadsheetReading
import Testing
import Watchdog

@Suite(.watched) struct SheetInputTests {
    private struct Chunks: AsyncSequence, Sendable {
        let bytes: [UInt8]
        let size: Int

        func makeAsyncIterator() -> AsyncStream<ArraySlice<UInt8>>.Iterator {
            AsyncStream { continuation in
                for start in stride(from: 0, to: bytes.count, by: size) {
                    continuation.yield(bytes[start..<Swift.min(bytes.count, start + size)])
                }
                continuation.finish()
            }.makeAsyncIterator()
        }
    }

    private let people = [["id", "name"], ["1", "ann\nb"], ["2", ""], ["", ""], ["3", "cy;d"]]

    @Test(arguments: [1, 3, 1_000]) func `a stream is read as a sheet if it is one, and unchanged if not`(size: Int)
        async throws
    {
        func inferring(_ bytes: [UInt8]) async throws -> SchemaProposal {
            let input = ImportInput(Chunks(bytes: bytes, size: size), name: "s")
            return try await SchemaInferrer().run(input.readingSheet(keptIn: "/tmp"))
        }
        let sheet = try await inferring(ExcelFile(rows: people).bytes())
        #expect(sheet.rows == 3 && sheet.columns.map(\.header) == ["id", "name"])
        let text = try await inferring(Array("id;name;city\n1;ann;Oslo\n".utf8))
        #expect(text.rows == 1 && text.columns.map(\.header) == ["id", "name", "city"])
        #expect(try await inferring(Array("P\n".utf8)).columns.map(\.header) == ["P"])
        await #expect(throws: InferenceError.input(.looksLike(.zip))) {
            try await inferring(Array("PK\u{3}\u{4} is no archive".utf8))
        }
        await #expect(throws: InferenceError.input(.noHeader)) { try await inferring([]) }
    }

    @Test func `an import reports the numbers of rows, also below cells with line breaks, and the oddities`()
        async throws
    {
        var file = ExcelFile(rows: people + [["3", "twice"]])
        file.sheets.append(("Other", "", ""))
        let input = try ImportInput(bytes: file.bytes(), name: "people.xlsx").readingSheet(keptIn: "/tmp")
        let again = try input.readableAgain(keptIn: "/tmp")
        let proposal = try await SchemaInferrer().run(again)
        #expect(proposal.warnings == [.blankLines(count: 1, line: 4), .otherSheets(["Other"])])
        #expect(proposal.columns.map(\.header) == ["id", "name"])
        var options = InferenceOptions()
        options.key = .columns(["id"])
        let schema = try #require(try await SchemaInferrer(options: options).run(again).schema)
        let report = try await ProfileImporter(schema: schema, today: .latest).run(again)
        #expect(report.rows == 4 && report.rejected == 1)
        #expect(report.issues.listed.map(\.line) == [6])
        #expect(report.warnings == [.blankLines(count: 1, line: 4), .otherSheets(["Other"])])
        #expect(report.format == .csv(delimiter: UInt8(ascii: ",")))
    }

    @Test func `without this module, the workbook is refused as a spreadsheet`() async throws {
        let input = ImportInput(bytes: try ExcelFile(rows: people).bytes(), name: "people.xlsx")
        await #expect(throws: InferenceError.input(.looksLike(.spreadsheet))) { try await SchemaInferrer().run(input) }
    }
}
