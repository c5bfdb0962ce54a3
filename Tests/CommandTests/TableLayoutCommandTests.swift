import Testing
import Watchdog

/// Files with lines around their table, and the options that say where the table begins.
@Suite(.watched) struct TableLayoutCommandTests {
    private static let schema = """
        {"name": "club", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "age", "type": "integer"}, {"name": "note"}
        ]}
        """

    @Test(arguments: [
        ["--skip", "1", "--header-line", "2"], ["--no-header", "--header-line", "2"], ["--header-line", "0"],
        ["--skip", "-1"], ["--comment", "##"], ["--comment", "\""], ["--comment", ";", "--delimiter", ";"],
        ["--pad", "--as", "json"], ["--skip", "1", "--as", "ndjson"],
    ])
    func `contradictory options are usage errors`(options: [String]) throws {
        let workplace = try Workplace()
        try workplace.write("username,age\nann,1\n", to: "people.csv")
        for command in [["import"], ["validate"], ["schema", "infer"]] {
            let outcome = try workplace.run(
                [try Workplace.binary()] + command + ["people.csv"] + options, input: "", environment: [:])
            #expect(outcome.status == 64, "\(command) \(options): \(outcome)")
        }
    }

    @Test func `N5: a file with lines above its header and comments makes a store, with one command`() throws {
        let workplace = try Workplace()
        try workplace.write("Members, 2024\nuser;age;note\nann;7;x\nbob;8;y\n", to: "titled.csv")
        let titled = try workplace.profiles(
            "import", "titled.csv", "--infer", "--yes", "--database", "titled.sqlite")
        #expect(titled.status == 0 && titled.output.contains("imported  2"), "\(titled)")
        #expect(titled.error.contains("The header is in line 2; the line above it was skipped."), "\(titled)")
        try workplace.write(
            "Members, 2024\nuser;age;note\n# new;1;2\nann;7;x\nbob;8\ncy;9\n", to: "people.csv")
        let outcome = try workplace.profiles(
            "import", "people.csv", "--infer", "--yes", "--header-line", "2", "--comment", "#", "--pad")
        #expect(outcome.status == 0 && outcome.output.contains("imported  3"), "\(outcome)")
        #expect(try workplace.profiles("lookup", "cy").output.contains("9"))
    }

