import CSVStream
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
        let gzip = try await inferring(Gzip.compressed(ExcelFile(rows: people).bytes()))
        #expect(gzip.rows == 3 && gzip.columns.map(\.header) == ["id", "name"])
        let gzipText = try await inferring(Gzip.compressed(Array("id;name;city\n1;ann;Oslo\n".utf8)))
        #expect(gzipText.rows == 1 && gzipText.columns.map(\.header) == ["id", "name", "city"])
        let zip = try ZipFile.bytes([("a.csv", Array("id\n1\n".utf8))])
        await #expect(throws: InferenceError.input(.looksLike(.zip))) { try await inferring(zip) }
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

    @Test(arguments: [true, false]) func `the usual sheet applies to workbooks alone`(isStream: Bool) async throws {
        var file = ExcelFile(rows: people)
        file.sheets.append(("Other", "<row><c t=\"str\"><v>City</v></c></row>", ""))
        func sheet(_ bytes: [UInt8], usual: String, named name: String? = nil) throws -> String {
            let input =
                isStream
                ? ImportInput(Chunks(bytes: bytes, size: 100), name: "s") : ImportInput(bytes: bytes, name: "s")
            return try SheetText(input.readingSheet(named: name, usual: usual, keptIn: "/tmp")).text
        }
        #expect(try sheet(file.bytes(), usual: "Other") == "City\n")
        #expect(try sheet(file.bytes(), usual: "May", named: "Other") == "City\n")
        #expect(try sheet(Array("a,b\n".utf8), usual: "Other") == "not a sheet")
        let error = #expect(throws: ByteStreamError.self) { try sheet(file.bytes(), usual: "May") }
        #expect(error?.cause as? SpreadsheetError == .unknownUsualSheet("May", sheets: ["Sheet1", "Other"]))
    }

    @Test func `without this module, the workbook is refused as a spreadsheet`() async throws {
        let input = ImportInput(bytes: try ExcelFile(rows: people).bytes(), name: "people.xlsx")
        await #expect(throws: InferenceError.input(.looksLike(.spreadsheet))) { try await SchemaInferrer().run(input) }
    }
}
