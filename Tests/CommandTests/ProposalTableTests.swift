import ProfileTesting
import Testing
import Watchdog

/// The proposed schema of a file in a table that fills a real terminal.
@Suite(.watched) struct ProposalTableTests {
    private let references = ReferenceScreens()

    private func workplace() throws -> Workplace {
        let workplace = try Workplace()
        let rows = (0..<12).map { "00\($0 + 10);Ann \($0);\($0 % 12 + 1)/\($0 % 9 + 1)/1980;Secret\($0)x;\($0 * 3)\n" }
        try workplace.write("Kunden_id;Name;Born;Passwort;Amount\n" + rows.joined(), to: "people.csv")
        return workplace
    }

    private func table(
        _ workplace: Workplace, _ arguments: String..., size: TerminalSize = .standard
    ) throws -> TerminalDriver {
        let driver = try TerminalDriver(workplace, arguments, size: size)
        try driver.wait(until: { $0.contains("of 5") })
        return driver
    }

    private func askForKey(_ driver: TerminalDriver) throws {
        try driver.type("k")
        try driver.wait(until: { $0.contains("What identifies a row?") })
    }

    /// Types a name in the line that begins with "Name of" and the shown text.
    private func rename(_ shown: String, to name: String, _ driver: TerminalDriver) throws {
        try driver.type("r")
        try driver.wait(until: { $0.contains("Name of \(shown)") })
        try driver.press(.control("u"))
        try driver.type(name + "\n")
    }

    @Test(
        "N11: the table matches its reference screens",
        arguments: [TerminalSize.standard, .small, TerminalSize(columns: 120, rows: 30)])
    func appearance(size: TerminalSize) throws {
        let driver = try table(try workplace(), "schema", "infer", "people.csv", size: size)
        let name = "\(size.columns)x\(size.rows)"
        try references.verify(driver.screen, is: "proposal-\(name)", includesStyles: true)
        try driver.press(.down, times: 2)
        try driver.type("x")
        try driver.wait(until: { $0.contains("×") })
        try driver.type("k")
        try driver.wait(until: { $0.contains("Take the column in first") })
        try driver.press(.up)
        try driver.type("k")
        try driver.wait(until: { $0.contains("What identifies a row?") })
        try references.verify(driver.screen, is: "proposal-key-\(name)", includesStyles: true)
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        #expect(driver.isRestored)
    }

