import InputFixtures
import ProfileTesting
import Testing
import Watchdog

/// Importing, validating and exporting files.
@Suite(.watched) struct ImportCommandTests {
    private static let people = """
        username,password,phone,address,postal_code,birthday
        skboard,aK8oio,78761241,12 Main St,89761,1998-01-15
        bad one,aK8oio,1,,x,2050-01-01
        skboard,aK8oio,78761242,12 Main St,,
        kim,poY7trl,78761243,5 Side St,,

        """

    private static let totals = """
          rows      4
          imported  2  50.0 %
          updated   0   0.0 %
          skipped   0   0.0 %
          rejected  2  50.0 %

        Issues by field and code: 7
          field        code               count   share
          address      required               1  14.3 %
          birthday     date_out_of_range      1  14.3 %
          phone        too_short              1  14.3 %
          postal_code  bad_character          1  14.3 %
          postal_code  too_short              1  14.3 %
          username     bad_character          1  14.3 %
          username     duplicate              1  14.3 %

        Examples: the first 3 of 7
          line 3  bad one  username  bad_character  "bad one": Username may hold letters A–Z, a–z and digits 0–9 only
          line 3  bad one  phone     too_short      "1": Phone should have at least 8 digits
          line 3  bad one  address   required       "": Address is required

        """

