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

    @Test func `I15: rows that end in empty cells are read below a title, also in the next workbook`() throws {
        func file(_ title: [[String]], _ number: Int) -> ExcelFile {
            let rows = (0..<8).map { ["ann\(number + $0)", "7876124\($0)", $0 % 4 == 1 ? "" : "note \($0)"] }
            return ExcelFile(rows: title + [["name", "phone", "note"]] + rows)
        }
        let workplace = try workplace(file([["Members 2024"], []], 0).bytes())
        let made = try workplace.profiles("import", "people.xlsx", "--infer", "--yes", "--key", "name")
        #expect(made.status == 0 && made.output.contains("imported  8"), "\(made)")
        try SmallFile.write(file([["Members 2025"], ["May"], []], 10).bytes(), to: "\(workplace.folder)/next.xlsx")
        let next = try workplace.profiles("import", "next.xlsx")
        #expect(next.status == 0 && next.output.contains("imported  8"), "\(next)")
    }

    @Test func `I15: a workbook can come through a pipe, and be read twice`() throws {
        let workplace = try workplace(file().bytes())
        let outcome = try workplace.shell("cat people.xlsx | profiles import - --infer --yes --key Username")
        #expect(outcome.status == 1 && outcome.output.contains("imported  2"), "\(outcome)")
        let inferred = try workplace.shell("cat people.xlsx | profiles schema infer - --sheet Other")
        #expect(inferred.output.contains("City"), "\(inferred)")
    }

    @Test func `I15: the error about a wrong sheet lists the sheets, and --sheet is refused for a text file`() throws {
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

    @Test func `I15: if the next workbook lacks the sheet of the first, the message says that the store names it`()
        throws
    {
        var first = file()
        first.sheets[1].data += "<row><c t=\"str\"><v>Oslo</v></c></row>"
        let workplace = try workplace(first.bytes())
        let made = try workplace.profiles(
            "import", "people.xlsx", "--infer", "--yes", "--sheet", "Other", "--key-by-row")
        #expect(made.status == 0, "\(made)")
        var next = first
        next.sheets[1].name = "May"
        try SmallFile.write(next.bytes(), to: "\(workplace.folder)/next.xlsx")
        let outcome = try workplace.profiles("import", "next.xlsx")
        #expect(outcome.status == 65)
        for text in [
            "no sheet \"Other\", which the store's rules name (profiles.sheet); nothing was imported",
            "Its sheets are: \"Sheet1\", \"May\"", "--sheet",
        ] {
            #expect(outcome.error.contains(text), "\(outcome)")
        }
        let chosen = try workplace.profiles("import", "next.xlsx", "--sheet", "May")
        #expect(!chosen.error.contains("no sheet"), "\(chosen)")
        // A text through a pipe is no workbook, so the sheet does not apply to it.
        let text = try workplace.shell("printf 'City\\nOslo\\nBern\\n' | profiles import -")
        #expect(text.output.contains("imported  1"), "\(text)")
    }

    @Test func `I15: computed numbers are numbers, with the digits that a spreadsheet shows`() throws {
        var computed = ExcelFile(
            """
            <row><c t="str"><v>id</v></c><c t="str"><v>amount</v></c></row>\
            <row><c t="str"><v>a</v></c><c><v>0.30000000000000004</v></c></row>\
            <row><c t="str"><v>b</v></c><c><v>1234.5600000000001</v></c></row>
            """)
        computed.strings = []
        let workplace = try workplace(computed.bytes())
        let outcome = try workplace.profiles("import", "people.xlsx", "--infer", "--yes")
        #expect(outcome.status == 0, "\(outcome)")
        let sum = try workplace.profiles("list", "--where", "amount<1", "--format", "json")
        #expect(sum.output.contains("0.3") && !sum.output.contains("0000"), "\(sum)")
    }

    @Test func `I15: a workbook that is compressed with gzip is read`() throws {
        let workplace = try workplace(Gzip.compressed(file().bytes()), name: "people.xlsx.gz")
        let outcome = try workplace.profiles("import", "people.xlsx.gz", "--infer", "--yes", "--key", "Username")
        #expect(outcome.output.contains("imported  2"), "\(outcome)")
        let whole = try Gzip.compressed(file().bytes())
        try SmallFile.write(Array(whole.dropLast(30)), to: "\(workplace.folder)/cut.gz")
        let cut = try workplace.profiles("import", "cut.gz")
        #expect(cut.status == 65 && cut.error.contains("The compressed input is damaged or cut off"), "\(cut)")
    }

    @Test func `I15: a damaged workbook, a bomb and an encrypted one are refused, and nothing is imported`() throws {
        var bomb = file()
        bomb.parts["xl/sharedStrings.xml"] = "<sst>" + String(repeating: " ", count: 20 << 20) + "</sst>"
        let encrypted = try ZipFile.bytes(
            [("[Content_Types].xml", Array("<Types/>".utf8)), ("_rels/.rels", Array("<R/>".utf8))], flags: 1)
        for (bytes, text) in [
            (
                try Array(file().bytes().dropLast(100)),
                "The input is damaged or cut off; nothing was imported"
            ),
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
