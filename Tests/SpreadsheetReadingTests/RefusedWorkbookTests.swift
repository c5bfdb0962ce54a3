import InputFixtures
import ProfileTransfer
import SpreadsheetReading
import Testing
import Watchdog

@Suite(.watched) struct RefusedWorkbookTests {
    private let row = "<row><c><v>1</v></c></row>"

    private func refusal(of file: ExcelFile) throws -> SpreadsheetError? {
        try SheetText.refusal(of: file.bytes())
    }

    @Test(arguments: [
        ("<row r=\"2\"/><row r=\"1\"/>", "rows that go back"), ("<row r=\"99999999\"/>", "a row far below the sheet"),
        ("<row r=\"x\"/>", "a row without a number"),
        ("<row><c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c></row>", "cells that go back"),
        ("<row><c r=\"XFE1\"><v>1</v></c></row>", "a cell beyond the last column"),
        ("<row><c r=\"?\"><v>1</v></c></row>", "a cell without a column"),
        ("<row><c t=\"s\"><v>0</v></c></row>", "a text that is not there"),
        ("<row><c t=\"s\"><v>-1</v></c></row>", "a text before the first"),
    ])
    func `a sheet with impossible rows or cells is refused`(data: String, what: String) throws {
        #expect(try refusal(of: ExcelFile(data)) == .unreadablePart("xl/worksheets/tab1.xml", .unexpected))
    }

