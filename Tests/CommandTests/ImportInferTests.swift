import Platform
import ProfileTesting
import Testing
import Watchdog

/// One command that imports an unprepared file into a store that does not exist yet.
@Suite(.watched) struct ImportInferTests {
    /// Makes a folder with a file that has semicolons, Windows-1252, leading zeros, and dates that begin with the day.
    private func workplace() throws -> Workplace {
        let workplace = try Workplace()
        let text = """
            Kundennr;Name;Mitglied;PLZ;Geburtstag
            0012;M\u{FC}ller;J;01067;31.12.1980
            0013;Schmidt;N;20095;13.02.1975

            """
        try SmallFile.write(
            text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, to: "\(workplace.folder)/kunden.csv")
        return workplace
    }

    @Test func `N5: one command infers rules from a file, makes a store with them, and imports the file`() throws {
        let workplace = try workplace()
        let outcome = try workplace.profiles("import", "kunden.csv", "--infer", "--yes")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.error.contains("Kundennr    kundennr: text; primary key; requi…       2  0012 · 0013\n"))
        #expect(outcome.error.contains("The column \"Kundennr\" identifies a row."))
        #expect(outcome.output.contains("imported  2"))
        let stored = try workplace.profiles("lookup", "0012").output
        for text in ["M\u{FC}ller", "01067", "1980-12-31", "true"] { #expect(stored.contains(text), "\(stored)") }
        // The store remembers the field of each column, so the same file is imported without an inference.
        let again = try workplace.profiles("import", "kunden.csv", "--on-duplicate", "skip")
        #expect(again.status == 0 && again.output.contains("skipped   2"), "\(again)")
    }

