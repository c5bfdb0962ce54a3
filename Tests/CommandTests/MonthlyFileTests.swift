import InputFixtures
import ProfileTesting
import Testing
import Watchdog

/// Files that users get every month, from different domains, and the next file of each kind.
@Suite(.watched) struct MonthlyFileTests {
    /// A file with the options of its first import. The next file needs only the option for rows that are already
    /// stored.
    struct MonthlyFile: CustomTestStringConvertible {
        let name: String
        let first: String
        let options: [String]
        /// The number of rows of the first file.
        let rows: Int
        /// Further rows of the next file.
        let further: String
        /// The export with the original names; nil if it is the file itself.
        var exported: String?

        var testDescription: String { name }
    }

    static let files = [
        MonthlyFile(
            name: "statement.csv",
            first: """
                Account 123456
                Period: 01.01.2026 - 31.01.2026

                Day;Payee;Purpose;Amount
                02.01.2026;Landlord;Rent;-900,00 €
                05.01.2026;Café Lux;Card;-4,50 €
                05.01.2026;Café Lux;Card;-4,50 €
                28.01.2026;Work;Salary;3.200,00 €

                """, options: ["--key-by-content"], rows: 4,
            further: "02.02.2026;Landlord;Rent;-900,00 €\n",
            exported: """
                Day;Payee;Purpose;Amount
                02.01.2026;Landlord;Rent;-900,00 €
                05.01.2026;Café Lux;Card;-4,50 €
                05.01.2026;Café Lux;Card;-4,50 €
                28.01.2026;Work;Salary;3.200,00 €

                """),
        MonthlyFile(
            name: "sensors.csv",
            first: "# logger 7\nsensor,time,celsius\nA1,2026-01-01T00:00:00Z,3.5\nA2,2026-01-01T00:00:00Z,-1\n",
            options: ["--comment", "#", "--key", "sensor,time"], rows: 2, further: "A1,2026-01-01T01:00:00Z,3.75\n",
            exported: "sensor,time,celsius\nA1,2026-01-01T00:00:00Z,3.5\nA2,2026-01-01T00:00:00Z,-1\n"),
        MonthlyFile(
            name: "members.tsv", first: "4711\tAnn\t1980-02-03\n4712\tBob\t1991-12-31\n", options: ["--no-header"],
            rows: 2,
            further: "4713\tCy\t2001-01-01\n"),
        MonthlyFile(
            name: "invoices.csv", first: "Invoice,Customer,Total\nR-1,Ann,$85000\nR-2,Bob,\"$1,250\"\n", options: [],
            rows: 2,
            further: "R-3,Cy,-$12\n",
            // Some amounts of the file are in groups. So all amounts are written in groups.
            exported: "Invoice,Customer,Total\nR-1,Ann,\"$85,000\"\nR-2,Bob,\"$1,250\"\n"),
        MonthlyFile(
            name: "orders.ndjson",
            first:
                "{\"order\":\"o1\",\"ship\":{\"city\":\"Bern\",\"zip\":\"3000\"},\"tags\":[\"new\",\"gift\"]}\n{\"order\":\"o2\",\"ship\":{\"city\":\"Zug\"}}\n",
            options: [], rows: 2, further: "{\"order\":\"o3\",\"ship\":{\"city\":\"Chur\"},\"tags\":[]}\n"),
        MonthlyFile(
            name: "stock.csv", first: "sku|size|size|weight\na-1|S|36|12 kg\na-2|M|38|1250 kg\n", options: [], rows: 2,
            further: "a-3|L|40|7 kg\n",
            // A repeated header keeps the number that it got.
            exported: "sku|size|size_2|weight\na-1|S|36|12 kg\na-2|M|38|1250 kg\n"),
        MonthlyFile(
            name: "survey.csv", first: "id,answer,why,comment\n1,yes,price,good\n2,no\n3,yes,habit\n",
            options: ["--pad"],
            rows: 3, further: "4,no\n",
            exported: "id,answer,why,comment\n1,yes,price,good\n2,no,,\n3,yes,habit,\n"),
        MonthlyFile(
            name: "clinic.csv", first: "id;status;created_at;value\n7;open;2026-01-02;5,5\n8;closed;2026-01-03;6,25\n",
            options: [], rows: 2, further: "9;open;2026-02-01;7,0\n"),
    ]

    @Test("a file of each domain is imported with one command, and so is the next one", arguments: files)
    func nextFile(_ file: MonthlyFile) throws {
        let workplace = try Workplace()
        try workplace.write(file.first, to: file.name)
        let first = try run(workplace, ["import", file.name, "--infer", "--yes"] + file.options)
        #expect(first.status == 0 && first.output.contains("imported  \(file.rows)"), "\(first)")
        let next = "next-" + file.name
        try workplace.write(file.first + file.further, to: next)
        let second = try run(workplace, ["import", next, "--on-duplicate", "skip"])
        #expect(second.status == 0 && second.output.contains("imported  1"), "\(second)")
        #expect(second.output.contains("skipped   \(file.rows)"), "\(second)")
    }

    @Test(
        "N13: an original export gives back each file", arguments: files.filter { !$0.name.hasSuffix("ndjson") })
    func original(_ file: MonthlyFile) throws {
        let workplace = try Workplace()
        try workplace.write(file.first, to: file.name)
        #expect(try run(workplace, ["import", file.name, "--infer", "--yes"] + file.options).status == 0)
        let export = try run(workplace, ["export", "--original"])
        #expect(export.status == 0 && export.output == file.exported ?? file.first, "\(export)")
    }

    @Test(
        "spreadsheets of real programs are imported with one command",
        arguments: ["libreoffice.ods", "xlsxwriter-1904.xlsx"])
    func spreadsheet(name: String) throws {
        let workplace = try Workplace()
        let path = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let file = "\(path)/SpreadsheetReadingTests/Files/\(name)"
        let outcome = try run(workplace, ["import", file, "--infer", "--yes"])
        #expect(outcome.status == 0 && outcome.output.contains("rejected  0"), "\(outcome)")
        let again = try run(workplace, ["import", file])
        #expect(again.status == 1 && again.output.contains("The store already has all keys of the file."), "\(again)")
    }

    @Test func `N11: in a terminal a bank statement makes a store that takes the next one`() throws {
        let workplace = try Workplace()
        let file = try #require(Self.files.first)
        try workplace.write(file.first, to: "january.csv")
        // The next statement has another number of lines above its header.
        try workplace.write("Bank of Bern\n" + file.first + file.further, to: "february.csv")
        let driver = try TerminalDriver(workplace, "import", "january.csv", "--infer")
        try driver.wait(for: "1 of 4")
        try driver.type("k")
        try driver.wait(for: "the content of the whole row")
        try driver.press(.up)
        try driver.press(.enter)
        try driver.wait(until: { !$0.contains("What identifies a row?") })
        try driver.press(.enter)
        #expect(try driver.end() == 0)
        #expect(driver.transcript.contains("--infer --yes --key-by-content"))
        let next = try run(workplace, ["import", "february.csv", "--on-duplicate", "skip"])
        #expect(next.status == 0 && next.output.contains("imported  1"), "\(next)")
    }

    private func run(_ workplace: Workplace, _ arguments: [String]) throws -> Workplace.Outcome {
        try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
    }
}
