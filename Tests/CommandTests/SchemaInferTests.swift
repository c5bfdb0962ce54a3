import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct SchemaInferTests {
    private static let file = """
        E-Mail;Born;Status;Amount;Password
        ada@example.org;31.12.1999;open;12,50;Sunflower7
        bob@example.org;01.02.2001;closed;n.v.;Sunflower8
        cy@example.org;;open;3,00;Sunflower9

        """

    @Test func `N10: the table says for each column which rules were not proposed, and why`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.file, to: "people.csv")
        let outcome = try workplace.profiles("schema", "infer", "people.csv")
        #expect(outcome.error == "" && outcome.status == 0)
        expectTable(in: outcome.output)
        #expect(
            outcome.output.hasSuffix(
                """

                E-Mail: too few values, so not proposed: a length limit
                Status: too few values, so not proposed: a length limit, required
                Amount: too few values, so not proposed: a length limit, required
                Password: too few values, so not proposed: required

                3 rows in all.
                Rules that the next file may break are left out; --strict proposes them.
                The column "E-Mail" identifies a row.

                """), "\(outcome.output)")
    }

    /// Checks that the table has a line for each column, and fits a terminal of 80 columns.
    private func expectTable(in output: String) {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(output)")
        let names = lines.map { $0.prefix { $0 != " " } }
        #expect(names == ["Column", "E-Mail", "Born", "Status", "Amount", "Password"])
        #expect(lines.first?.contains("Taken for") == true && lines.first?.contains("Values  Examples") == true)
    }

    @Test func `the table has the inferred type, the number of values and examples of each column`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.file, to: "people.csv")
        let outcome = try workplace.profiles("schema", "infer", "people.csv", "--strict")
        #expect(outcome.error == "")
        #expect(outcome.status == 0)
        expectTable(in: outcome.output)
        #expect(
            outcome.output.hasSuffix(
                """


                3 rows in all.
                The column "E-Mail" identifies a row.

                """), "\(outcome.output)")
    }

    @Test func `an option chooses a type, and the rows that do not fit it are reported`() throws {
        let workplace = try Workplace()
        let rows = (1...200).map { "k\($0),\($0 == 7 ? "n.v." : "\($0)")\n" }.joined()
        try workplace.write("id,age\n" + rows, to: "ages.csv")
        let doubted = try workplace.profiles("schema", "infer", "ages.csv")
        #expect(
            doubted.output.contains("age: integers, except 1 in line 8 (--type 'age=integer' rejects these rows)\n"),
            "\(doubted)")
        let chosen = try workplace.profiles("import", "ages.csv", "--infer", "--yes", "--type", "age=integer")
        #expect(chosen.status == 1)
        #expect(chosen.error.contains("1 row with a value that does not fit the --type of its column: line 8\n"))
        for (type, status) in [("x=integer", Int32(64)), ("age=whole", 64), ("id=integer", 64)] {
            let wrong = try workplace.profiles("schema", "infer", "ages.csv", "--type", type)
            #expect(wrong.status == status && wrong.error.hasPrefix("Error: "), "\(wrong)")
        }
    }

    @Test func `the next file can use the same key of several columns or of the content`() throws {
        let workplace = try Workplace()
        try workplace.write("site,number,text\na,1,x\na,2,x\n", to: "one.csv")
        try workplace.write("site,number,text\na,2,x\na,3,x\na,,x\n", to: "two.csv")
        let first = try workplace.profiles("import", "one.csv", "--infer", "--yes", "--key", "site,number")
        #expect(first.status == 0, "\(first)")
        let next = try workplace.profiles("import", "two.csv", "--on-duplicate", "skip", "--key", "site,number")
        #expect(next.status == 1 && next.output.contains("imported  1"), "\(next)")
        #expect(try workplace.profiles("lookup", "a/3").status == 0)
        func byContent(_ option: String, _ value: String) throws -> Workplace.Outcome {
            try workplace.profiles(
                "import", "one.csv", "--key-by-content", "--database", "content.sqlite", option, value)
        }
        #expect(try byContent("--infer", "--yes").status == 0)
        let again = try byContent("--on-duplicate", "skip")
        #expect(again.status == 0 && again.output.contains("skipped"), "\(again)")
        #expect(try byContent("--on-duplicate", "update").status == 0)
        #expect(try byContent("--key-by-row", "--create").status == 64)
    }

    @Test func `the schema goes to a file that is not overwritten without --force`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.file, to: "people.csv")
        let first = try workplace.profiles("schema", "infer", "people.csv", "--output", "schema.json")
        #expect(first.status == 0)
        #expect(first.error == "The schema is in schema.json.\n")
        #expect(workplace.mode("schema.json") & 0o777 == 0o600)
        let second = try workplace.profiles("schema", "infer", "people.csv", "--output", "schema.json")
        #expect(second.status == 73)
        #expect(second.error.contains("--force"))
        #expect(try workplace.profiles("schema", "infer", "people.csv", "-o", "schema.json", "--force").status == 0)
        #expect(try workplace.profiles("schema", "infer", "people.csv", "-o", "people.csv", "--force").status == 73)
        // The proposed schema is valid, and the file meets its rules.
        #expect(try workplace.profiles("schema", "check", "schema.json").status == 0)
        let judged = try workplace.profiles("validate", "people.csv", "--schema", "schema.json")
        #expect(judged.status == 0, "\(judged)")
    }

    @Test func `N4: no password is in the table, nor in the JSON`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.file, to: "people.csv")
        for format in ["text", "json"] {
            let outcome = try workplace.profiles("schema", "infer", "people.csv", "--format", format)
            #expect(outcome.output.contains("password"))
            #expect(!outcome.output.contains("Sunflower"))
        }
    }

    @Test func `standard input is read like a file`() throws {
        let workplace = try Workplace()
        let outcome = try workplace.profiles("schema", "infer", "-", "--format", "json", input: Self.file)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\"key\": {\n    \"column\": \"E-Mail\""))
    }

    @Test func `N3: for a file without a key, the command exits 1 and says what to do`() throws {
        let workplace = try Workplace()
        let outcome = try workplace.profiles("schema", "infer", "-", "-o", "schema.json", input: "a,b\n1,2\n1,2\n")
        #expect(outcome.status == 1)
        let start =
            "Error: No column can be the key: in each one a value is missing or repeated. The closest is \"a\", which"
        #expect(outcome.error.hasPrefix(start) && outcome.error.contains("--key-by-content"), "\(outcome)")
        #expect(outcome.output.hasPrefix("Column"))
        #expect(!workplace.exists("schema.json"))
        let empty = try workplace.profiles("schema", "infer", "-", input: "a,b\n")
        #expect(empty.status == 1 && empty.error.hasPrefix("Error: The file has no rows"), "\(empty)")
        try workplace.write("a,b\n1,2\n1,2\n", to: "rows.csv")
        let named = try workplace.profiles("schema", "infer", "rows.csv")
        #expect(named.error.contains("has the value \"1\" again in lines 2 and 3 (upper and lower"), "\(named)")
        #expect(try workplace.profiles("schema", "infer", "rows.csv", "--key-by-row", "-o", "rows.json").status == 0)
        let chosen = try workplace.profiles("schema", "infer", "rows.csv", "--key", "a")
        #expect(
            chosen.status == 0
                && chosen.output.contains(
                    "1 row with the key of an earlier row (upper and lower case count as equal): line 3\n")
        )
        let missing = try workplace.profiles("schema", "infer", "rows.csv", "--key", "c")
        #expect(missing.status == 64 && missing.error.hasPrefix("Error: --key names \"c\": the file has no such"))
        #expect(try workplace.profiles("validate", "rows.csv", "--schema", "rows.json").status == 0)
        #expect(try workplace.profiles("validate", "rows.csv", "--schema", "rows.json", "--key-by-row").status == 0)
        #expect(try workplace.profiles("import", "rows.csv", "--key-by-row").status == 65)
        #expect(try workplace.profiles("init", "--schema", "rows.json", "--database", "rows.sqlite").status == 0)
        #expect(
            try workplace.profiles("import", "rows.csv", "--key-by-row", "--database", "rows.sqlite").status == 0)
        #expect(try workplace.profiles("lookup", "2", "--database", "rows.sqlite").status == 0)
    }

    @Test func `a file with more than a hundred columns needs --columns`() throws {
        let workplace = try Workplace()
        let header = (0..<101).map { "c\($0)" }.joined(separator: ",")
        let outcome = try workplace.profiles("schema", "infer", "-", input: "\(header)\n")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("--columns"))
    }
}
