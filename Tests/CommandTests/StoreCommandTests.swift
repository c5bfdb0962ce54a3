import Platform
import ProfileStore
import ProfileTesting
import Testing
import Watchdog

/// The store, its rules, and the exit codes of what can be wrong with them.
@Suite(.watched) struct StoreCommandTests {
    @Test(
        "Reading a store that is not there exits 66 and says how to make one",
        arguments: [
            "lookup anna", "list", "edit anna --phone 78761241", "remove anna --yes", "revalidate", "export",
            "passcode remove anna", "unlock anna", "schema show", "check", "watch", "backup copy", "migrate",
            "migrate --status",
        ])
    func missingStore(_ line: String) throws {
        let workplace = try Workplace()
        let outcome = try workplace.run(
            [try Workplace.binary()] + line.split(separator: " ").map(String.init), input: "", environment: [:])
        #expect(
            outcome.error.reproducible(workplace) == """
                Error: There is no store at FOLDER/store.sqlite
                  Make one with "profiles init", "profiles register" or "profiles import"
                  Or name another with --database PATH

                """)
        #expect(outcome.status == 66)
        #expect(!workplace.exists("store.sqlite"))
    }

    @Test func `init makes a store once, where the environment says`() throws {
        let workplace = try Workplace()
        let made = try workplace.profiles("init")
        #expect(
            made.output.reproducible(workplace) == "Made a store at FOLDER/store.sqlite with the schema \"standard\"\n")
        let again = try workplace.profiles("init")
        #expect(again.status == 73)
        #expect(
            again.error.reproducible(workplace) == "Error: FOLDER/store.sqlite is there already; it is left as it is\n")
        let unset = ["PROFILES_DATABASE": ""]
        #expect(try workplace.profiles("init", environment: unset).status == 0)
        #expect(workplace.exists(".local/share/profiles/profiles.sqlite"))
        #expect(workplace.mode(".local/share/profiles") == 0o700)
        let data = unset.merging(["XDG_DATA_HOME": "\(workplace.folder)/data"]) { $1 }
        #expect(try workplace.profiles("init", environment: data).status == 0)
        #expect(workplace.exists("data/profiles/profiles.sqlite"))
        #expect(try workplace.profiles("init", "--database", "named.sqlite", environment: data).status == 0)
        #expect(workplace.exists("named.sqlite"))
    }

    @Test func `a file that is no store exits 65 and stays as it is`() throws {
        let workplace = try Workplace()
        let text = String(repeating: "not a database ", count: 100)
        try workplace.write(text, to: "store.sqlite")
        let outcome = try workplace.profiles("list")
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("is not an SQLite database; it is left as it is"))
        #expect(try workplace.read("store.sqlite") == text)
    }

    @Test func `files are for their owner alone, whatever the umask`() throws {
        let workplace = try Workplace()
        let outcome = try workplace.shell(
            """
            umask 0
            printf 'username,phone,address,password\\nanna,78761241,x,aK8oio\\nb,1,,\\n' | \
            profiles import - --rejects rejects.csv --report report.html
            profiles export all.csv && profiles backup copy.sqlite && profiles check
            """)
        #expect(outcome.status == 0, "\(outcome)")
        for file in ["store.sqlite", "store.sqlite-lock", "rejects.csv", "report.html", "all.csv", "copy.sqlite"] {
            #expect(workplace.mode(file) == 0o600, "\(file)")
        }
        let backup = try workplace.profiles("backup", "copy.sqlite")
        #expect(
            backup
                == Workplace.Outcome(
                    status: 73, output: "", error: "Error: copy.sqlite is there already; it is left as it is\n"))
        #expect(try workplace.profiles("lookup", "anna", "--database", "copy.sqlite").status == 0)
    }

    @Test func `a store that another process writes to exits 75 after --wait, naming it`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let lock = open("\(workplace.folder)/store.sqlite-lock", O_RDWR | O_CLOEXEC)
        #expect(lock >= 0)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let outcome = try workplace.profiles("edit", "anna", "--phone", "78761242", "--wait", "0.2")
        #expect(outcome.status == 75)
        #expect(outcome.error.hasPrefix("Error: The store is busy: "))
        #expect(try workplace.profiles("lookup", "anna").status == 0)
    }

    @Test func `--wait ends when it says, whatever else there is to close`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let lock = open("\(workplace.folder)/store.sqlite-lock", O_RDWR | O_CLOEXEC)
        #expect(lock >= 0)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        // Killed where it goes on for 20 times as long.
        let outcome = try workplace.shell("timeout 4 \(try Workplace.binary()) edit anna --phone 78761242 --wait 0.2")
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.error.contains("did not end within 0.2 s"), "\(outcome)")
    }

    @Test func `a file that has the lock's name exits 73 and stays as it is`() throws {
        let workplace = try Workplace()
        try workplace.write("precious\n", to: "store.sqlite-lock")
        chmod("\(workplace.folder)/store.sqlite-lock", 0o644)
        let outcome = try workplace.profiles(
            "register", "--username", "anna", "--phone", "78761241", "--address", "x", "--password-stdin",
            input: "aK8oio\n")
        #expect(outcome.status == 73)
        #expect(
            outcome.error.reproducible(workplace) == """
                Error: FOLDER/store.sqlite-lock is no lock file: something else is in it; it is left as it is
                  Move it away, since that name belongs to the store, or name another store with --database PATH

                """)
        #expect(try workplace.read("store.sqlite-lock") == "precious\n")
        #expect(workplace.mode("store.sqlite-lock") == 0o644)
        #expect(!workplace.exists("store.sqlite"))
    }

    @Test func `who may read a store and not write it makes no lock file, and exits 77`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            chmod("\(workplace.folder)/\(file)", geteuid() == 0 ? 0o444 : 0o644)
        }
        chmod("\(workplace.folder)/store.sqlite", 0o444)
        unlink("\(workplace.folder)/store.sqlite-lock")
        chmod(workplace.folder, 0o777)
        // Root may write everything, so another user tries.
        let user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
        let outcome = try workplace.shell("\(user) \(try Workplace.binary()) edit anna --phone 78761242")
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.error.contains("The store may not be written"), "\(outcome)")
        #expect(!workplace.exists("store.sqlite-lock"))
    }

    @Test func `a store in a folder where nothing can be written is read as it lies, and a change exits 77`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for ending in ["-wal", "-shm", "-lock"] { unlink("\(workplace.folder)/store.sqlite\(ending)") }
        let store = "\(workplace.folder)/store.sqlite"
        chmod(store, 0o400)
        // Root may write everywhere, so another user tries.
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(store, 65_534, 65_534) == 0) }
        let user = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
        chmod(workplace.folder, isRoot ? 0o755 : 0o555)
        defer { chmod(workplace.folder, 0o700) }
        waitUntilSettled(store)
        for (words, status) in [
            ("lookup anna", 0), ("list", 0), ("export", 0), ("check", 0), ("edit anna --phone 78761242", 77),
            ("lookup nobody", 1),
        ] {
            let script = "\(user) \(try Workplace.binary()) \(words)"
            let outcome = try run(script, beside: workplace)
            #expect(outcome.status == status, "\(words): \(outcome)")
        }
        #expect(SmallFile.names(in: workplace.folder).filter { $0.hasPrefix("store") } == ["store.sqlite"])
    }

    /// Runs a line of shell in the store's environment, from a folder of its own.
    private func run(_ script: String, beside workplace: Workplace) throws -> Workplace.Outcome {
        let elsewhere = try Workplace()
        return try elsewhere.run(
            ["/bin/bash", "-c", script], input: "",
            environment: ["PROFILES_DATABASE": "\(workplace.folder)/store.sqlite"])
    }

    /// Waits until a further change of the file would show in its times; see `FileStamp`.
    private func waitUntilSettled(_ path: String) {
        var status = stat()
        while stat(path, &status) == 0, time(nil) - status.st_ctim.tv_sec <= 2 { usleep(20_000) }
    }

    @Test func `a store that has two names exits 65`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(link("\(workplace.folder)/store.sqlite", "\(workplace.folder)/other.sqlite") == 0)
        for name in ["store.sqlite", "other.sqlite"] {
            let outcome = try workplace.profiles("list", "--database", name)
            #expect(outcome.status == 65)
            #expect(
                outcome.error.reproducible(workplace) == """
                    Error: FOLDER/\(name) has another name too (a hard link), and so is not safe to use
                      Remove the other name, which "find -samefile" finds, or use a copy

                    """)
        }
        #expect(!workplace.exists("other.sqlite-lock") && !workplace.exists("other.sqlite-wal"))
    }

    @Test func `an import into a store that is removed meanwhile exits 74`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for name in ["a", "b"] {
            let rows = (1...30_000).map { "\(name)\($0),78761241,x,\"\(Self.hash)\"\n" }
            try workplace.write("username,phone,address,password_hash\n" + rows.joined(), to: "\(name).csv")
        }
        let script = """
            mkfifo rows
            "$0" import rows &
            exec 3> rows
            cat a.csv >&3
            until [ "$("$0" export - | wc -l)" -gt 100 ]; do sleep 0.1; done
            rm store.sqlite*
            tail -n +2 b.csv >&3
            exec 3>&-
            wait $!
            """
        let outcome = try workplace.run(
            ["/usr/bin/timeout", "-s", "KILL", "120", "/bin/bash", "-c", script, try Workplace.binary()],
            input: "", environment: [:])
        #expect(outcome.status == 74, "\(outcome)")
        #expect(
            outcome.error.reproducible(workplace).hasSuffix(
                """
                Error: FOLDER/store.sqlite was removed or replaced while it was in use; what was written since is not in it
                  Look what is there now, and do again what is missing

                """), "\(outcome)")
        #expect(!workplace.exists("store.sqlite"))
    }

    private static let hash =
        "$argon2id$v=19$m=19456,t=2,p=1$daIzqGWCoLRBQi2FvCJ/Zg$9VAPUc9u1hGjEv1wldDB4aC+XZFXEXq88/w8GJAgz0s"

    @Test func `S6: a schema file that is wrong exits 78 with every place and reason`() throws {
        let workplace = try Workplace()
        try workplace.write(
            #"{"fields": [{"name": "username", "constraints": {"minimumLength": 2, "required": true}}]}"#,
            to: "schema.json")
        for arguments in [["schema", "check"], ["schema", "adopt"], ["schema", "diff"], ["init", "--schema"]] {
            let outcome = try workplace.run(
                [try Workplace.binary()] + arguments + ["schema.json"], input: "", environment: [:])
            #expect(outcome.status == 78)
            #expect(
                outcome.error == """
                    Error: schema.json is refused at 2 places
                      $.fields[0].constraints.minimumLength: it is not known here; known are required, unique, minLength, \
                    maxLength, minimum, maximum, pattern, enum
                      $.fields[0].constraints.unique: it must be true for username, the key of every profile

                    """)
        }
        try workplace.write(#"{"fields": []}"#, to: "schema.json")
        #expect(
            try workplace.profiles("schema", "check", "schema.json").error
                == "Error: schema.json is refused at $.fields: there are 0 fields; 1 to 100 are allowed\n")
        #expect(try workplace.profiles("schema", "check", "missing.json").status == 66)
    }

    @Test func `R6: a stricter schema is compared, tried, adopted and revalidated by`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("bert", address: "1 B St")
        let schema = try workplace.profiles("schema", "show", "--format", "json").output
        #expect(schema.hasPrefix("{\n  \"name\": \"standard\",\n  \"fields\": [\n"))
        try workplace.write(schema.replacing("\"maxLength\": 70", with: "\"maxLength\": 6"), to: "strict.json")
        #expect(try workplace.profiles("schema", "check", "strict.json").status == 0)
        #expect(try workplace.profiles("schema", "diff", "strict.json").output == "~ address: maxLength\n")

        #expect(try workplace.profiles("revalidate", "--schema", "strict.json", "--report", "r.html").status == 1)
        #expect(try workplace.profiles("lookup", "--invalid").status == 1)
        #expect(try workplace.profiles("revalidate").status == 0)

        let adopted = try workplace.profiles("schema", "adopt", "strict.json")
        #expect(adopted.output.hasSuffix("Adopted the schema \"standard\" as version 2\n"))
        #expect(adopted.output.contains("too_long"))
        #expect(adopted.status == 0)
        #expect(try workplace.profiles("schema", "diff", "strict.json").output == "The rules are the same\n")
        #expect(try workplace.profiles("revalidate", "--format", "json").status == 1)
        let invalid = try workplace.profiles("lookup", "--invalid")
        #expect(invalid.output.hasPrefix("Username     anna\n"))
        #expect(
            invalid.output.contains(
                "Status       invalid by schema version 2\n             Address should have at most 6 characters\n"))
        #expect(
            try workplace.profiles("list").output.hasPrefix(
                "Username  Phone      Address     Postal code  Birthday  Revision  Issues\n"))
    }

    @Test func `check finds a store sound, and not when others can read it`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let sound = try workplace.profiles("check", "--format", "json")
        #expect(sound.output.contains("\"sound\": true,"))
        #expect(sound.status == 0)
        chmod("\(workplace.folder)/store.sqlite", 0o644)
        let open = try workplace.profiles("check")
        #expect(open.output.contains("NOT PRIVATE: chmod 600"))
        #expect(open.status == 1)
        #expect(
            try workplace.profiles("migrate", "--status").output
                == "Migration       Applied\nV0001_profiles  yes\nV0002_changes   yes\nV0003_counts    yes\n")
        #expect(try workplace.profiles("migrate").output == "The store is up to date\n")
    }

    @Test func `a reader that leaves ends the command quietly, and a full disk does not`() throws {
        let workplace = try Workplace()
        var rows = "username,phone,address,password_hash\n"
        for number in 0..<5_000 { rows += "u\(number),78761241,12 Main St,\"\(Self.hash)\"\n" }
        try workplace.write(rows, to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv").status == 0)
        for command in ["list --limit 5000", "export"] {
            let outcome = try workplace.shell("profiles \(command) | head -1; echo ${PIPESTATUS[0]}")
            #expect(outcome.error == "")
            #expect(outcome.output.hasSuffix("\n141\n"), "\(outcome)")
            let full = try workplace.shell("profiles \(command) > /dev/full")
            #expect(full.status == 74)
            #expect(full.error.contains("cannot be written: No space left on device"))
        }
    }
}
