import InputFixtures
import ProfileTransfer
import SpreadsheetReading
import Testing
import Watchdog

@Suite(.watched) struct ExcelSheetTests {
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("007", "7"), ("1.50", "1.5"), ("0.1", "0.1"),
        ("0.30000000000000004", "0.3"), ("1234.5600000000001", "1234.56"), ("-2.9999999999999996", "-3"),
        ("0.1234567890123456", "0.123456789012346"), ("99999999999999.99", "100000000000000"),
        ("1E3", "1000"), ("1.2E-2", "0.012"), ("1.0000000000000000E-7", "1e-07"), ("0.0001", "0.0001"),
        ("0.000012", "1.2e-05"), ("0.00000012345000000000002", "1.2345e-07"),
        ("123456789012345678", "123456789012345678"), ("-12345678901234567890123", "-12345678901234567890123"),
        ("9.007199254740991E+15", "9007199254740991"), ("1.2345678901234567E+19", "1.23456789012346e+19"),
        ("1E+21", "1e+21"), ("1.7976931348623157E+308", "1.7976931348623157e+308"), ("-2.5", "-2.5"), (".5", "0.5"),
        ("5.", "5"), ("\n 1.50\n", "1.5"), ("-", "-"), ("1e999", "1e999"), ("nonsense", "nonsense"),
    ])
    func `a number has at most 15 digits, as spreadsheets show them, and a whole number has all digits`(
        stored: String, text: String
    ) throws {
        #expect(try SheetText(ExcelFile("<row><c><v>\(stored)</v></c></row>")).text == text + "\n")
    }

    @Test(
        arguments: [
            (14, nil, "45322", "2024-01-31"), (22, nil, "45322", "2024-01-31T00:00:00"),
            (14, nil, "45322.5", "2024-01-31T12:00:00"),
            (14, nil, "1", "1900-01-01"), (14, nil, "59", "1900-02-28"), (14, nil, "60", "1900-02-29"),
            (14, nil, "61", "1900-03-01"),
            (14, nil, "2958465", "9999-12-31"), (14, nil, "2958466", "2958466"), (14, nil, "-1", "-1"),
            (14, nil, "0", "1900-01-00"),
            (18, nil, "0.75", "18:00:00"), (46, nil, "1.5", "36:00:00"), (21, nil, "0.0000058", "00:00:00.501"),
            (14, nil, "45321.999999999", "2024-01-31"),
            (164, "yyyy\\-mm\\-dd", "45322", "2024-01-31"),
            (164, "[$-409]d/m/yy h:mm AM/PM;@", "45322.25", "2024-01-31T06:00:00"),
            (164, "mm:ss.0", "0.5", "12:00:00"), (164, "mmm", "45322", "2024-01-31"), (164, "[h]:mm", "2", "48:00:00"),
            (164, "0.00E+00", "45322", "45322"), (164, "\"days\" 0", "45322", "45322"),
            (164, "General", "45322", "45322"),
            (164, "[Red]#,##0.00", "45322.5", "45322.5"), (164, "\\d0", "45322", "45322"),
            (164, "0;yyyy", "45322", "45322"), (164, "G/通用格式", "45322", "45322"),
            (164, "ggge\"年\"", "45322", "2024-01-31"),
            (1, nil, "45322", "45322"),
        ] as [(Int, String?, String, String)])
    func `a number with a format of dates or times is a date or a time`(
        format: Int, code: String?, stored: String, text: String
    ) throws {
        var file = ExcelFile("<row><c s=\"1\"><v>\(stored)</v></c></row>")
        file.formats = [0, format]
        if let code { file.codes[format] = code }
        #expect(try SheetText(file).text == text + "\n")
    }

    @Test func `dates count from 1904 if the workbook says so`() throws {
        for properties in ["date1904=\"1\"", "date1904=\"true\""] {
            let cells = [0, 43_860, 2_957_003, 2_957_004].map { "<c s=\"0\"><v>\($0)</v></c>" }
            var file = ExcelFile("<row>\(cells.joined())</row>")
            (file.formats, file.properties) = ([14], properties)
            #expect(try SheetText(file).text == "1904-01-01,2024-01-31,9999-12-31,2957004\n")
        }
    }

    @Test(arguments: ["/", "\\", "upper"]) func `the names of parts may be written in other ways`(way: String) throws {
        let types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        func relationships(_ type: String, _ target: String) -> String {
            "<R><Relationship Id=\"a\" Type=\"\(types)/\(type)\" Target=\"\(target)\"/></R>"
        }
        let parts = [
            ("_rels/.rels", relationships("officeDocument", "/xl/workbook.xml")),
            ("xl/workbook.xml", "<workbook><sheets><sheet name=\"A\" r:id=\"a\"/></sheets></workbook>"),
            ("xl/_rels/workbook.xml.rels", relationships("worksheet", "../xl/./sheets/a.xml")),
            ("xl/sheets/a.xml", "<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>"),
        ]
        let written = parts.map { name, content in
            let name =
                switch way {
                case "/": "/" + name
                case "upper": name.uppercased()
                default: name.replacing("/", with: way)
                }
            return (name: name, content: Array(content.utf8))
        }
        #expect(try SheetText(ZipFile.bytes(written)).text == "1\n")
    }

    @Test func `shared, inline, rich and phonetic texts, escapes, booleans, errors and dates as text are read`() throws
    {
        var file = ExcelFile(
            """
            <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>in</t></is></c>\
            <c r="D1" t="str"><f>A1</f><v>x_x000A_y</v></c><c r="E1" t="b"><v>1</v></c><c r="F1" t="b"><v>0</v></c>\
            <c r="G1" t="e"><v>#REF!</v></c><c t="d"><v>2024-01-31T00:00:00.000</v></c>\
            <c r="I1" t="d"><v>2024-01-31T10:00:00.5</v></c><c r="J1" t="s"><v>2</v></c></row>
            """)
        file.strings = [
            "<t>plain</t>", "<r><t>ri</t></r><r><t>ch</t></r><rPh sb=\"0\" eb=\"1\"><t>READ</t></rPh>",
            "<t>_x005F_x000D_ _xD83D_ _x12_ _x00e9_</t>",
        ]
        let sheet = try SheetText(file)
        #expect(
            sheet.text
                == "plain,rich,in,\"x\ny\",true,false,#REF!,2024-01-31,2024-01-31T10:00:00.5,_x000D_ _xD83D_ _x12_ é\n")
        #expect(sheet.warnings == [.errorCells(count: 1, line: 1)])
    }

    @Test func `a row keeps its number, is filled up to the header, and loses empty cells at its end`() throws {
        let sheet = try SheetText(
            ExcelFile(
                """
                <row r="2"><c r="A2"><v>1</v></c><c r="C2"><v>2</v></c><c r="E2"/></row><row r="3"><c r="A3"/></row>\
                <row r="5"><c r="B5"><v>3</v></c></row><row><c><v>4</v></c></row>\
                <row r="9"><c r="D9"><v>5</v></c></row><row r="20"><c r="A20" s="1"/></row>
                """))
        #expect(sheet.text == "\n1,,2\n\n\n,3,\n4,,\n\n\n,,,5\n")
        let titled = try SheetText(
            ExcelFile("<row><c><v>1</v></c></row><row><c/><c><v>2</v></c></row><row><c><v>3</v></c></row>"),
            headerRow: 2)
        #expect(titled.text == "1\n,2\n3,\n")
    }

    @Test func `the first sheet is the first visible one with cells, wherever its part is`() throws {
        var file = ExcelFile("<row><c><v>1</v></c></row>")
        file.sheets += [("Two", "<row><c><v>2</v></c></row>", ""), ("Three", "", "")]
        file.parts["xl/workbook.xml"] = """
            <x:workbook xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main" xmlns:r="x"><x:sheets>\
            <x:sheet name="Hidden" sheetId="1" state="hidden" r:id="s1"/><x:sheet name="Chart" sheetId="9" r:id="u"/>\
            <x:sheet name="Two" sheetId="2" r:id="s2"/><x:sheet name="Three" sheetId="3" r:id="s3"/></x:sheets></x:workbook>
            """
        #expect(try SheetText(file).text == "2\n")
        #expect(try SheetText(file).warnings == [.otherSheets(["Three"])])
        #expect(try SheetText(file, sheet: "Hidden").text == "1\n")
        #expect(try SheetText(file, sheet: "Three").text == "")
        #expect(
            try SheetText.refusal(of: file.bytes(), sheet: "two")
                == .unknownSheet("two", sheets: ["Hidden", "Two", "Three"]))
    }

    @Test func `hidden columns beyond the cells and hidden rows without cells are not mentioned`() throws {
        var file = ExcelFile(
            "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"2\" hidden=\"1\"/>", rest: "<mergeCells/>")
        file.parts["xl/worksheets/tab1.xml"] = """
            <worksheet><cols><col min="2" max="16384" hidden="1"/></cols><sheetData>\(file.sheets[0].data)</sheetData>\
            </worksheet>
            """
        #expect(try SheetText(file).warnings.isEmpty)
    }
}