    @Test func `XML that is not well-formed, declares entities or nests too deeply is refused with its part`() throws {
        func fault(_ xml: String) throws -> SpreadsheetError? {
            var file = ExcelFile("")
            file.parts["xl/worksheets/tab1.xml"] = xml
            return try refusal(of: file)
        }
        let part = "xl/worksheets/tab1.xml"
        #expect(try fault("<worksheet>\n<sheetData></worksheet>") == .unreadablePart(part, .malformed(line: 2)))
        #expect(
            try fault("<!DOCTYPE x [<!ENTITY a \"1\">]>\n<worksheet><sheetData>\(row)</sheetData></worksheet>")
                == .unreadablePart(part, .malformed(line: 1)))
        let deep = String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)
        #expect(try fault("<worksheet>\(deep)</worksheet>") == .unreadablePart(part, .malformed(line: 1)))
        let long = String(repeating: "x", count: 6 << 20)
        #expect(try fault("<worksheet a=\"\(long)\"/>") == .unreadablePart(part, .malformed(line: 1)))
        #expect(try fault("") == .unreadablePart(part, .malformed(line: 1)))
    }

    @Test func `a part that is missing or damaged is named`() throws {
        var file = ExcelFile(row)
        file.parts["xl/_rels/workbook.xml.rels"] = """
            <Relationships><Relationship Id="s1" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" \
            Target="sheets/a.xml"/></Relationships>
            """
        #expect(try refusal(of: file) == .unreadablePart("xl/sheets/a.xml", .missing))
        var bytes = try ExcelFile(String(repeating: row, count: 100)).bytes()
        // The sheet is the last part. Deflate has no block of the type 3.
        let header = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 3, 4]) })
        bytes[header + 30 + "xl/worksheets/tab1.xml".utf8.count] = 7
        #expect(try SheetText.refusal(of: bytes) == .unreadablePart("xl/worksheets/tab1.xml", .damaged))
        let whole = try ExcelFile(row).bytes()
        #expect(try SheetText.refusal(of: Array(whole.dropLast(200))) == .damagedArchive)
    }

    @Test(arguments: ["openpyxl.xlsx", "libreoffice.ods", "encrypted.xlsx"])
    func `a workbook that is cut off anywhere is called damaged`(name: String) throws {
        let bytes = try SheetText.bytes(ofFile: name)
        // The directory of an encrypted workbook is not at its end, so its beginning may show that it is encrypted.
        let known: [SpreadsheetError] = name == "encrypted.xlsx" ? [.damagedArchive, .encrypted] : [.damagedArchive]
        for place in 0..<200 {
            let kept = 8 + place * (bytes.count - 8) / 200
            let refusal = try SheetText.refusal(of: Array(bytes[..<kept]))
            #expect(refusal.map(known.contains) == true, "\(kept): \(String(describing: refusal))")
        }
    }

    @Test(arguments: ["openpyxl.xlsx", "xlsxwriter-1904.xlsx", "libreoffice.ods"])
    func `a changed byte in a part is called damage, if it is noticed`(name: String) throws {
        let bytes = try SheetText.bytes(ofFile: name)
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        // The first part of each local header is its signature, and the reader does not use the rest.
        for place in stride(from: 60, to: end, by: max(1, end / 300)) {
            var changed = bytes
            changed[place] ^= 0x55
            let refusal = try SheetText.refusal(of: changed)
            switch refusal {
            case nil, .unreadablePart(_, .damaged): break
            default: Issue.record("\(place): \(String(describing: refusal))")
            }
        }
    }

    @Test func `a workbook whose part has another name is refused with the missing part`() throws {
        let bytes = try ExcelFile(row).bytes()
        /// The archive with other letters in a name of its directory.
        func renaming(_ name: String, _ other: String) throws -> [UInt8] {
            var changed = bytes
            let place = try #require(bytes.indices.last { bytes[$0...].starts(with: Array(name.utf8)) })
            changed.replaceSubrange(place..<place + name.utf8.count, with: Array(other.utf8))
            return changed
        }
        for (name, other) in [
            ("_rels/.rels", "_relz/.rels"), ("xl/workbook.xml", "xl/workbool.xml"),
            ("xl/_rels/workbook.xml.rels", "xl/_rels/workbook.xml.relz"),
            ("xl/worksheets/tab1.xml", "xl/worksheets/tab2.xml"),
        ] {
            #expect(try SheetText.refusal(of: renaming(name, other)) == .unreadablePart(name, .missing))
        }
        #expect(try SheetText(renaming("[Content_Types].xml", "[Content_Typez].xml")).text == "1\n")
        var file = ExcelFile(row)
        file.parts["_rels/.rels"] = "<Relationships/>"
        #expect(try refusal(of: file) == .unreadablePart("_rels/.rels", .unexpected))
    }

    @Test func `a part that expands to far more than its compressed data is refused`() throws {
        var file = ExcelFile(row)
        file.parts["xl/sharedStrings.xml"] = "<sst>" + String(repeating: " ", count: 20 << 20) + "</sst>"
        #expect(try refusal(of: file) == .unreadablePart("xl/sharedStrings.xml", .tooLarge))
        // Few strings in many cells. Each row is short in the file, and a megabyte in the output.
        file.parts = [:]
        file.strings = ["<t>" + String(repeating: "x", count: 1 << 20) + "</t>"]
        file.sheets[0].data = String(repeating: "<row><c t=\"s\"><v>0</v></c></row>", count: 80)
        #expect(try refusal(of: file) == .unreadablePart("xl/worksheets/tab1.xml", .tooLarge))
    }

    @Test func `gzip data that expands to far more than a workbook is refused`() throws {
        let bytes = try ExcelFile(row).bytes() + [UInt8](repeating: 0, count: 40 << 20)
        #expect(try SheetText.refusal(of: Gzip.compressed(bytes)) == .unreadablePart("gzip data", .tooLarge))
    }

    @Test func `many equal rows in a normal sheet are not refused as too large`() throws {
        let row = "<c t=\"inlineStr\"><is><t>A name that each row has</t></is></c>"
        let rows = (1...60_000).map { "<row r=\"\($0)\">\(row)\(row)\(row)\(row)</row>" }.joined()
        let text = try SheetText(ExcelFile(rows)).text
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 60_000)
    }

    @Test func `encrypted archives, binary workbooks and spreadsheets of Numbers are refused by name`() throws {
        let parts = [("[Content_Types].xml", Array("<Types/>".utf8)), ("_rels/.rels", Array("<R/>".utf8))]
        #expect(try SheetText.refusal(of: ZipFile.bytes(parts, flags: 1)) == .encrypted)
        var file = ExcelFile(row)
        file.parts["_rels/.rels"] = """
            <Relationships><Relationship Id="r" Type="x/relationships/officeDocument" Target="xl/workbook.bin"/></Relationships>
            """
        #expect(try refusal(of: file) == .unsupported(.binaryWorkbook))
        let numbers = try ZipFile.bytes([("Index/Document.iwa", []), ("Index/CalculationEngine.iwa", [1])])
        #expect(try SheetText.refusal(of: numbers) == .unsupported(.numbers))
        let later = try ZipFile.bytes([("Index/Document.iwa", []), ("Index/CalculationEngine-12.iwa", [1])])
        #expect(try SheetText.refusal(of: later) == .unsupported(.numbers))
        let open = try ZipFile.bytes([
            ("mimetype", Array("application/vnd.oasis.opendocument.spreadsheet".utf8)),
            ("META-INF/manifest.xml", Array("<m:manifest><m:encryption-data/></m:manifest>".utf8)),
            ("content.xml", [1, 2]),
        ])
        #expect(try SheetText.refusal(of: open) == .encrypted)
    }

    @Test func `a workbook without a visible sheet is refused, and a document is not a workbook`() throws {
        var file = ExcelFile(row)
        file.parts["xl/workbook.xml"] = "<workbook><sheets/></workbook>"
        #expect(try refusal(of: file) == .noSheet)
        file.parts["_rels/.rels"] = """
            <Relationships><Relationship Id="r" Type="x/relationships/officeDocument" Target="word/document.xml"/></Relationships>
            """
        file.parts["xl/workbook.xml"] = nil
        let document = try ZipFile.bytes([
            ("[Content_Types].xml", Array("<Types/>".utf8)),
            ("_rels/.rels", Array(try #require(file.parts["_rels/.rels"]).utf8)),
        ])
        #expect(try SheetText(document).text == "not a sheet")
        #expect(try SheetText.refusal(of: document, sheet: "A") == .notSpreadsheet)
        #expect(try SheetText.refusal(of: Array("a,b\n".utf8), sheet: "A") == .notSpreadsheet)
    }
}