    @Test func `I7, I8: an import prints totals, writes rejects and a report, and the mended rejects are imported`()
        throws
    {
        let workplace = try Workplace()
        try workplace.write(Self.people, to: "people.csv")
        let outcome = try workplace.profiles(
            "import", "people.csv", "--rejects", "rejects.csv", "--report", "report.json")
        #expect(outcome.status == 1)
        #expect(outcome.error == "The whole report is in report.json.\n")
        let text = outcome.output.reproducible(workplace)
        #expect(text.hasPrefix("Import of people.csv in N seconds\nRules: standard, version 1 ("))
        #expect(
            text.hasSuffix(
                Self.totals
                    + """

                    Rejected rows are in rejects.csv; columns of secrets are empty there.
                    Mend them with: \(try Workplace.binary()) mend rejects.csv

                    """), "\(text)")
        let rejects = try workplace.read("rejects.csv")
        #expect(
            rejects.hasPrefix(
                "username,password,phone,address,postal_code,birthday,_line,_issues\nbad one,,1,,x,2050-01-01,3,"))
        #expect(!rejects.contains("aK8oio"))
        #expect(try workplace.read("report.json").contains("\"rejected\": 2"))
        #expect(workplace.mode("rejects.csv") == 0o600)
        #expect(workplace.mode("report.json") == 0o600)

        let header = rejects.prefix { $0 != "\n" }
        try workplace.write("\(header)\nkai,aK8oio,78761241,9 End St,,,3,mended\n", to: "rejects.csv")
        let again = try workplace.profiles("import", "rejects.csv", "--rejects", "more.csv")
        #expect(again.status == 0, "\(again)")
        #expect(try workplace.profiles("lookup", "kai").status == 0)
    }

    @Test func `I6: a dry run reports the same and makes no store`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.people, to: "people.csv")
        for arguments in [["import", "people.csv", "--dry-run"], ["validate", "people.csv"]] {
            let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
            #expect(outcome.output.reproducible(workplace).hasSuffix(Self.totals), "\(outcome)")
            #expect(outcome.status == 1)
            #expect(!workplace.exists("store.sqlite"))
        }
        #expect(try workplace.profiles("import", "people.csv", "--format", "json").status == 1)
        let known = try workplace.profiles("import", "people.csv", "--dry-run", "--format", "json")
        #expect(known.output.contains("\"imported\": 0,"))
        #expect(known.output.contains("\"rejected\": 4,"))
    }

    @Test func `I4: an import rejects, skips or updates existing profiles as --on-duplicate says`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let row = "username,password,phone,address\nanna,aK8oio,99999999,12 Main St\n"
        func totals(_ policy: String) throws -> String {
            let outcome = try workplace.profiles(
                "import", "-", "--on-duplicate", policy, "--format", "json", input: row)
            return outcome.output.split(separator: "\n").filter { $0.contains("ed\": ") }.map { $0.filter(\.isNumber) }
                .prefix(4).joined(separator: " ")
        }
        #expect(try totals("reject") == "0 0 0 1")
        #expect(try totals("skip") == "0 0 1 0")
        #expect(try totals("update") == "0 1 0 0")
        #expect(try workplace.profiles("lookup", "anna").output.contains("Phone        9999-9999\n"))
    }

    @Test func `I13: an export with hashes imports back, as CSV and as NDJSON`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("bert", address: "1 B St")
        for ending in ["csv", "ndjson"] {
            #expect(try workplace.profiles("export", "all.\(ending)", "--include-hashes").status == 0)
            #expect(workplace.mode("all.\(ending)") == 0o600)
            let other = ["PROFILES_DATABASE": "\(workplace.folder)/\(ending).sqlite"]
            #expect(try workplace.profiles("import", "all.\(ending)", environment: other).status == 0)
            let exported = try workplace.profiles("export", "--include-hashes", "--as", ending, environment: other)
            #expect(try exported.output == workplace.read("all.\(ending)"))
            #expect(
                try workplace.profiles("login", "bert", "--password-stdin", input: "aK8oio", environment: other).status
                    == 0)
        }
        #expect(try !workplace.profiles("export").output.contains("argon2"))
    }

    @Test func `I13: the format of an export comes from --as, --format or the ending of the file`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let formats = ["csv", "json", "ndjson", "tsv", "markdown"]
        let texts = try formats.map { try workplace.profiles("export", "--as", $0).output }
        #expect(Set(texts).count == 5)
        for (format, text) in zip(formats, texts) {
            #expect(try workplace.profiles("export", "--format", format).output == text)
            #expect(try workplace.profiles("export", "-", "--as", format, "--format", format).output == text)
        }
        for (name, text) in [
            ("a.csv", texts[0]), ("a.JSON", texts[1]), ("a.ndjson", texts[2]), ("a.jsonl", texts[2]), ("a", texts[0]),
            (".csv", texts[0]), ("a.json.csv", texts[0]), ("a.tsv", texts[3]), ("a.TAB", texts[3]), ("a.md", texts[4]),
            ("a.markdown", texts[4]),
        ] {
            #expect(try workplace.profiles("export", name).status == 0)
            #expect(try workplace.read(name) == text, "\(name)")
        }
        for words in [["a.xlsx"], ["a.txt"], ["a."], ["--as", "csv", "--format", "json"]] {
            let outcome = try workplace.run([try Workplace.binary(), "export"] + words, input: "", environment: [:])
            #expect(outcome.status == 64, "\(outcome)")
            #expect(!workplace.exists(words[0]))
        }
        #expect(try workplace.profiles("export", "a.xlsx", "--as", "csv").status == 0)
    }

    @Test(
        "I7: the report of an import with rejected rows names the command that mends them",
        arguments: [
            ([], "rejects.csv", "profiles mend rejects.csv"),
            (["--on-duplicate", "skip"], "rejects.csv", "profiles mend rejects.csv --on-duplicate skip"),
            (
                ["--database", "my store.sqlite", "--map", "Login=username", "--delimiter", ";"], "my rejects.csv",
                "profiles mend 'my rejects.csv' --delimiter ';' --map Login=username --database 'my store.sqlite'"
            ),
            (["--ignore-unknown"], "rejects.csv", "profiles mend rejects.csv"),
            (["--ignore-unknown", "--keep-ignored"], "rejects.csv", "profiles mend rejects.csv --ignore-unknown"),
            ([], "-rejects.csv", "profiles mend ./-rejects.csv"),
            (["--dry-run"], "rejects.csv", nil), (["--all-or-nothing"], "rejects.csv", nil),
        ] as [([String], String, String?)])
    func mendingLine(options: [String], rejects: String, line: String?) throws {
        let workplace = try Workplace()
        let separator = options.contains(";") ? ";" : ","
        let key = options.contains("--map") ? "Login" : "username"
        let rows = [
            "\(key),password,phone,address", "ann,Sesame0pen,78761241,x", "bad one,Sesame0pen,78761241,x",
        ]
        try workplace.write(rows.joined(separator: "\n").replacing(",", with: separator), to: "people.csv")
        let arguments = [try Workplace.binary(), "import", "people.csv", "--rejects=\(rejects)"] + options
        let outcome = try workplace.run(arguments, input: "", environment: [:])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.contains("to be mended and imported again") == (line == nil))
        let named = outcome.output.split(separator: "\n").first { $0.hasPrefix("Mend them with: ") }
        let command = try line.map { try Workplace.binary() + $0.dropFirst("profiles".count) }
        #expect(named.map(String.init) == command.map { "Mend them with: \($0)" })
        guard let command else { return }
        // The shell accepts the command, which fails only because there is no terminal.
        let mending = try workplace.shell(command + " < /dev/null")
        #expect(mending.status == 64 && mending.error.contains("there is none"), "\(mending)")
    }

    @Test func `I2: an unknown column stops the import, and the error names it and helpful options`() throws {
        let workplace = try Workplace()
        let rows = "User Name;Mobile;Address;Hobby\nanna;78761241;12 Main St;chess\n"
        let refused = try workplace.profiles("import", "-", "--delimiter", ";", input: rows)
        #expect(refused.status == 65)
        #expect(
            refused.error == """
                Error: No field has the name of the columns "Mobile", "Hobby"; nothing was imported
                  The required fields password, phone have no column
                  The fields are: username, password, phone, address, postal_code, birthday
                  Did you mean --map 'Mobile=phone'?
                  Ignore columns that match no field with --ignore-unknown
                  Or make a new store with the fields of the file: profiles import FILE --infer --database NEW

                """)
        let missing = try workplace.profiles(
            "validate", "-", "--map", "Mobile=phone", "--map", "User Name=username", "--ignore-unknown", input: rows)
        #expect(missing.status == 65)
        #expect(
            missing.error == """
                Error: The required field password has no column
                  The fields are: username, password, phone, address, postal_code, birthday

                """)
        let outcome = try workplace.profiles(
            "validate", "-", "--map", "Mobile=phone", "--map", "Hobby=password", "--format", "json", input: rows)
        #expect(outcome.output.contains("\"code\": \"missing_uppercase\""))
        #expect(outcome.output.contains("\"rows\": 1,"))
        let strange = try workplace.profiles(
            "validate", "-", input: "username,Chef's Mobil,Chef's\u{1B}[1mMobil\nann,1,2\n")
        #expect(strange.error.contains("\"Chef's\\u{1b}[1mMobil\""))
        #expect(strange.error.contains(#"  Did you mean --map 'Chef'\''s Mobil=phone'?\#n"#), "\(strange.error)")
        #expect(try workplace.profiles("import", "-", "--map", "Nope=phone", input: "username\nx\n").status == 64)
        let unknown = try workplace.profiles("import", "-", "--map", "username=phon", input: "username\nx\n")
        #expect(unknown.status == 64)
        #expect(
            unknown.error == """
                Error: --map names the field "phon", which the schema does not have. Did you mean "phone"?
                  The fields are: username, password, phone, address, postal_code, birthday

                """)
    }

    @Test func `I1, N7: a file with semicolons, in Windows-1252 or compressed is read, and guesses are reported`()
        throws
    {
        let workplace = try Workplace()
        let schema = """
            {"name": "odd", "fields": [
              {"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "name"},
              {"name": "zip", "type": "integer"}]}
            """
        try workplace.write(schema, to: "schema.json")
        // Each character becomes one byte.
        let bytes = "username;name;zip\nann;Jos\u{E9};01234\n".unicodeScalars.map {
            UInt8(truncatingIfNeeded: $0.value)
        }
        for (name, bytes) in [("people.csv", bytes), ("people.csv.gz", try Gzip.compressed(bytes))] {
            try SmallFile.write(bytes, to: "\(workplace.folder)/\(name)")
            let outcome = try workplace.profiles("validate", name, "--schema", "schema.json")
            #expect(outcome.status == 0)
            #expect(
                outcome.output.contains(
                    "It was read as windows-1252, which is a guess. Name its encoding with --encoding."))
            #expect(outcome.output.contains("1 cell of zip begins with zeros, in line 2;"))
            let json = try workplace.profiles(
                "validate", name, "--schema", "schema.json", "--encoding", "latin1", "--format", "json")
            #expect(json.output.contains("\"code\": \"leading_zeros\"") && !json.output.contains("guessed_encoding"))
        }
        let unknown = try workplace.profiles("validate", "people.csv", "--encoding", "klingon")
        #expect(unknown.status == 64)
        #expect(
            unknown.error == """
                Error: The encoding "klingon" is not known
                  iconv --list shows the known ones

                """)
    }

    @Test func `I1: for input that is no table, the error names its kind, says what to do, and exits 65`() throws {
        let workplace = try Workplace()
        try workplace.write("<!DOCTYPE html><html></html>", to: "people.csv")
        let page = try workplace.profiles("import", "people.csv")
        #expect(page.status == 65)
        #expect(
            page.error.hasPrefix(
                """
                Error: The input looks like a page of HTML; nothing was imported
                  It may be a login page or an error page: look at it, and fetch the CSV file itself
                """), "\(page.error)")
        try SmallFile.write([0x28, 0xB5, 0x2F, 0xFD, 4, 0, 0x41], to: "\(workplace.folder)/people.zst")
        let compressed = try workplace.profiles("validate", "people.zst")
        #expect(compressed.status == 65)
        #expect(compressed.error.contains("Decompress it first: zstd -dc FILE | profiles import -\n"))
        try SmallFile.write([0x1F, 0x8B, 8, 0, 0], to: "\(workplace.folder)/cut.csv.gz")
        #expect(try workplace.profiles("validate", "cut.csv.gz").error.contains("is damaged or cut off"))
    }

    @Test("I1: the error names the delimiter of the file if --delimiter is wrong", arguments: [";", "\t", "|", ","])
    func otherDelimiter(delimiter: String) throws {
        let workplace = try Workplace()
        let row = ["anna", "78761241", "12 Main St", "aK8oio"].joined(separator: delimiter)
        let input = ["username", "phone", "address", "password"].joined(separator: delimiter) + "\n\(row)\n"
        let name = delimiter == "\t" ? "tab" : "\"\(delimiter)\""
        for options in [[], ["--ignore-unknown"]] {
            let refused = try workplace.run(
                [try Workplace.binary(), "import", "-", "--delimiter", delimiter == "," ? ";" : ","] + options,
                input: input, environment: [:])
            #expect(
                refused
                    == Workplace.Outcome(
                        status: 65, output: "",
                        error: """
                            Error: The cells of the header seem to be separated by \(name); nothing was imported
                              Set it with --delimiter \(name)

                            """))
        }
        let taken = try workplace.shell(
            "printf '%s' '\(input)' | profiles import - --delimiter \(name) --format json --dry-run")
        #expect(taken.output.contains("\"rows\": 1,"), "\(taken)")
    }

    @Test func `I2, I11: of many unknown columns only the first are named, and the size of a header is limited`() throws
    {
        let workplace = try Workplace()
        let names = (0..<9_000).map { "column \($0) of many" }.joined(separator: ",")
        let refused = try workplace.profiles("validate", "-", input: "username,\(names)\nann\n")
        #expect(refused.status == 65)
        #expect(refused.error.contains("\"column 0 of many\", ") && refused.error.contains(" and 8980 more\n"))
        #expect(refused.error.utf8.count < 2_000)
        let long = try workplace.profiles(
            "validate", "-", input: "username,\(String(repeating: "x", count: 1_000_000))\nann\n")
        #expect(long.status == 65 && long.error.utf8.count < 2_000)
        let many = try workplace.profiles(
            "validate", "-", input: "username\(String(repeating: ",", count: 999_999))\nann\n")
        #expect(many.status == 65)
        #expect(
            many.error.hasPrefix(
                "Error: The input has 1000000 columns, and at most 10000 can be read\n"))
    }

    @Test func `I7, P12: ignored columns are left out of the rejected rows, and the text says so`() throws {
        let workplace = try Workplace()
        try workplace.write("username,pw,phone,address,password\nann,Sesame0pen,7,x,\n", to: "people.csv")
        let omitted = try workplace.profiles("validate", "people.csv", "--ignore-unknown", "--rejects", "rejects.csv")
        #expect(omitted.output.hasSuffix("columns of secrets are empty there, and ignored columns are left out.\n"))
        #expect(try !workplace.read("rejects.csv").contains("Sesame0pen"))
        let kept = try workplace.profiles(
            "validate", "people.csv", "--ignore-unknown", "--keep-ignored", "--rejects", "kept.csv")
        #expect(kept.output.hasSuffix("columns of secrets are empty there.\n"))
        let header = "username,pw,phone,address,password,_line,_issues\n"
        #expect(try workplace.read("kept.csv").hasPrefix(header + "ann,Sesame0pen,"))
    }

    @Test func `I7: if a row is rejected without its values, the report and mend say so`() throws {
        let workplace = try Workplace()
        try workplace.write(
            "username,phone,address,password\nanna,78761241,x,aK8oio\nbert,78761241,x,aK8oio,more\n", to: "people.csv")
        let outcome = try workplace.profiles("import", "people.csv", "--rejects", "rejects.csv")
        let told =
            "\nRejected rows are in rejects.csv; columns of secrets are empty there; rows whose cells do not fit the "
            + "columns have no values there.\n"
        #expect(outcome.status == 1 && outcome.output.contains(told), "\(outcome)")
        #expect(try workplace.read("rejects.csv").contains("\n,,,,,3,row: bad_row ("))
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Row 1 of 1, line 3: no values")
        let notice = "because its cells did not fit the columns. See line 3 of the imported file."
        #expect(driver.transcript.contains(notice), "\(driver.screen)")
        try driver.type("q\n")
        #expect(try driver.end() == 1)
    }

    @Test func `a short file of a few bytes that are no text is called binary`() throws {
        let workplace = try Workplace()
        let outcome = try workplace.shell(#"printf '\0\1\2PK' | profiles validate -"#)
        #expect(outcome.status == 65)
        #expect(outcome.error.hasPrefix("Error: The input looks like a binary file, not text\n"), "\(outcome)")
    }

    @Test func `an error fits the command that failed, and advises nothing that was already done`() throws {
        let workplace = try Workplace()
        try workplace.write("Hobby,Sport\nchess,\n", to: "people.csv")
        for arguments in [["validate", "people.csv"], ["import", "people.csv", "--dry-run"]] {
            let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
            #expect(outcome.status == 65 && !outcome.error.contains("imported"), "\(outcome)")
            #expect(!outcome.error.contains("--infer"))
        }
        try workplace.register("anna")
        let inferring = try workplace.profiles("import", "people.csv", "--infer", "--yes")
        #expect(inferring.status == 65 && inferring.error.contains("; nothing was imported"), "\(inferring)")
        #expect(!inferring.error.contains("Or make a store"))
    }

    @Test func `N6: if an import removes the store that it made, a message says so`() throws {
        let workplace = try Workplace()
        let outcome = try workplace.profiles("import", "-", "--database", "new.sqlite", input: "Hobby\nchess\n")
        #expect(outcome.status == 65)
        #expect(
            outcome.error.hasPrefix(
                """
                Made a store at new.sqlite
                No row was stored, so the store that was created for this import was removed.
                Error: The first row names no field; nothing was imported

                """), "\(outcome)")
        #expect(!workplace.exists("new.sqlite"))
    }

    @Test func `I7: rejected rows that exceed the record limit with their line and issues can be imported again`()
        throws
    {
        let workplace = try Workplace()
        try workplace.register("anna")
        let note = String(repeating: "\"", count: (1 << 19) - 20)
        try workplace.write("username,note,phone\nanna,\"\(note + note)\",7\n", to: "people.csv")
        let first = try workplace.profiles(
            "import", "people.csv", "--on-duplicate", "update", "--rejects", "rejects.csv", "--ignore-unknown",
            "--keep-ignored")
        #expect(first.status == 1 && first.output.contains("too_short"), "\(first)")
        let rejects = try workplace.read("rejects.csv")
        #expect(rejects.utf8.count > 1 << 20)
        try workplace.write(rejects.replacing(",7,2,", with: ",78761299,2,"), to: "mended.csv")
        let second = try workplace.profiles(
            "import", "mended.csv", "--on-duplicate", "update", "--ignore-unknown")
        #expect(second.status == 0, "\(second)")
        #expect(try workplace.profiles("lookup", "anna").output.contains("7876-1299"))
    }

    @Test func `P12: a file without a header is refused, and the error does not repeat its first row`() throws {
        let workplace = try Workplace()
        for (command, nothingDone) in [("import", "; nothing was imported"), ("validate", "")] {
            let advice =
                "  Or make a new store with the fields of the file: profiles import FILE --infer --database NEW\n"
            let refused = try workplace.profiles(command, "-", input: "anna,Sesame0pen,78761241,12 Main St\n")
            #expect(
                refused
                    == Workplace.Outcome(
                        status: 65, output: "",
                        error: """
                            Error: The first row names no field\(nothingDone)
                              The required fields username, password, phone, address have no column
                              The fields are: username, password, phone, address, postal_code, birthday
                              Map a column with --map 'COLUMN=FIELD'
                              If the first row is not a header, use --no-header
                              If another character separates the cells, name it with --delimiter

                            """ + (command == "import" ? advice : "")))
        }
    }

    @Test func `an import replaces neither its input nor the store`() throws {
        let workplace = try Workplace()
        try workplace.write(Self.people, to: "people.csv")
        try workplace.register("anna")
        #expect(try workplace.profiles("import", "people.csv", "--rejects", "people.csv").status == 73)
        #expect(try workplace.profiles("import", "people.csv", "--report", "./people.csv").status == 73)
        #expect(try workplace.profiles("export", "store.sqlite", "--as", "csv").status == 73)
        #expect(try workplace.read("people.csv") == Self.people)
        #expect(try workplace.profiles("lookup", "anna").status == 0)
        #expect(try workplace.profiles("import", "people.csv", "--rejects", "no/such/folder.csv").status == 73)
    }
}
