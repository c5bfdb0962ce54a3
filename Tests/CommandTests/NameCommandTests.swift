import Testing
import Watchdog

/// Names of fields and columns in options, and files that keep their names.
@Suite(.watched) struct NameCommandTests {
    /// The file's own `id` and `status`, headers in German, and notations that differ from the stored form.
    private static let file = """
        id;Kunden-Nr.;status;Geburtstag;Saldo;Mitglied;Ort
        7;A-0001;offen;31.12.1999;1.234,5;ja;Köln
        8;A-0002;zu;01.02.2001;-3,25;nein;"Bonn; Süd"
        9;A-0003;offen;29.02.2000;12,75;ja;Köln

        """

    private func inferred() throws -> Workplace {
        let workplace = try Workplace()
        try workplace.write(Self.file, to: "kunden.csv")
        let outcome = try workplace.profiles("import", "kunden.csv", "--infer", "--strict", "--yes", "--quiet")
        #expect(outcome.status == 0, "\(outcome)")
        return workplace
    }

    private func rows(_ workplace: Workplace, _ arguments: String...) throws -> String {
        let all = [try Workplace.binary(), "list", "--columns", "Kunden-Nr.", "--format", "csv", "--quiet"] + arguments
        let outcome = try workplace.run(all, input: "", environment: [:])
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output.split(separator: "\n").dropFirst().joined(separator: " ")
    }

