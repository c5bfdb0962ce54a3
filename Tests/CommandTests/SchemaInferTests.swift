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

    @Test func `N10: of each column the table says what was left out, and why`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.file, to: "people.csv")
        let outcome = try workplace.profiles("schema", "infer", "people.csv")
        #expect(outcome.error == "" && outcome.status == 0)
        #expect(
            outcome.output == """
                Column    Taken for                                                     Values  Examples                           Doubtful
                E-Mail    e_mail: text (email); primary key; required; unique; email         3  ada@example.org · bob@example.org  too few values, so not: a length limit
                Born      born: date; as dd.MM.yyyy; missing as NA, N/A, NULL, null, …       2  31.12.1999 · 01.02.2001
                Status    status: text                                                       3  open · closed                      too few values, so not: a length limit, required
                Amount    amount: text                                                       3  12,50 · n.v.                       too few values, so not: a length limit, required
                Password  password                                                           3                                     too few values, so not: required

                3 rows in all.
                Rules that the next file may break are left out; --strict proposes them.
                The column "E-Mail" identifies a row.

                """)
    }

    @Test func `the table says of each column what it was taken for, with two values and what is doubtful`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.file, to: "people.csv")
        let outcome = try workplace.profiles("schema", "infer", "people.csv", "--strict")
        #expect(outcome.error == "")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                Column    Taken for                                                               Values  Examples                           Doubtful
                E-Mail    e_mail: text (email); primary key; required; unique; length 20 at mos…       3  ada@example.org · bob@example.org
                Born      born: date; as dd.MM.yyyy                                                    2  31.12.1999 · 01.02.2001
                Status    status: text; required; length 10 at most                                    3  open · closed
                Amount    amount: text; required; length 5 at most                                     3  12,50 · n.v.
                Password  password; required                                                           3

                3 rows in all.
                The column "E-Mail" identifies a row.

                """)
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
        // What was proposed is right, and takes the file.
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

    @Test func `standard input is read as a file is`() throws {
        let workplace = try Workplace()
        let outcome = try workplace.profiles("schema", "infer", "-", "--format", "json", input: Self.file)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\"key\": {\n    \"column\": \"E-Mail\""))
    }

    @Test func `N3: a file without a key ends in 1 and says what to do`() throws {
        let workplace = try Workplace()
        let outcome = try workplace.profiles("schema", "infer", "-", "-o", "schema.json", input: "a,b\n1,2\n1,2\n")
        #expect(outcome.status == 1)
        #expect(
            outcome.error == """
                Error: No column can be the username: in each one a value is missing or repeated
                  Use the row number as the username with --key-by-row, or choose a column with --key (rows that repeat its values are rejected)

                """)
        #expect(outcome.output.hasPrefix("Column"))
        #expect(!workplace.exists("schema.json"))
        try workplace.write("a,b\n1,2\n1,2\n", to: "rows.csv")
        #expect(try workplace.profiles("schema", "infer", "rows.csv", "--key-by-row", "-o", "rows.json").status == 0)
        let chosen = try workplace.profiles("schema", "infer", "rows.csv", "--key", "a")
        #expect(chosen.status == 0 && chosen.output.contains("1 row with the username of an earlier row: line 3\n"))
        let missing = try workplace.profiles("schema", "infer", "rows.csv", "--key", "c")
        #expect(missing.status == 64 && missing.error.hasPrefix("Error: --key names \"c\", which is not a column"))
        #expect(try workplace.profiles("validate", "rows.csv", "--schema", "rows.json").status == 65)
        #expect(try workplace.profiles("validate", "rows.csv", "--schema", "rows.json", "--key-by-row").status == 0)
        #expect(try workplace.profiles("import", "rows.csv", "--key-by-row").status == 65)
        #expect(try workplace.profiles("init", "--schema", "rows.json", "--database", "rows.sqlite").status == 0)
        #expect(
            try workplace.profiles("import", "rows.csv", "--key-by-row", "--database", "rows.sqlite").status == 0)
        #expect(try workplace.profiles("lookup", "2", "--database", "rows.sqlite").status == 0)
    }

    @Test func `past a hundred columns it asks for --columns`() throws {
        let workplace = try Workplace()
        let header = (0..<101).map { "c\($0)" }.joined(separator: ",")
        let outcome = try workplace.profiles("schema", "infer", "-", input: "\(header)\n")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("--columns"))
    }
}
