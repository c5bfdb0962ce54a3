import ProfileTesting
import Testing
import Watchdog

/// Keys that are computed from other values, and the one key of a store.
@Suite(.watched) struct KeyCommandTests {
    /// A store whose key consists of the columns `site` and `number`.
    private func sites() throws -> Workplace {
        let workplace = try Workplace()
        try workplace.write("site,number,name\na/b,1,Anna\na/b,2,Bob\nc,1,Cid\n", to: "sites.csv")
        let made = try workplace.profiles("import", "sites.csv", "--infer", "--yes", "--key", "site,number", "--quiet")
        #expect(made.status == 0, "\(made)")
        return workplace
    }

    private func keys(_ workplace: Workplace) throws -> [String] {
        try workplace.profiles("list", "--columns", "username,name", "--format", "csv").output
            .split(separator: "\n").dropFirst().map(String.init)
    }

    @Test func `R3: a key of several columns follows an edit of its parts`() throws {
        let workplace = try sites()
        try workplace.write(#"{"number": 8, "name": "Bo"}"#, to: "change.json")
        let renamed = try workplace.profiles("edit", #"a\/b/2"#, "--json", "change.json")
        #expect(renamed.status == 0, "\(renamed)")
        #expect(try workplace.profiles("edit", "c/1", "--set", "Site=d/d").status == 0)
        #expect(try keys(workplace) == [#"a\/b/1,Anna"#, #"a\/b/8,Bo"#, #"d\/d/1,Cid"#])
        let taken = try workplace.profiles("edit", #"a\/b/8"#, "--set", "number=1")
        #expect(taken.status == 1 && taken.error.contains("Key is taken"), "\(taken)")
        let contradiction = try workplace.profiles("edit", #"a\/b/8"#, "--username", "x")
        #expect(
            contradiction.status == 1
                && contradiction.error.contains("Key should be left out, or consist of Site and Number"),
            "\(contradiction)")
        let cleared = try workplace.profiles("edit", #"a\/b/8"#, "--clear", "number")
        #expect(cleared.status == 1 && cleared.error.contains("Number is required"), "\(cleared)")
        #expect(!cleared.error.contains("Key"), "\(cleared)")
    }

    @Test func `a missing column is named, with the key or the option that needs it`() throws {
        let workplace = try sites()
        try workplace.write("site,name\nd,Dora\n", to: "more.csv")
        let lacking = try workplace.profiles("import", "more.csv")
        #expect(lacking.status == 65, "\(lacking)")
        #expect(
            lacking.error.contains("The key is made of the column \"number\", which the input does not have; nothing"),
            "\(lacking)")
        let schema = #"{"fields": [{"name": "no"}, {"name": "name"}], "primaryKey": "no"}"#
        try workplace.write(schema, to: "schema.json")
        for (option, column) in [("--key", "nosuch"), ("--ignore", "nosuch")] {
            let outcome = try workplace.profiles(
                "validate", "more.csv", "--schema", "schema.json", option, column, "--map", "site=no")
            #expect(
                outcome.status == 64
                    && outcome.error.contains("\(option) names the column \"nosuch\", which the input does not have"),
                "\(outcome)")
        }
    }

    @Test func `R1: a registration takes the parts of a key, and refuses another key`() throws {
        let workplace = try sites()
        let values = ["--set", "site=e", "--set", "number=5", "--set", "name=Eve"]
        let register = { (more: [String]) in
            try workplace.run([try Workplace.binary(), "register"] + values + more, input: "", environment: [:])
        }
        let other = try register(["--username", "e/6"])
        #expect(other.status == 1 && other.error.contains("consist of Site and Number"), "\(other)")
        #expect(try register([]).status == 0)
        #expect(try keys(workplace).contains("e/5,Eve"))
        #expect(try workplace.profiles("edit", "e/5", "--username", "E/5").status == 0)
        let lacking = try workplace.profiles("register", "--set", "site=e")
        #expect(lacking.status == 1 && lacking.error.contains("Number is required"), "\(lacking)")
        #expect(!lacking.error.contains("Key"), "\(lacking)")
        // The key in a file must not contradict its parts either. Otherwise an edited export would keep the old key.
        try workplace.write("username,site,number,name\ne/5,e,7,Eve\n", to: "export.csv")
        let imported = try workplace.profiles("import", "export.csv", "--on-duplicate", "update")
        #expect(imported.status == 1 && imported.output.contains("consist of Site and Number"), "\(imported)")
        try workplace.write("username,number\ne/5,7\n", to: "export.csv")
        #expect(try workplace.profiles("import", "export.csv", "--on-duplicate", "update").status == 1)
    }

    @Test func `N9: mending asks for a missing part of a key, and not for the key`() throws {
        let workplace = try sites()
        try workplace.write("site,number,name\nf,,Fay\n", to: "more.csv")
        #expect(try workplace.profiles("import", "more.csv", "--rejects", "rejects.csv").status == 1)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Mend it?")
        #expect(!driver.screen.contains("Key is required"), "\(driver.screen)")
        try driver.type("y\n")
        try driver.wait(for: "Number, ")
        try driver.type("9\n")
        #expect(try driver.end() == 0)
        #expect(!driver.transcript.contains("Key, "), "\(driver.transcript)")
        #expect(try keys(workplace).contains("f/9,Fay"))
    }

    @Test func `F9: the form shows the key that its parts form`() throws {
        let workplace = try sites()
        let driver = try TerminalDriver(workplace, "edit", "c/1")
        try driver.wait(for: "Edit c/1")
        // The first field that takes the focus is the first part.
        try driver.type("x")
        try driver.wait(for: "cx/1")
        try driver.press(.control("s"))
        #expect(try driver.end() == 0)
        #expect(try keys(workplace).contains("cx/1,Cid"))
        let clash = try TerminalDriver(workplace, "edit", "cx/1", "--plain")
        for (question, answer) in [("Site, now cx", "a/b\n"), ("Number, now 1", "1\n"), ("Name, now Cid", "\n")] {
            try clash.wait(for: question)
            try clash.type(answer)
        }
        try clash.wait(for: "Key is taken.")
        for answer in ["g\n", "1\n"] { try clash.type(answer) }
        #expect(try clash.end() == 0)
        #expect(try keys(workplace).contains("g/1,Cid"))
    }

    @Test func `a key of the content stays when a profile is edited and when the schema gets a field`() throws {
        let workplace = try Workplace()
        try workplace.write("day,payee\n2026-01-02,Rent\n2026-01-05,Café\n", to: "january.csv")
        let made = try workplace.profiles("import", "january.csv", "--infer", "--yes", "--key-by-content", "--quiet")
        #expect(made.status == 0, "\(made)")
        let keys = { try workplace.profiles("list", "--columns", "username", "--format", "csv").output }
        let before = try keys()
        let first = try #require(before.split(separator: "\n").dropFirst().first)
        #expect(try workplace.profiles("edit", String(first), "--set", "payee=Landlord").status == 0)
        #expect(try keys() == before)
        try workplace.write("day,payee,note\n2026-01-02,Rent,a\n2026-01-05,Café,b\n2026-02-02,Rent,c\n", to: "next.csv")
        let wider = try workplace.profiles("schema", "infer", "next.csv", "--with-store", "--output", "wider.json")
        #expect(wider.status == 0 && wider.output.contains("+ note"), "\(wider)")
        #expect(try workplace.profiles("schema", "adopt", "wider.json", "--yes").status == 0)
        let next = try workplace.profiles("import", "next.csv", "--on-duplicate", "skip")
        #expect(next.output.contains("imported  1") && next.output.contains("skipped   2"), "\(next)")
        // The option names the key that the store has, and equal rows are one profile.
        let again = try workplace.profiles("import", "next.csv", "--key-by-content", "--on-duplicate", "update")
        #expect(again.status == 0 && again.output.contains("imported  0"), "\(again)")
        #expect(
            try workplace.profiles("import", "next.csv", "--key-by-content", "--on-duplicate", "skip").status == 0)
    }

    @Test func `N12: rules of fields in the key are not loosened, and a message says why`() throws {
        let workplace = try Workplace()
        try workplace.write(
            "site,price,note\nrome,1.50 €,a\noslo,2.00 €,b\nbonn,3.00 €,c\nkiel,4.00 €,d\nulm,5.00 €,e\n", to: "a.csv")
        let made = try workplace.profiles("import", "a.csv", "--infer", "--yes", "--key", "site,price", "--quiet")
        #expect(made.status == 0, "\(made)")
        try workplace.write("site,price,note\noslo,7 $,B\nrome,1.50 €,A\n,8.00 €,x\n", to: "b.csv")
        let next = try workplace.profiles("import", "b.csv", "--infer", "--loosen", "--on-duplicate", "update")
        #expect(next.status == 1 && next.output.contains("updated   1"), "\(next)")
        let told = "Rules of the key cannot be loosened, so rows that break them are rejected: "
        #expect(next.error.contains(told + "site required, price bad_format"), "\(next)")
        #expect(try workplace.profiles("list", "--count").output == "5\n")
        for (option, text) in [
            ("--omit", "--omit names \"site\", but the keys of the store are made of its field site"),
            ("--ignore", "The key is made of the column \"site\", which an option leaves out"),
        ] {
            let refused = try workplace.profiles("import", "a.csv", "--infer", option, "site", "--on-duplicate", "skip")
            #expect(refused.status == 64 && refused.error.contains(text), "\(refused)")
        }
    }

    @Test func `N12: a column that is part of a key of the content cannot be left out`() throws {
        let workplace = try Workplace()
        try workplace.write("day,payee\n2026-01-02,Rent\n2026-01-05,Café\n", to: "january.csv")
        let made = try workplace.profiles("import", "january.csv", "--infer", "--yes", "--key-by-content", "--quiet")
        #expect(made.status == 0, "\(made)")
        let omitted = try workplace.profiles(
            "import", "january.csv", "--infer", "--omit", "payee", "--on-duplicate", "skip")
        #expect(omitted.status == 64, "\(omitted)")
        #expect(omitted.error.contains("the keys of the store are made of its field payee"), "\(omitted)")
        try workplace.write("day\n2026-01-02\n", to: "days.csv")
        for (arguments, status) in [
            (["january.csv", "--ignore", "payee"], 64), (["days.csv"], 65), (["days.csv", "--infer"], 65),
        ] as [([String], Int32)] {
            let refused = try workplace.run(
                [try Workplace.binary(), "import", "--on-duplicate", "skip"] + arguments, input: "", environment: [:])
            #expect(refused.status == status, "\(arguments) \(refused)")
            #expect(refused.error.contains("the column \"payee\""), "\(arguments) \(refused)")
        }
        #expect(try workplace.profiles("list", "--count").output == "2\n")
    }

    @Test func `an import with another key than that of the store says which key the store has`() throws {
        let workplace = try Workplace()
        try workplace.write("id,name,code\n1,Ann,x\n2,Bob,y\n", to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv", "--infer", "--yes", "--quiet").status == 0)
        for arguments in [["--key", "name"], ["--key", "Code"]] {
            let other = try workplace.run(
                [try Workplace.binary(), "import", "people.csv", "--on-duplicate", "skip"] + arguments, input: "",
                environment: [:])
            #expect(other.status == 64, "\(other)")
            #expect(other.error.contains("The key of the store is \"id\", and a store has one key"), "\(other)")
        }
        #expect(try workplace.profiles("import", "people.csv", "--key", "id", "--on-duplicate", "skip").status == 0)
        let sites = try sites()
        let other = try sites.profiles("import", "sites.csv", "--key", "name", "--on-duplicate", "skip")
        #expect(other.error.contains("The key of the store is \"site\" and \"number\" together"), "\(other)")
        let same = try sites.profiles("import", "sites.csv", "--key", "site,number", "--on-duplicate", "skip")
        #expect(same.status == 0, "\(same)")
    }

    @Test func `an export of numbered rows updates the store if --key names the column of the keys`() throws {
        let workplace = try Workplace()
        try workplace.write("a,b\nx,1\ny,2\n", to: "rows.csv")
        let made = try workplace.profiles("import", "rows.csv", "--infer", "--yes", "--key-by-row", "--quiet")
        #expect(made.status == 0, "\(made)")
        try workplace.write("username,a,b\n2,y,3\n", to: "export.csv")
        let refused = try workplace.profiles("import", "export.csv", "--on-duplicate", "update")
        #expect(refused.status == 64 && refused.error.contains("name it with --key"), "\(refused)")
        let updated = try workplace.profiles("import", "export.csv", "--on-duplicate", "update", "--key", "username")
        #expect(updated.status == 0 && updated.output.contains("updated   1"), "\(updated)")
    }

    @Test func `N12: columns are left out of a store and taken in again`() throws {
        let workplace = try Workplace()
        try workplace.write("id,name,note,born\n1,Ann,n,1990-01-02\n2,Bob,m,1980-02-03\n", to: "people.csv")
        #expect(
            try workplace.profiles("import", "people.csv", "--infer", "--yes", "--omit", "note", "--quiet").status == 0)
        let again = { (arguments: [String]) in
            try workplace.run(
                [try Workplace.binary(), "import", "people.csv", "--infer", "--on-duplicate", "update"] + arguments,
                input: "", environment: [:])
        }
        let refused: [([String], String)] = [
            (["--type", "born=string"], "--type names \"born\", but the store has the field born for it"),
            (["--rename", "note=remark"], "but the store leaves this column out"),
            (["--omit", "id"], "its field id is required"), (["--tighten", "name"], "--tighten names \"name\""),
            (["--strict"], "--strict changes no rule"), (["--keep", "nowhere"], "which the input does not have"),
            (["--keep", "note", "--rename", "note=name"], "name"),
        ]
        for (arguments, text) in refused {
            let outcome = try again(arguments)
            #expect(outcome.status == 64 && outcome.error.contains(text), "\(arguments) \(outcome)")
        }
        let kept = try again(["--keep", "note", "--rename", "note=remark", "--type", "note=string"])
        #expect(kept.status == 0 && kept.error.contains("+ remark"), "\(kept)")
        #expect(try workplace.profiles("list", "--where", "remark=m", "--count").output == "1\n")
        // The case of a header makes no difference.
        try workplace.write("id,name,born,Extra\n1,Ann,1990-01-02,e\n", to: "extra.csv")
        let extra = try workplace.profiles(
            "import", "extra.csv", "--infer", "--keep", "extra", "--on-duplicate", "update")
        #expect(extra.status == 0 && extra.error.contains("+ extra"), "\(extra)")
        // The next file needs no option.
        try workplace.write("id,name,note,born\n3,Cid,o,1970-01-02\n", to: "next.csv")
        #expect(try workplace.profiles("import", "next.csv").status == 0)
        #expect(try workplace.profiles("list", "--where", "remark=o", "--count").output == "1\n")
        #expect(try again(["--omit", "born"]).status == 0)
        try workplace.write("id,name,note,born\n4,Dan,p,nonsense\n", to: "next.csv")
        #expect(try workplace.profiles("import", "next.csv").status == 0)
        let document = try workplace.profiles("schema", "show", "--format", "json").output
        #expect(document.contains("\"born\"\n    ]"), "\(document)")
        // The column already has a field, so it is only read again.
        let read = try again(["--keep", "born"])
        #expect(read.status == 0 && !read.error.contains("+ "), "\(read)")
        #expect(try workplace.profiles("import", "next.csv", "--on-duplicate", "update").status == 1)
    }

    @Test func `N12: a schema for a store and a file obeys the options for columns`() throws {
        let workplace = try Workplace()
        try workplace.write("id,name,note\n1,Ann,n\n2,Bob,m\n", to: "people.csv")
        #expect(
            try workplace.profiles("import", "people.csv", "--infer", "--yes", "--omit", "note", "--quiet").status == 0)
        try workplace.write("id,name,note,size,extra\n1,Ann,n,4,e\n2,Bob,m,5,f\n", to: "next.csv")
        let wider = { (arguments: [String]) in
            try workplace.run(
                [try Workplace.binary(), "schema", "infer", "next.csv", "--with-store"] + arguments, input: "",
                environment: [:])
        }
        let outcome = try wider([
            "--type", "size=string", "--rename", "size=shoe", "--omit", "extra", "--keep", "note",
        ])
        #expect(outcome.status == 0 && outcome.output.contains("+ shoe: string"), "\(outcome)")
        #expect(outcome.output.contains("+ note") && !outcome.output.contains("+ extra"), "\(outcome)")
        let key = try wider(["--key", "name"])
        #expect(key.status == 64 && key.error.contains("--with-store keeps the key of the store"), "\(key)")
        #expect(try wider(["--rename", "name=title"]).status == 64)
        #expect(try workplace.profiles("schema", "infer", "next.csv", "--keep", "note").status == 64)
    }
}