    @Test func `N5: an import with --infer asks on a terminal, and needs --yes elsewhere`() throws {
        let workplace = try workplace()
        let outcome = try workplace.profiles("import", "kunden.csv", "--infer")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("Accept the rules with --yes"))
        for (answer, status) in [("n\n", Int32(1)), ("y\n", 0)] {
            let driver = try TerminalDriver(workplace, "import", "kunden.csv", "--infer", "--plain")
            try driver.wait(for: "Make a store at ")
            #expect(driver.screen.contains("Geburtstag"))
            #expect(!workplace.exists("store.sqlite"))
            try driver.type(answer)
            #expect(try driver.end() == status)
        }
        #expect(try workplace.profiles("lookup", "0013").status == 0)
    }

    @Test func `I7: Ctrl-C after the inference ends the import in order`() async throws {
        let workplace = try workplace()
        #expect(try workplace.profiles("import", "kunden.csv", "--infer", "--yes").status == 0)
        try workplace.write(
            "Kundennr;Name;Mitglied;PLZ;Geburtstag\n"
                + (1_000..<31_000).map { "\($0);A very long name indeed;J;1;01.02.1990\n" }.joined(), to: "more.csv")
        // The first batch waits for the write lock, which this test holds.
        let lock = open("\(workplace.folder)/store.sqlite-lock", O_RDWR | O_CLOEXEC)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let error = "\(workplace.folder)/error.txt"
        let process = try ChildProcess(
            [try Workplace.binary(), "import", "more.csv", "--infer", "--wait", "600"],
            environment: workplace.environment, folder: workplace.folder,
            streams: [0: .file("/dev/null", flags: O_RDONLY), 2: .file(error, flags: O_RDWR | O_CREAT)])
        try await waitUntil {
            // The inference is done, and the signal is caught again (proc(5)).
            guard SmallFile.text(of: error)?.contains("The store keeps its rules.") == true,
                let status = SmallFile.text(of: "/proc/\(process.id)/status"),
                let caught = status.firstMatch(of: /SigCgt:\s*([0-9a-f]+)/).flatMap({ UInt64($0.1, radix: 16) })
            else { return false }
            return caught & (1 << UInt64(SIGINT - 1)) != 0
        }
        process.send(SIGINT)
        try await waitUntil { SmallFile.text(of: error)?.contains("Interrupted: finishing the batch.") == true }
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(process.wait() == 130)
    }

    @Test(arguments: [["--infer", "--yes"], ["--map", "Kundennr=username"]])
    func `I7: Ctrl-C while the store is made ends the import and leaves no store`(_ options: [String]) async throws {
        let workplace = try workplace()
        // The store is made under the write lock, which this test holds.
        let lock = open("\(workplace.folder)/store.sqlite-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let error = "\(workplace.folder)/error.txt"
        let process = try ChildProcess(
            [try Workplace.binary(), "import", "kunden.csv", "--wait", "600"] + options,
            environment: workplace.environment, folder: workplace.folder,
            streams: [0: .file("/dev/null", flags: O_RDONLY), 2: .file(error, flags: O_RDWR | O_CREAT)])
        try await waitUntil {
            // proc(5)
            (3..<40).contains { descriptor in
                var path = [CChar](repeating: 0, count: 4_096)
                let count = readlink("/proc/\(process.id)/fd/\(descriptor)", &path, path.count)
                return count > 0
                    && String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
                        .hasSuffix("store.sqlite-lock")
            }
        }
        process.send(SIGINT)
        // The command ends while this test still holds the lock.
        #expect(process.wait() == 130)
        #expect(SmallFile.text(of: error)?.contains("Interrupted; nothing was written") == true)
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(!workplace.exists("store.sqlite"))
    }

    @Test func `I7: Ctrl-C as soon as the store is made ends the import and leaves no store`() async throws {
        for _ in 0..<5 {
            let workplace = try Workplace()
            try workplace.write(
                "username,password,phone,address\n" + String(repeating: "x,aK8oio,1,2\n", count: 30_000), to: "bad.csv")
            let process = try ChildProcess(
                [try Workplace.binary(), "import", "bad.csv"], environment: workplace.environment,
                folder: workplace.folder,
                streams: [0: .file("/dev/null", flags: O_RDONLY), 2: .file("/dev/null", flags: O_RDWR)])
            try await waitUntil { workplace.exists("store.sqlite") || process.hasEnded }
            process.send(SIGINT)
            // 1 if the signal came after the last row.
            let status = process.wait()
            #expect([130, 1].contains(status), "\(status)")
            #expect(!workplace.exists("store.sqlite"))
        }
    }

    @Test func `N5: an existing store keeps its rules, and the difference is shown`() throws {
        let workplace = try workplace()
        #expect(try workplace.profiles("import", "kunden.csv", "--infer", "--strict", "--yes").status == 0)
        try workplace.write(
            "Kundennr;Name;Mitglied;PLZ;Geburtstag\n0014;A very long name indeed;J;1;01.02.1990\n", to: "more.csv")
        let outcome = try workplace.profiles("import", "more.csv", "--infer")
        #expect(outcome.error.contains("The store keeps its rules."))
        #expect(outcome.error.contains("too_long") && outcome.error.contains("in line 2"), "\(outcome)")
        #expect(outcome.error.contains("~ name: maxLength"), "\(outcome)")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("too_long"))
        // The report names the row by its primary key, although that is not called username.
        #expect(outcome.output.contains("line 2  0014  "))
        #expect(try !workplace.profiles("schema", "log").output.contains("\n      2  "))
    }

    @Test func `N12: rules that the next file breaks are loosened, and no others`() throws {
        let workplace = try Workplace()
        let rows = (0..<300).map { "\(1000 + $0),\(["plus", "basic"][$0 * 7 % 5 % 2]),\(20 + $0 * 13 % 50)\n" }.joined()
        try workplace.write("id,plan,age\n" + rows, to: "january.csv")
        #expect(try workplace.profiles("import", "january.csv", "--infer", "--yes").status == 0)
        try workplace.write(
            "id,plan,age\n2000,gold,31\n2001,plus,1.5\n2002,basic,n/a\n2003,basic,\n", to: "february.csv")
        let kept = try workplace.profiles("import", "february.csv", "--infer", "--dry-run")
        #expect(kept.status == 1 && kept.output.contains("rejected  3"), "\(kept)")
        for line in [
            "plan   not_allowed     1  \"gold\" in line 2",
            "age    bad_format      2  \"1.5\" in line 3, \"n/a\" in line 4", "~ age: type integer → number (looser)",
        ] {
            #expect(kept.error.contains(line), "\(kept.error)")
        }
        let tried = try workplace.profiles("import", "february.csv", "--infer", "--dry-run", "--loosen")
        #expect(tried.status == 0 && tried.output.contains("imported  4"), "\(tried)")
        #expect(tried.error.contains("The rows are not compared with the stored profiles"), "\(tried)")
        #expect(try !workplace.profiles("schema", "log").output.contains("\n      2  "))
        let loosened = try workplace.profiles("import", "february.csv", "--infer", "--loosen")
        #expect(loosened.status == 0 && loosened.output.contains("imported  4"), "\(loosened)")
        #expect(loosened.error.contains("~ plan: enum basic, plus → basic, plus, gold (looser)"), "\(loosened)")
        #expect(loosened.error.contains("in force as version 2 of the schema"), "\(loosened)")
        // The other rules are unchanged, and the same file breaks no rule any more.
        let schema = try workplace.profiles("schema", "show").output
        #expect(schema.contains("primary key; required; unique"), "\(schema)")
        let again = try workplace.profiles("import", "february.csv", "--infer", "--on-duplicate", "skip")
        #expect(again.status == 0 && again.error.contains("The file breaks none of them."), "\(again)")
        #expect(try workplace.profiles("import", "february.csv", "--loosen").status == 64)
    }

    @Test func `N12: the change of a type to text says that stored values stay as they are`() throws {
        let workplace = try Workplace()
        try workplace.write("id,area\na,\"85,5 m²\"\nb,\"70,0 m²\"\nc,\"60,5 m²\"\n", to: "a.csv")
        #expect(try workplace.profiles("import", "a.csv", "--infer", "--yes").status == 0)
        try workplace.write("id,area\nd,\"85,5 m²\"\ne,large\n,\"1,5 m²\"\n", to: "b.csv")
        let text = "~ area: type number → string (looser)"
        let note =
            "Values of area that are stored already stay as the store writes them: 85.5 for 85,5 m². "
            + "Further values stay as the file writes them."
        let inferred = try workplace.profiles("schema", "infer", "b.csv", "--with-store")
        #expect(inferred.output.contains(text) && inferred.output.contains(note), "\(inferred)")
        let loosened = try workplace.profiles("import", "b.csv", "--infer", "--loosen")
        #expect(loosened.error.contains(text) && loosened.error.contains(note), "\(loosened)")
        #expect(loosened.error.contains("are rejected: id required"), "\(loosened)")
        let again = try workplace.profiles("import", "b.csv", "--infer", "--on-duplicate", "skip")
        #expect(!again.error.contains("breaks none") && again.error.contains("id     required"), "\(again)")
    }

    @Test func `N12: on a terminal, the import asks whether rules are loosened`() throws {
        for (answer, status) in [("n\n", Int32(1)), ("y\n", 0)] {
            let workplace = try workplace()
            #expect(try workplace.profiles("import", "kunden.csv", "--infer", "--strict", "--yes").status == 0)
            try workplace.write(
                "Kundennr;Name;Mitglied;PLZ;Geburtstag\n0014;A very long name;J;1;01.02.1990\n", to: "more.csv")
            let driver = try TerminalDriver(workplace, "import", "more.csv", "--infer")
            try driver.wait(for: "Loosen these rules of the store? [y/N]")
            try driver.type(answer)
            #expect(try driver.end() == status)
            #expect(try workplace.profiles("schema", "log").output.contains("\n      2  ") == (status == 0))
        }
    }

    @Test func `N12: a schema for the store and a file allows what both contain`() throws {
        let workplace = try workplace()
        #expect(try workplace.profiles("import", "kunden.csv", "--infer", "--strict", "--yes").status == 0)
        try workplace.write(
            "Kundennr;Name;Mitglied;PLZ;Geburtstag;Ort\n0014;A very long name;J;1;;Bern\n", to: "more.csv")
        let inferred = try workplace.profiles("schema", "infer", "more.csv", "--with-store", "--output", "wider.json")
        #expect(inferred.status == 0 && inferred.output.contains("+ ort: string"), "\(inferred)")
        // The option says in which line the table begins.
        try workplace.write("Title\n\n" + (try workplace.read("more.csv")), to: "titled.csv")
        let titled = try workplace.profiles(
            "schema", "infer", "titled.csv", "--with-store", "--header-line", "3", "--output", "titled.json")
        #expect(titled.status == 0, "\(titled)")
        #expect(try workplace.read("titled.json") == workplace.read("wider.json"))
        #expect(try workplace.profiles("schema", "adopt", "wider.json", "--yes").status == 0)
        let imported = try workplace.profiles("import", "more.csv")
        #expect(imported.status == 0 && imported.output.contains("imported  1"), "\(imported)")
        #expect(try workplace.profiles("revalidate").status == 0)
    }

    @Test func `the settings of the first import are used again`() throws {
        let workplace = try workplace()
        /// ISO 8859-2, in which ó is 0xF3 and ź is 0xBC.
        func file(_ id: String) -> [UInt8] { Array("id|name\n\(id)|R".utf8) + [0xF3, 0xBC, 0x0A] }
        try SmallFile.write(file("1"), to: "\(workplace.folder)/one.csv")
        let made = try workplace.profiles("import", "one.csv", "--infer", "--yes", "--encoding", "iso-8859-2")
        #expect(made.status == 0, "\(made)")
        try SmallFile.write(file("2"), to: "\(workplace.folder)/two.csv")
        #expect(try workplace.profiles("import", "two.csv").status == 0)
        #expect(try workplace.profiles("lookup", "2").output.contains("Róź"))
        // A file that is UTF-8 is read as such, and one with another delimiter is read with that.
        try workplace.write("id,name\n3,Łódź\n", to: "three.csv")
        #expect(try workplace.profiles("import", "three.csv").status == 0)
        #expect(try workplace.profiles("lookup", "3").output.contains("Łódź"))
    }

    @Test func `a bank statement without a key and the next one are imported with one option each`() throws {
        let workplace = try Workplace()
        let january = "Datum;Text;Betrag\n03.01.2026;Miete;-900,00\n05.01.2026;Kaffee;-4,50\n05.01.2026;Kaffee;-4,50\n"
        try workplace.write(january, to: "january.csv")
        try workplace.write(january + "02.02.2026;Lohn;5000,00\n02.02.2026;Miete;-900,00\n", to: "february.csv")
        let first = try workplace.profiles("import", "january.csv", "--infer", "--yes", "--key-by-content")
        #expect(first.status == 0 && first.output.contains("imported  3"), "\(first)")
        let second = try workplace.profiles("import", "february.csv", "--on-duplicate", "skip")
        #expect(second.status == 0, "\(second)")
        #expect(second.output.contains("imported  2") && second.output.contains("skipped   3"), "\(second)")
        let update = try workplace.profiles(
            "import", "february.csv", "--key-by-content", "--on-duplicate", "update")
        #expect(update.status == 0 && update.output.contains("imported  0"), "\(update)")
        // The export equals the file. Amounts in another notation still give the same keys.
        let export = try workplace.profiles("export", "--original")
        #expect(export.output == january + "02.02.2026;Lohn;5000,00\n02.02.2026;Miete;-900,00\n", "\(export)")
        try workplace.write(export.output.replacing(",00", with: ",0"), to: "again.csv")
        let again = try workplace.profiles("import", "again.csv", "--on-duplicate", "skip")
        #expect(again.status == 0 && again.output.contains("skipped   5"), "\(again)")
    }

    @Test func `an import says once that all keys of the file are already stored`() throws {
        let workplace = try workplace()
        #expect(try workplace.profiles("import", "kunden.csv", "--infer", "--yes").status == 0)
        let again = try workplace.profiles("import", "kunden.csv")
        #expect(again.status == 1)
        #expect(again.output.split(separator: "The store already has all keys of the file").count == 2, "\(again)")
        #expect(again.output.contains("--on-duplicate skip"))
    }

    @Test func `an import makes a store with a schema file, and refuses other rules than those of the store`() throws {
        let workplace = try workplace()
        #expect(try workplace.profiles("schema", "infer", "kunden.csv", "-o", "rules.json").status == 0)
        let first = try workplace.profiles("import", "kunden.csv", "--schema", "rules.json")
        #expect(first.status == 0, "\(first)")
        let again = try workplace.profiles("import", "kunden.csv", "--schema", "rules.json", "--on-duplicate", "skip")
        #expect(again.status == 0, "\(again)")
        #expect(try workplace.profiles("schema", "infer", "kunden.csv", "--strict", "-o", "other.json").status == 0)
        let other = try workplace.profiles("import", "kunden.csv", "--schema", "other.json", "--on-duplicate", "skip")
        #expect(other.status == 73, "\(other)")
        #expect(other.error.contains("has other rules than the schema file; nothing was imported"), "\(other)")
        #expect(try workplace.profiles("import", "kunden.csv", "--schema", "rules.json", "--infer").status == 64)
    }

    @Test func `--key-by-row is refused with --on-duplicate, because row numbers differ in the next file`() throws {
        let workplace = try workplace()
        let outcome = try workplace.profiles("import", "kunden.csv", "--key-by-row", "--on-duplicate", "skip")
        #expect(outcome.status == 64 && outcome.error.contains("a row has another number in the next file"))
    }

    @Test func `N5: input from a pipe is inferred and imported, and a dry run makes no store`() throws {
        let workplace = try workplace()
        let tried = try workplace.profiles("import", "kunden.csv", "--infer", "--dry-run", "--yes")
        #expect(tried.status == 0 && tried.output.contains("imported  2"), "\(tried)")
        #expect(!workplace.exists("store.sqlite"))
        let piped = try workplace.shell("cat kunden.csv | profiles import - --infer --yes")
        #expect(piped.status == 0 && piped.output.contains("imported  2"), "\(piped)")
    }

    @Test func `N5: if a file has more columns than a schema allows, --columns chooses some`() throws {
        let workplace = try Workplace()
        let header = (["id"] + (1...120).map { "c\($0)" }).joined(separator: ",")
        let rows = (1...3).map { row in (0...120).map { "\(row)\($0)" }.joined(separator: ",") }
        try workplace.write(([header] + rows).joined(separator: "\n") + "\n", to: "wide.csv")
        let refused = try workplace.profiles("import", "wide.csv", "--infer", "--yes")
        #expect(refused.status == 64 && refused.error.contains("Choose with --columns"), "\(refused)")
        let chosen = try workplace.profiles("import", "wide.csv", "--infer", "--yes", "--columns", "id,c7")
        #expect(chosen.status == 0 && chosen.output.contains("imported  3"), "\(chosen)")
        #expect(try workplace.profiles("schema", "show").output.contains("c7"))
        #expect(try workplace.profiles("import", "wide.csv", "--columns", "id").status == 64)
        // The same file again: the store's rules decide which columns are read.
        let again = try workplace.profiles("import", "wide.csv", "--infer", "--on-duplicate", "skip")
        #expect(again.status == 0 && again.output.contains("skipped   3"), "\(again)")
        #expect(again.error.contains("too many columns (121)"))
    }

    @Test func `N5: columns without a field in the store are ignored, and so are columns that are not chosen`() throws {
        let workplace = try Workplace()
        try workplace.write("id,name,note\n1,Ann,x\n2,,y\n", to: "one.csv")
        try workplace.write("id,name,note\n3,Cy,x\n4,Di,z\n", to: "two.csv")
        try workplace.write("id,name,note\n5,Ed,x\n6,Flo,y\n", to: "three.csv")
        let made = try workplace.profiles("import", "one.csv", "--infer", "--yes", "--columns", "id,name")
        #expect(made.status == 0, "\(made)")
        // The store remembers that the column was left out. A further unknown column still stops an import.
        let second = try workplace.profiles("import", "two.csv")
        #expect(second.status == 0 && second.output.contains("imported  2"), "\(second)")
        try workplace.write("id,name,note,more\n13,Kit,x,1\n", to: "more.csv")
        #expect(try workplace.profiles("import", "more.csv").status == 65)
        let more = try workplace.profiles("import", "more.csv", "--infer")
        #expect(more.status == 0 && more.output.contains("imported  1"), "\(more)")
        #expect(more.error.contains("Columns that match no field are ignored: \"more\"\n"), "\(more)")
        let same = try workplace.profiles("import", "three.csv", "--infer", "--columns", "id,name")
        #expect(same.status == 0 && same.output.contains("imported  2"), "\(same)")
        #expect(!same.error.contains("note"))
        // A chosen column without a field is an error, and a column that is not chosen is not read.
        let wanted = try workplace.profiles("import", "three.csv", "--infer", "--columns", "id,note")
        #expect(wanted.status == 65 && wanted.error.contains("\"note\""), "\(wanted)")
        try workplace.write("id,name,note\n7,Gus,x\n", to: "four.csv")
        #expect(try workplace.profiles("import", "four.csv", "--infer", "--columns", "id").status == 0)
        let stored = try workplace.profiles("lookup", "7").output
        #expect(stored.contains("7") && !stored.contains("Gus"))
    }

    @Test func `N5: omitted columns stay omitted in the next import, and hashes in a column password stay hashes`()
        throws
    {
        let workplace = try Workplace()
        let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        func file(_ names: String...) -> String {
            "id,,password,Password,note\n" + names.map { "\($0),x,\"\(hash)\",other,n\n" }.joined()
        }
        try workplace.write(file("u1", "u2"), to: "one.csv")
        try workplace.write(file("u3", "u4"), to: "two.csv")
        try workplace.write(file("u5", "u6"), to: "three.csv")
        let made = try workplace.profiles(
            "import", "one.csv", "--infer", "--yes", "--columns", "id,password,Password", "--rejects", "r.csv")
        #expect(made.status == 0 && made.output.contains("imported  2"), "\(made)")
        #expect(!made.error.contains("Import with") && !made.error.contains("--ignore"), "\(made.error)")
        let second = try workplace.profiles(
            "import", "two.csv", "--infer", "--yes", "--columns", "id,password,Password", "--on-duplicate", "skip")
        #expect(second.status == 0 && second.output.contains("imported  2"), "\(second)")
        // The store knows how to read such files.
        let third = try workplace.profiles("import", "three.csv")
        #expect(third.status == 0 && third.output.contains("imported  2"), "\(third)")
        let exported = try workplace.profiles("export", "--as", "csv", "--include-hashes").output
        #expect(exported.split(separator: hash, omittingEmptySubsequences: false).count == 7, "\(exported)")
    }

    @Test func `N5: a dry run asks nothing, and rejected rows say that columns are left out`() throws {
        let workplace = try Workplace()
        try workplace.write("id,,age\n1,x,2\n2,y,3\n3,z,4,5\n", to: "odd.csv")
        let tried = try workplace.profiles("import", "odd.csv", "--infer", "--dry-run", "--rejects", "r.csv")
        #expect(tried.status == 1 && tried.output.contains("imported  2"), "\(tried)")
        #expect(tried.output.contains("ignored columns are left out"))
        try workplace.write("age\n2\n2\nx y\n", to: "rows.csv")
        let numbered = try workplace.profiles("import", "rows.csv", "--infer", "--yes", "--key-by-row")
        #expect(numbered.status == 0, "\(numbered)")
    }

    @Test func `N6: an import that stored no row removes the store that it made, and no other`() throws {
        let workplace = try workplace()
        // The columns of the first file do not fit, and the row of the second is invalid.
        try workplace.write("username,phone\nx,1\n", to: "unfit.csv")
        #expect(try workplace.profiles("import", "unfit.csv").status == 65)
        #expect(!workplace.exists("store.sqlite"))
        try workplace.write("username,password,phone,address\nx,aK8oio,1,2\n", to: "bad.csv")
        let outcome = try workplace.profiles("import", "bad.csv")
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("the store that was created for this import was removed"))
        for ending in ["", "-wal", "-shm"] { #expect(!workplace.exists("store.sqlite\(ending)")) }
        #expect(workplace.exists("store.sqlite-lock"))
        // A store that existed before stays, and so does a new store that got a row.
        #expect(try workplace.profiles("init", "--quiet").status == 0)
        #expect(try workplace.profiles("import", "bad.csv").status == 1)
        #expect(workplace.exists("store.sqlite"))
        try workplace.write(
            "username,phone,address,password\nx,1,2,aK8oio\nanna,78761241,12 Main St,aK8oio\n", to: "mixed.csv")
        #expect(try workplace.profiles("import", "mixed.csv", "--database", "other.sqlite", "--create").status == 1)
        #expect(workplace.exists("other.sqlite"))
    }

    @Test func `N6: before it makes a store at --database, an import asks on a terminal, and elsewhere reports it`()
        throws
    {
        let workplace = try workplace()
        let people = "username,phone,address,password\nanna,78761241,12 Main St,aK8oio\n"
        try workplace.write(people, to: "people.csv")
        let said = try workplace.profiles("import", "people.csv", "--database", "one.sqlite")
        #expect(said.status == 0 && said.error.reproducible(workplace) == "Made a store at one.sqlite\n", "\(said)")
        for (answer, status) in [("n\n", Int32(66)), ("y\n", 0)] {
            let driver = try TerminalDriver(workplace, "import", "people.csv", "--database", "two.sqlite")
            try driver.wait(for: "There is no store at two.sqlite; make one? [y/N]")
            try driver.type(answer)
            #expect(try driver.end() == status)
            #expect(workplace.exists("two.sqlite") == (status == 0))
        }
        let created = try TerminalDriver(workplace, "import", "people.csv", "--database", "three.sqlite", "--create")
        #expect(try created.end() == 0)
        #expect(!created.transcript.contains("make one"))
    }

    @Test func `init with a schema changes the rules of a store without profiles`() throws {
        let workplace = try workplace()
        #expect(try workplace.profiles("schema", "infer", "kunden.csv", "--output", "kunden.json").status == 0)
        #expect(try workplace.profiles("init").status == 0)
        let changed = try workplace.profiles("init", "--schema", "kunden.json")
        #expect(changed.status == 0)
        #expect(
            changed.output.reproducible(workplace)
                == "Changed the rules of the empty store at FOLDER/store.sqlite to the schema \"kunden\"\n")
        #expect(try workplace.profiles("import", "kunden.csv").status == 0)
        #expect(try workplace.profiles("init", "--schema", "kunden.json").status == 73)
    }

    @Test
    func `N8: a new user imports a file with one command, mends its row, and finds and edits a profile`() throws {
        let workplace = try Workplace()
        // The cells are separated by tabs, and one e-mail address occurs twice.
        try workplace.write(
            """
            E-mail\tName\tJoined\tScore
            ann@example.org\tAnn Lee\t2024-05-01\t1.5
            bob@example.org\tBob Ray\t2024-05-02\t2
            ann@example.org\tAnn Two\t2024-05-03\t3
            cy@example.org\tCy Fox\t2024-05-04\t4

            """ + (0..<200).map { "u\($0)@example.org\tUser\($0) X\t2024-06-01\t\($0)\n" }.joined(), to: "club.tsv")
        let command = "import club.tsv --infer --rejects rejects.csv".split(separator: " ").map(String.init)
        let driver = try TerminalDriver(workplace, command, size: TerminalSize(columns: 120, rows: 40))
        try driver.wait(for: "Return makes a store at ")
        let shown = driver.screen
        #expect(shown.contains("1 row with a repeated value") && shown.contains("204 rows · 1 rejected"))
        try driver.press(.enter)
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("imported  203"))
        #expect(driver.screen.contains("profiles mend rejects.csv"))
        let mending = try TerminalDriver(workplace, "mend", "rejects.csv")
        try mending.wait(until: { $0.contains("Row 1 of 1, line 4") && $0.contains("E-mail is taken") })
        try mending.press(.control("u"))
        try mending.type("ann.two@example.org")
        try mending.wait(for: "ann.two@example.org")
        try mending.press(.control("s"))
        #expect(try mending.end() == 0)
        #expect(!workplace.exists("rejects.csv"))
        #expect(try workplace.profiles("lookup", "ann.two@example.org").output.contains("Ann Two"))
        #expect(try workplace.profiles("revalidate", "--all").status == 0)
        let finding = try TerminalDriver(workplace, "find", "ann tw")
        #expect(try finding.end() == 0)
        #expect(finding.screen.contains("ann.two@example.org") && !finding.screen.contains("ann@example.org"))
        #expect(finding.transcript.contains("\u{1B}[1mAnn Tw\u{1B}["))
        let browsing = try TerminalDriver(workplace, "browse")
        try browsing.wait(until: { $0.contains("1 of 204") })
        try browsing.type("/TWO")
        try browsing.wait(until: { $0.contains("1 of 1") })
        try browsing.press(.enter)
        try browsing.wait(until: { !$0.contains("Esc end the search") })
        try browsing.press(.enter)
        try browsing.wait(until: { $0.contains("Edit ann.two@example.org") })
        try browsing.press(.down, times: 3)
        try browsing.press(.control("u"))
        try browsing.type("4.5")
        try browsing.press(.control("s"))
        try browsing.wait(until: { $0.contains("Stored ann.two@example.org") })
        try browsing.press(.escape)
        try browsing.wait(until: { $0.contains("1 of 204") })
        try browsing.type("q")
        #expect(try browsing.end() == 0)
        #expect(try workplace.profiles("lookup", "ann.two@example.org").output.contains("4.5"))
    }
}