    @Test func `N11: the choices in the table make the store, and the command prints options for the same choices`()
        throws
    {
        let workplace = try workplace()
        let driver = try table(workplace, "import", "people.csv", "--infer")
        #expect(driver.screen.contains("Return makes a store at"))
        try driver.press(.down)
        try askForKey(driver)
        try driver.press(.home)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains(" K name") })
        try rename("Name: name", to: "nick", driver)
        try driver.wait(until: { $0.contains("Name → nick") })
        try driver.press(.down)
        try driver.type("x")
        try driver.wait(until: { $0.contains("×  Born") })
        try driver.press(.end)
        try driver.type("+")
        try driver.wait(until: { $0.contains("(tightened)") })
        // Nothing is stored before the user accepts.
        #expect(!workplace.exists("store.sqlite"))
        try driver.press(.enter)
        #expect(try driver.end() == 0)
        #expect(driver.isRestored && !driver.transcript.contains("Secret"))
        let schema = try workplace.profiles("schema", "show", "--format", "json").output
        #expect(schema.contains("nick") && !schema.contains("born"), "\(schema)")
        #expect(try workplace.profiles("lookup", "Ann 3").status == 0)
        // The command for the next month makes the same store without a question.
        let words = driver.transcript.replacing("\r\n", with: "\n")
        let start = try #require(words.firstRange(of: "The same without questions: "))
        let line = words[start.upperBound...].prefix { $0 != "\n" }
        #expect(line.hasSuffix("--infer --yes --key Name --rename Name=nick --omit Born --tighten Amount"), "\(line)")
        let again = try workplace.shell("\(line) --database again.sqlite --quiet")
        #expect(again.status == 0, "\(again)")
        let shown = try workplace.profiles("schema", "show", "--format", "json", "--database", "again.sqlite")
        #expect(shown.output == schema)
    }

    @Test func `N11: Esc and Ctrl-C store nothing`() throws {
        let workplace = try workplace()
        for (key, status) in [(TerminalKey.escape, Int32(1)), (.control("c"), 130)] {
            let driver = try table(workplace, "import", "people.csv", "--infer")
            try driver.press(key)
            #expect(try driver.end() == status)
            #expect(driver.isRestored && driver.screen.contains("Nothing was stored"))
            #expect(!workplace.exists("store.sqlite"))
        }
    }

    @Test func `N3: a file without a key is imported with a key that is chosen in the table`() throws {
        let workplace = try Workplace()
        try workplace.write("a,b,c,d,e\n1,x,2,3,4\n1,x,2,3,4\n", to: "rows.csv")
        let driver = try table(workplace, "import", "rows.csv", "--infer")
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Choose what identifies a row first") })
        try askForKey(driver)
        try driver.press(.home)
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { !$0.contains("What identifies") })
        try driver.press(.enter)
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("--key-by-row"))
        #expect(try workplace.profiles("lookup", "2").status == 0)
    }

    @Test func `N11: the message about a refused key in the table names no options of the command line`() throws {
        let driver = try table(try workplace(), "schema", "infer", "people.csv", "--type", "Amount=integer")
        try driver.press(.end)
        try askForKey(driver)
        try driver.press(.home)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("A key is text") })
        #expect(!driver.screen.contains("--"), "\(driver.screen)")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test func `N11: schema infer writes the accepted schema, and shows no table with --plain or a dumb terminal`()
        throws
    {
        let workplace = try workplace()
        let driver = try table(workplace, "schema", "infer", "people.csv", "-o", "schema.json")
        #expect(driver.screen.contains("write schema.json"))
        try rename("Kunden_id", to: "Number", driver)
        try driver.wait(until: { $0.contains("cannot be called \"Number\"") })
        try driver.press(.enter)
        try rename("Kunden_id: kunden_id", to: "number", driver)
        try driver.wait(until: { $0.contains("Kunden_id → number") })
        try driver.press(.enter)
        #expect(try driver.end() == 0)
        #expect(driver.transcript.contains("The column \"Kunden_id\" identifies a row."))
        #expect(driver.transcript.contains("--plain --rename Kunden_id=number"))
        #expect(try workplace.read("schema.json").contains("\"number\""))
        for arguments in [["--plain"], ["--no-input"], ["--format", "json"]] {
            let plain = try TerminalDriver(workplace, ["schema", "infer", "people.csv"] + arguments)
            #expect(try plain.end() == 0)
            #expect(!plain.transcript.contains("\u{1B}[?1049h"))
        }
        let dumb = try TerminalDriver(workplace, "schema", "infer", "people.csv", environment: ["TERM": "dumb"])
        #expect(try dumb.end() == 0)
        #expect(!dumb.transcript.contains("\u{1B}[?1049h"))
    }

    @Test func `N11: the options of the table work without the table, and wrong names are errors`() throws {
        let workplace = try workplace()
        let outcome = try workplace.profiles(
            "import", "people.csv", "--infer", "--yes", "--omit", "Born", "--rename", "Amount=sum", "--relax", "Name")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.error.contains("left out by choice") && outcome.error.contains("sum: "))
        for (arguments, message) in [
            (["--omit", "Town"], "Error: An option names \"Town\", which is not a column of the file"),
            (["--rename", "Name=Nick"], "The field of \"Name\" cannot be called \"Nick\": a name is a letter a–z"),
            (["--rename", "Name=born"], "cannot be called \"born\": another column or field has this name"),
            (["--rename", "Name=password"], "cannot be called \"password\": the name is reserved"),
            (["--rename", "Passwort=word"], "the field of the passwords is always called password"),
        ] {
            let refused = try workplace.run(
                [try Workplace.binary(), "schema", "infer", "people.csv"] + arguments, input: "", environment: [:])
            #expect(refused.status == 64 && refused.error.contains(message), "\(refused)")
        }
        #expect(try workplace.profiles("import", "people.csv", "--omit", "Born").status == 64)
    }
}