    @Test func `N13: a file and its export with the original names are the same table`() throws {
        let workplace = try inferred()
        let outcome = try workplace.profiles("export", "--original")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == Self.file)
        // The export is imported again by the same rules, and gives the same file.
        let script = """
            profiles export original.csv --original --quiet
            profiles schema show --format json > rules.json
            profiles import original.csv --schema rules.json --database again.sqlite --quiet
            profiles export --original --database again.sqlite | cmp - original.csv
            """
        let again = try workplace.shell(script)
        #expect(again.status == 0, "\(again)")
    }

    @Test func `N13: conditions and columns accept names, titles and headers, and status is the column of the file`()
        throws
    {
        let workplace = try inferred()
        #expect(try rows(workplace, "--where", "status=offen") == "A-0001 A-0003")
        #expect(try rows(workplace, "--where", "_status=valid", "--where", "Ort==Köln") == "A-0001 A-0003")
        #expect(try rows(workplace, "--where", "Kunden-Nr.=A-0002") == "A-0002")
        #expect(try rows(workplace, "--where", "_id=1") == "A-0001")
        #expect(try rows(workplace, "--where", "id=7") == "A-0001")
        #expect(try rows(workplace, "--sort", "Saldo") == "A-0002 A-0003 A-0001")
        let columns = try workplace.profiles("list", "--columns", "_id,id,status,_status", "--format", "csv").output
        #expect(columns.hasPrefix("_id,id,status,_status\n1,7,offen,valid\n"), "\(columns)")
    }

    @Test func `N13: a fact of the store cannot be set, even if a field has its name without the underscore`() throws {
        let workplace = try inferred()
        for arguments in [["--set", "_id=777"], ["--set", "_status=invalid"], ["--clear", "_id"]] {
            let outcome = try workplace.run(
                [try Workplace.binary(), "edit", "A-0001"] + arguments, input: "", environment: [:])
            #expect(
                outcome.status == 64 && outcome.error.contains("is kept by the store, and cannot be set"), "\(outcome)")
        }
        #expect(try rows(workplace, "--where", "id=7") == "A-0001")
    }

    @Test func `N13: --set and --clear take titles and headers`() throws {
        let workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "city", "title": "Home town", "profiles": {"columns": ["Ort"]}},
                  {"name": "a", "title": "Same"}, {"name": "b", "title": "Same", "profiles": {"columns": ["home town"]}},
                  {"name": "same_not", "title": "city"}]}
                """)
        #expect(try workplace.profiles("register", "--set", "Username=ann", "--set", "Ort=Bath").status == 0)
        let both = try workplace.profiles("edit", "ann", "--set", "Home town=Leeds", "--set", "city=York")
        #expect(
            both.status == 64 && both.error.contains(#""Home town" and "city" both mean the field city"#), "\(both)")
        for options in [["--set", "Ort=Leeds", "--set", "Ort=York"], ["--clear", "Ort", "--set", "Ort=York"]] {
            for profiles in [["ann"], ["--all", "--yes"]] {
                let twice = try workplace.run(
                    [try Workplace.binary(), "edit"] + profiles + options, input: "", environment: [:])
                #expect(
                    twice.status == 64 && twice.error == "Error: \"Ort\" is given twice\n  Give one of the two\n",
                    "\(twice)")
            }
        }
        let key = try workplace.profiles("edit", "ann", "--username", "bo", "--set", "username=cy")
        #expect(key.status == 64 && key.error.hasPrefix("Error: \"username\" is given twice\n"), "\(key)")
        #expect(try workplace.profiles("edit", "ann", "--set", "Ort=York").status == 0)
        let listed = { try workplace.profiles("list", "--columns", "username,city,same_not", "--format", "csv").output }
        #expect(try listed() == "username,city,same_not\nann,York,\n")
        #expect(try workplace.profiles("edit", "ann", "--clear", "Home town").status == 0)
        #expect(try listed() == "username,city,same_not\nann,,\n")
        let ambiguous = try workplace.profiles("edit", "ann", "--set", "Same=x")
        #expect(ambiguous.status == 64)
        #expect(ambiguous.error == "Error: \"Same\" means several fields: a, b\n  Give the name of one of them\n")
        #expect(try workplace.profiles("list", "--where", "same=x").status == 64)
    }

    @Test func `N13: two names of one field, and members that the store keeps, are refused in JSON`() throws {
        let workplace = try inferred()
        let refused = [
            (#"{"Kunden-Nr.": "A-9", "saldo": 1, "Saldo": 2}"#, "\"saldo\" and \"Saldo\" both mean the field saldo"),
            (#"{"Kunden-Nr.": "A-9", "_id": 9}"#, "_id is kept by the store, and cannot be set"),
            (#"{"Kunden-Nr.": "A-9", "_status": "valid"}"#, "_status is kept by the store, and cannot be set"),
            (#"{"Kunden-Nr.": "A-9", "revision": 3}"#, "revision is kept by the store, and cannot be set"),
        ]
        for (object, text) in refused {
            try workplace.write(object, to: "new.json")
            for command in [["register"], ["edit", "A-0001"]] {
                let outcome = try workplace.run(
                    [try Workplace.binary()] + command + ["--json", "new.json"], input: "", environment: [:])
                #expect(outcome.status == 64 && outcome.error.contains(text), "\(outcome)")
            }
        }
        // An option replaces a member, whatever name it has.
        try workplace.write(#"{"saldo": 1}"#, to: "new.json")
        #expect(try workplace.profiles("edit", "7", "--json", "new.json", "--set", "Saldo=2,5").status == 0)
        #expect(try rows(workplace, "--where", "Saldo=2,5") == "A-0001")
    }

    @Test func `N13: each heading of a table can be used in a condition`() throws {
        let workplace = try Workplace()
        try workplace.write("id,username,_id,revision,status\n10,ann9,5f1,a,open\n11,bob7,5f2,b,zu\n", to: "odd.csv")
        #expect(
            try workplace.profiles(
                "import", "odd.csv", "--infer", "--yes", "--quiet", "--key", "id", "--rename", "status=state"
            ).status == 0)
        let table = try workplace.profiles("list").output
        #expect(table.hasPrefix("Id  username  id_2  Revision  status  _revision\n"), "\(table)")
        for (condition, count) in [
            ("Id=10", "1"), ("username=ann9", "1"), ("id_2=5f1", "1"), ("_id=1", "1"), ("Revision=a", "1"),
            ("_revision=1", "2"), ("status=open", "1"), ("_status=valid", "2"),
        ] {
            let outcome = try workplace.profiles("list", "--where", condition, "--count")
            #expect(outcome.output == count + "\n", "\(condition) \(outcome)")
        }
        let hidden = try workplace.profiles("list", "--where", "_id=5f1")
        #expect(
            hidden.status == 64 && hidden.error.contains("The field with this title or header is id_2."), "\(hidden)")
        let shown = try workplace.profiles("lookup", "10").output
        #expect(shown.contains("\nid_2  ") && shown.contains("\n_id  ") && shown.contains("\n_revision  "), "\(shown)")
        #expect(try workplace.profiles("edit", "10", "--set", "username=ann8").status == 0)
        #expect(try workplace.profiles("edit", "10", "--username", "12").status == 0)
        let stored = try workplace.profiles("lookup", "12").output
        #expect(stored.contains("ann8"), "\(stored)")
        let kept = try workplace.profiles("edit", "12", "--set", "_id=5f9")
        #expect(kept.status == 64 && kept.error.contains("The field with this title or header is id_2"), "\(kept)")
    }

    @Test func `help says that it does not know the fields of a store that cannot be read`() throws {
        let workplace = try Workplace()
        try workplace.write("no store, but text that is long enough to have a header\n", to: "store.sqlite")
        let help = try workplace.profiles("register", "--help")
        #expect(help.status == 0 && help.output.contains("The fields of the store are not known."), "\(help)")
        #expect(help.output.contains("built-in"))
    }

    @Test func `a notice says once that values are compared as texts`() throws {
        let workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "size"}, {"name": "age", "type": "integer"}]}
                """)
        let outcome = try workplace.profiles("list", "--where", "size<9", "--where", "size>1", "--where", "age<9")
        #expect(
            outcome.error.hasPrefix(
                """
                Values of the field size are compared as texts: "10" comes before "9". To compare numbers, change the \
                type to integer or number in the schema.

                """), "\(outcome.error)")
        #expect(outcome.error.components(of: "compared as texts") == 1)
        #expect(try !workplace.profiles("list", "--where", "age<9").error.contains("as texts"))
        #expect(try !workplace.profiles("list", "--where", "size=9").error.contains("as texts"))
        #expect(try workplace.profiles("list", "--where", "size<9", "--quiet").error == "")
    }

    @Test(arguments: ["register", "edit", "lookup", "list", "find"])
    func `help shows the fields of the store in use`(command: String) throws {
        let workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "size", "title": "Shoe size", "type": "integer"}]}
                """)
        for arguments in [[command, "--help"], ["help", command]] {
            let help = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
            #expect(help.status == 0 && help.output.contains("  size: Shoe size (a whole number"), "\(help)")
            #expect(!help.output.contains("--birthday <"), "\(help)")
        }
        // Help needs no store and makes none.
        let help = try workplace.profiles(command, "--help", "--database", "none.sqlite")
        #expect(help.status == 0 && help.output.contains("  phone: Phone (") && help.output.contains("built-in"))
        #expect(!workplace.exists("none.sqlite"))
    }

    @Test func `I2: an import passes over the facts of another store, unless a field has the header`() throws {
        let workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "status"}, {"name": "age"}]}
                """)
        try workplace.write(
            "_id,username,_status,status,_revision,_created_at\n9,ann,valid,open,3,2026-01-01\n", to: "list.csv")
        let outcome = try workplace.profiles("import", "list.csv", "--quiet")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            try workplace.profiles("list", "--columns", "_id,username,status", "--format", "csv").output
                == "_id,username,status\n1,ann,open\n")
        try workplace.write("{\"_id\": 4, \"username\": \"bob\", \"_status\": \"valid\"}\n", to: "list.ndjson")
        #expect(try workplace.profiles("import", "list.ndjson", "--quiet").status == 0)
        // A file of an earlier version has the names without underscores, and is imported as before.
        try workplace.write("id,username,revision\n9,cy,1\n", to: "old.csv")
        #expect(try workplace.profiles("import", "old.csv", "--ignore-unknown", "--quiet").status == 0)
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
