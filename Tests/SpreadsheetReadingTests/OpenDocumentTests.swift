import InputFixtures
import ProfileTransfer
import SpreadsheetReading
import Testing
import Watchdog

@Suite(.watched) struct OpenDocumentTests {
    private func bytes(_ sheets: String, styles: String = "") throws -> [UInt8] {
        let content = """
            <office:document-content><office:automatic-styles>\(styles)</office:automatic-styles><office:body>\
            <office:spreadsheet>\(sheets)</office:spreadsheet></office:body></office:document-content>
            """
        return try ZipFile.bytes([
            ("mimetype", Array("application/vnd.oasis.opendocument.spreadsheet".utf8)),
            ("content.xml", Array(content.utf8)),
        ])
    }

    private func sheet(_ rows: String) throws -> SheetText {
        try SheetText(bytes("<table:table table:name=\"A\">\(rows)</table:table>"))
    }

    @Test func `repeated cells and rows are repeated, and those that are empty cost nothing`() throws {
        let text = try sheet(
            """
            <table:table-row><table:table-cell table:number-columns-repeated="2" office:value-type="float" \
            office:value="1.50"/><table:table-cell table:number-columns-repeated="16000"/></table:table-row>\
            <table:table-row table:number-rows-repeated="2"><table:table-cell/><table:table-cell \
            office:value-type="boolean" office:boolean-value="true"/></table:table-row>\
            <table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>\
            <table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>\
            </table:table-row><table:table-row table:number-rows-repeated="1048576"><table:table-cell/></table:table-row>
            """
        ).text
        #expect(text == "1.5,1.5\n,true\n,true\n\n\n\nx,\n")
    }

    @Test func `values come from the attributes, texts from the paragraphs, and comments are left out`() throws {
        let sheet = try sheet(
            """
            <table:table-row><table:table-cell office:value-type="date" office:date-value="2024-01-31"><text:p>31.1.</text:p>\
            </table:table-cell><table:table-cell office:value-type="date" office:date-value="2024-01-31T10:00:00.000000000"/>\
            <table:table-cell office:value-type="time" office:time-value="PT36H05M00.500S"/>\
            <table:table-cell office:value-type="percentage" office:value="0.25"><text:p>25 %</text:p></table:table-cell>\
            <table:table-cell office:value-type="string"><office:annotation><text:p>comment</text:p></office:annotation>\
            <text:p>a  b<text:s text:c="2"/>c<text:tab/><text:span>d</text:span></text:p><text:p>e</text:p></table:table-cell>\
            <table:table-cell table:formula="of:=NA()" office:value-type="string" office:string-value="" \
            calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell><table:table-cell table:formula="of:=1"/>\
            </table:table-row>
            """)
        #expect(
            sheet.text == "2024-01-31,2024-01-31T10:00:00,36:05:00.5,0.25,\"a b  c\td\ne\",#N/A\n")
        #expect(
            sheet.warnings == [.errorCells(count: 1, line: 1), .formulasWithoutValue(cells: 1, line: 1)])
    }

    @Test func `a hidden sheet is not the first, and a wrong name lists all`() throws {
        let cell =
            "<table:table-row><table:table-cell office:value-type=\"float\" office:value=\"1\"/></table:table-row>"
        let bytes = try bytes(
            """
            <table:table table:name="A" table:style-name="h">\(cell)</table:table><table:table table:name="B">\(cell)\
            </table:table><table:table table:name="C"/>
            """,
            styles: "<style:style style:name=\"h\"><style:table-properties table:display=\"false\"/></style:style>")
        #expect(try SheetText(bytes).warnings == [.otherSheets(["C"])])
        #expect(try SheetText(bytes, sheet: "A").text == "1\n")
        #expect(try SheetText.refusal(of: bytes, sheet: "D") == .unknownSheet("D", sheets: ["A", "B", "C"]))
    }

    @Test func `rows and cells are not repeated without bound`() throws {
        func refusal(_ rows: String, _ columns: String, of text: String = "some text") throws -> SpreadsheetError? {
            try SheetText.refusal(
                of: bytes(
                    """
                    <table:table table:name="A"><table:table-row table:number-rows-repeated="\(rows)"><table:table-cell \
                    table:number-columns-repeated="\(columns)" office:value-type="string"><text:p>\(text)</text:p>\
                    </table:table-cell></table:table-row></table:table>
                    """))
        }
        #expect(try refusal("16000000", "16384") == .unreadablePart("content.xml", .tooLarge))
        #expect(try refusal("1000000", "1000", of: "x") == .unreadablePart("content.xml", .tooLarge))
        #expect(try refusal("1000", "10") == nil)
        for number in ["1000000000", "99999999", "-1", "0", "", "many", "99999999999999999999"] {
            #expect(try refusal(number, "1", of: "x") == .unreadablePart("content.xml", .unexpected), "\(number)")
            #expect(try refusal("1", number, of: "x") == .unreadablePart("content.xml", .unexpected), "\(number)")
        }
        // Empty rows and cells cost nothing, so any number of them is ignored.
        #expect(try refusal("1000000000", "99999999", of: "") == nil)
    }

    @Test func `repeated rows have the width of the header`() throws {
        let cell = "office:value-type=\"string\"><text:p>x</text:p></table:table-cell></table:table-row>"
        let rows = """
            <table:table-row><table:table-cell table:number-columns-repeated="16384" \(cell)\
            <table:table-row table:number-rows-repeated="100000"><table:table-cell \(cell)
            """
        #expect(
            try SheetText.refusal(of: bytes("<table:table table:name=\"A\">\(rows)</table:table>"))
                == .unreadablePart("content.xml", .tooLarge))
    }

    @Test func `without its first part, a spreadsheet is known by its manifest`() throws {
        let type = "application/vnd.oasis.opendocument.spreadsheet"
        let cell = "<table:table-cell office:value-type=\"float\" office:value=\"1\"/>"
        let content = "<d><table:table table:name=\"A\"><table:table-row>\(cell)</table:table-row></table:table></d>"
        let file = try ZipFile.bytes([
            ("META-INF/manifest.xml", Array("<m:manifest><m:file-entry m:media-type=\"\(type)\"/></m:manifest>".utf8)),
            ("content.xml", Array(content.utf8)),
        ])
        #expect(try SheetText(file).text == "1\n")
    }
}