    @Test func `N12: a store reads its next files with its settings, wherever their header is`() throws {
        let workplace = try Workplace()
        try workplace.write("Club\nState,May\ncode,n,d\nA,1,x\n# B,2,y\nC,3\nM,2,x\n", to: "may.csv")
        let first = try workplace.profiles(
            "import", "may.csv", "--infer", "--yes", "--key", "code", "--comment", "#", "--pad")
        #expect(first.status == 0 && first.output.contains("imported  3"), "\(first)")
        let next = [
            "code,n,d\nD,1,x\n# E,2,y\nF,3\n", "# none\ncode,n,d\nG,1\n",
            "Club\nState,June\n\nby me\ncode,n,d\nH,4,x\n# I,2,y\nJ,5\n",
        ]
        for text in next {
            try workplace.write(text, to: "next.csv")
            let options = text.hasPrefix("code") ? ["--header-line", "1"] : []
            for more in [options, ["--infer", "--yes"]] {
                let outcome = try workplace.run(
                    [try Workplace.binary(), "import", "next.csv", "--on-duplicate", "skip"] + more, input: "",
                    environment: [:])
                #expect(outcome.status == 0 && !outcome.error.contains("match no field"), "\(outcome)")
            }
        }
        #expect(
            try workplace.profiles("list", "--columns", "code,n", "--format", "csv").output
                == "code,n\nA,1\nC,3\nM,2\nD,1\nF,3\nG,1\nH,4\nJ,5\n")
        // The error is about the file's first line, not about the line of the settings.
        try workplace.write("x,y\n1,2\n", to: "other.csv")
        let other = try workplace.profiles("import", "other.csv")
        #expect(other.status == 65 && other.error.contains("The first row names no field"), "\(other)")
        // A header with an unknown column is not skipped in favour of a later line.
        try workplace.write("code,n,extra\nK,1,x\ncode,n,d\nL,1,x\n", to: "joined.csv")
        let refused = try workplace.profiles("import", "joined.csv")
        #expect(refused.status == 65 && refused.error.contains("\"extra\""), "\(refused)")
    }

    @Test func `N5: a file without a header makes a store, and its rejected rows import again`() throws {
        let workplace = try Workplace()
        let rows = (0..<6).map { "ann\($0),199\($0)-01-01,\($0).5\n" }
        try workplace.write(rows.joined(), to: "people.csv")
        let offered = try workplace.profiles("schema", "infer", "people.csv")
        #expect(offered.output.contains("--no-header"), "\(offered)")
        let proposal = try workplace.profiles("schema", "infer", "people.csv", "--no-header", "--format", "json")
        #expect(proposal.output.contains("\"header\": false"), "\(proposal)")
        let made = try workplace.profiles("import", "people.csv", "--infer", "--yes", "--no-header")
        #expect(made.status == 0 && made.output.contains("imported  6"), "\(made)")
        try workplace.write("eve,x,1.5\n#fay,1994-01-01,y\n", to: "more.csv")
        // The store remembers that such files have no header.
        let more = try workplace.profiles("import", "more.csv", "--rejects", "rejects.csv")
        #expect(more.status == 1 && more.output.contains("rejected  2"), "\(more)")
        #expect(more.output.contains(" mend rejects.csv\n"), "\(more)")
        let rejects = try workplace.read("rejects.csv").replacing("eve,x", with: "eve,1990-01-01")
            .replacing("01,y", with: "01,2.5")
        try workplace.write(rejects, to: "mended.csv")
        for options in [[], ["--no-header", "--comment", "#"]] as [[String]] {
            let again = try workplace.run(
                [try Workplace.binary(), "import", "mended.csv", "--on-duplicate", "skip"] + options, input: "",
                environment: workplace.environment)
            #expect(again.status == 0, "\(again)")
        }
        #expect(try workplace.profiles("lookup", "#fay").status == 0)
    }

    @Test func `N9: rejected rows of a padded file are mended with the command that the report prints`() throws {
        let workplace = try Workplace(schema: Self.schema)
        try workplace.write("Club\nusername;age;note\nann\nbob;x\n", to: "people.csv")
        let outcome = try workplace.profiles(
            "import", "people.csv", "--skip", "1", "--pad", "--delimiter", ";", "--rejects", "rejects.csv")
        #expect(outcome.status == 1 && outcome.output.contains("imported  1"), "\(outcome)")
        let line = try #require(outcome.output.split(separator: "\n").last { $0.hasPrefix("Mend them with: ") })
        let mend = try workplace.shell("\(line.dropFirst(16)) --plain </dev/null")
        #expect(!mend.error.contains("does not hold rejected rows") && mend.status != 65, "\(mend)")
        #expect(try workplace.read("rejects.csv").contains("username;age;note;_line;_issues\nbob;x;;4;"))
    }

    @Test func `I3: short rows are reported once, with the option that reads them`() throws {
        let workplace = try Workplace(schema: Self.schema)
        try workplace.write("username,age,note\nann,1\nbob,2\ncy\n", to: "people.csv")
        let outcome = try workplace.profiles("validate", "people.csv", "--schema", "schema.json")
        let words = "3 rows have fewer cells than there are columns, the first in line 2. "
        let advice = "If only empty cells at the end are missing, read such rows with --pad."
        #expect(outcome.status == 1 && outcome.output.contains(words + advice), "\(outcome)")
        let padded = try workplace.profiles("validate", "people.csv", "--schema", "schema.json", "--pad")
        #expect(padded.status == 0, "\(padded)")
    }

    @Test func `I2: a refusal names the line that was read as the header, and hints at options that fit it`() throws {
        let workplace = try Workplace(schema: Self.schema)
        try workplace.write("username,age,note\nann,7,x\nbob,8,y\n", to: "people.csv")
        for options in [["--header-line", "3"], ["--skip", "2"]] {
            let outcome = try workplace.run(
                [try Workplace.binary(), "import", "people.csv"] + options, input: "", environment: [:])
            #expect(outcome.status == 65)
            #expect(outcome.error.hasPrefix("Error: Line 3 names no field; nothing was imported\n"), "\(outcome)")
            #expect(outcome.error.contains("\n  If line 3 is not the header, name its line with --header-line, or"))
        }
        let empty = try workplace.profiles("import", "people.csv", "--skip", "100")
        #expect(empty.status == 65)
        #expect(
            empty.error == "Error: The input is empty, or all its lines are skipped: a row should name the columns\n")
        let unread = try workplace.profiles("import", "people.csv", "--no-header")
        let hint = "\n  Line 1 looks like the header: use --header-line 1 instead of --no-header\n"
        #expect(unread.status == 65 && unread.error.contains(hint), "\(unread)")
        #expect(!unread.error.contains("skip the lines above"), "\(unread)")
    }

    @Test func `schema infer --with-store does not hint at options that only an import has`() throws {
        let workplace = try Workplace(schema: Self.schema)
        try workplace.write("shoe,hat\nred,x\nblue,y\n", to: "people.csv")
        let outcome = try workplace.profiles("schema", "infer", "people.csv", "--with-store")
        #expect(outcome.status == 65 && outcome.error.contains("\n  The fields are: username"), "\(outcome)")
        #expect(!outcome.error.contains("--map"), "\(outcome)")
    }

    @Test func `I2: for a file that begins with data, the error suggests --no-header`() throws {
        let workplace = try Workplace(schema: Self.schema)
        let outcome = try workplace.profiles("import", "-", input: "ann,7,x\n")
        #expect(outcome.status == 65 && outcome.error.contains("use --no-header"), "\(outcome)")
        let named = try workplace.profiles(
            "import", "-", "--no-header", "--map", "column_1=username", "--map", "column_2=age", "--map",
            "column_3=note", input: "ann,7,x\n")
        #expect(named.status == 0, "\(named)")
        let twice = try workplace.profiles("import", "-", input: "username,note,note\nbob,1,2\n")
        #expect(twice.status == 65 && twice.error.contains(#"The columns "note" and "note_2" go"#), "\(twice)")
    }
}
