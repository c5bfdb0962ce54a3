import InputFixtures
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct WorkbookCommandTests {
    /// Two sheets, a row below a blank one, and a date.
    private func file() -> ExcelFile {
        var file = ExcelFile(
            """
            <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>\
            <row r="2"><c r="A2" t="str"><v>ann</v></c><c r="B2" s="1"><v>32000</v></c></row>\
            <row r="4"><c r="A4" t="str"><v>bob</v></c></row><row r="5"><c r="B5" s="1"><v>33000</v></c></row>
            """)
        file.strings = ["<t>Username</t>", "<t>Born</t>"]
        file.formats = [0, 14]
        file.sheets.append(("Other", "<row><c t=\"str\"><v>City</v></c></row>", ""))
        return file
    }

    private func workplace(_ bytes: [UInt8], name: String = "people.xlsx") throws -> Workplace {
        let workplace = try Workplace()
        try SmallFile.write(bytes, to: "\(workplace.folder)/\(name)")
        return workplace
    }

    @Test(arguments: ["people.xlsx", "people", "people.csv"])
    func `I15: one command imports a workbook, whatever its name is`(name: String) throws {
        let workplace = try workplace(file().bytes(), name: name)
        let outcome = try workplace.profiles("import", name, "--infer", "--yes", "--key", "Username")
        #expect(outcome.status == 1, "\(outcome.error)")
        #expect(outcome.output.contains("imported  2") && outcome.output.contains("line 5"), "\(outcome.output)")
        #expect(outcome.output.contains("1 other sheet: Other. Name another sheet with --sheet."))
        #expect(try workplace.profiles("lookup", "ann").output.contains("1987-08-11"))
        let again = try workplace.profiles("import", name, "--on-duplicate", "skip", "--format", "json")
        #expect(again.output.contains(#""code": "other_sheets""#) || again.output.contains(#""code":"other_sheets""#))
    }

    @Test func `I15: a workbook can come through a pipe, and be read twice`() throws {
        let workplace = try workplace(file().bytes())
        let outcome = try workplace.shell("cat people.xlsx | profiles import - --infer --yes --key Username")
        #expect(outcome.status == 1 && outcome.output.contains("imported  2"), "\(outcome)")
        let inferred = try workplace.shell("cat people.xlsx | profiles schema infer - --sheet Other")
        #expect(inferred.output.contains("City"), "\(inferred)")
    }

    @Test func `I15: a wrong sheet lists the sheets, and a sheet of a text is refused`() throws {
        let workplace = try workplace(file().bytes())
        let outcome = try workplace.profiles("validate", "people.xlsx", "--sheet", "people")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("no sheet \"people\"") && outcome.error.contains("\"Sheet1\", \"Other\""))
        try workplace.write("a,b\n", to: "a.csv")
        let text = try workplace.profiles("validate", "a.csv", "--sheet", "A")
        #expect(text.status == 64 && text.error.contains("the input is not a workbook"), "\(text)")
        let both = try workplace.profiles("validate", "people.xlsx", "--sheet", "A", "--as", "csv")
        #expect(both.status == 64 && both.error.contains("--sheet is for workbooks"))
    }

    @Test func `I15: a damaged workbook, a bomb and an encrypted one are refused, and nothing is imported`() throws {
        var bomb = file()
        bomb.parts["xl/sharedStrings.xml"] = "<sst>" + String(repeating: " ", count: 20 << 20) + "</sst>"
        let encrypted = try ZipFile.bytes(
            [("[Content_Types].xml", Array("<Types/>".utf8)), ("_rels/.rels", Array("<R/>".utf8))], flags: 1)
        for (bytes, text) in [
            (try Array(file().bytes().dropLast(100)), "its ZIP archive cannot be read; nothing was imported"),
            (try bomb.bytes(), "The part \"xl/sharedStrings.xml\" of the workbook is far larger"),
            (encrypted, "encrypted with a password; nothing was imported"),
        ] {
            let workplace = try workplace(bytes)
            let outcome = try workplace.profiles("import", "people.xlsx", "--create")
            #expect(outcome.status == 65 && outcome.error.contains(text), "\(outcome)")
            #expect(!workplace.exists("store.sqlite"))
        }
    }
}
