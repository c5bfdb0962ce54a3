import Platform
import ProfileStore
import ProfileTesting
import RawSQLite
import Testing
import Watchdog

/// The store, its rules, and the exit codes of what can be wrong with them.
@Suite(.watched) struct StoreCommandTests {
    @Test(
        "Reading a store that is not there exits 66 and says how to make one",
        arguments: [
            "lookup anna", "list", "edit anna --phone 78761241", "remove anna --yes", "revalidate", "export",
            "passcode remove anna --yes", "unlock anna", "schema show", "check", "watch", "backup copy", "migrate",
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

    @Test func `a folder or a device in place of a store exits 65`() throws {
        let workplace = try Workplace()
        for arguments in [["list"], ["check"], ["init"]] {
            for (place, what) in [
                (".", "FOLDER is a folder, not a store"), ("./", "./ is a folder, not a store"),
                ("/dev/null", "/dev/null is not a file, and so not a store"),
            ] {
                let outcome = try workplace.run(
                    [try Workplace.binary()] + arguments + ["--database", place], input: "", environment: [:])
                #expect(outcome.status == 65, "\(arguments) \(place) \(outcome)")
                let error = outcome.error.reproducible(workplace)
                #expect(error == "Error: \(what)\n", "\(outcome)")
            }
        }
    }

    @Test func `files are private to their owner with any umask`() throws {
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

    @Test func `a command exits 75 after --wait if another process writes to the store`() throws {
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

    @Test func `--wait also limits the time in which the store is closed`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let lock = open("\(workplace.folder)/store.sqlite-lock", O_RDWR | O_CLOEXEC)
        #expect(lock >= 0)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        // The command is killed if it takes 20 times as long.
        let outcome = try workplace.shell("timeout 4 \(try Workplace.binary()) edit anna --phone 78761242 --wait 0.2")
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.error.contains("no answer within 0.2 s"), "\(outcome)")
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
                Error: FOLDER/store.sqlite-lock is not a lock file: it has other contents; it is left as it is
                  Move it away, because the store needs that name, or name another store with --database PATH

                """)
        #expect(try workplace.read("store.sqlite-lock") == "precious\n")
        #expect(workplace.mode("store.sqlite-lock") == 0o644)
        #expect(!workplace.exists("store.sqlite"))
    }

    @Test func `the error about a backup that cannot be created names the backup and not the store`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(try workplace.shell("chmod 777 .; chmod 666 store.*; mkdir -m 555 closed").status == 0)
        let outcome = try workplace.shell("\(user) \(try Workplace.binary()) backup closed/copy.sqlite")
        #expect(
            outcome
                == Workplace.Outcome(
                    status: 73, output: "",
                    error: "Error: closed/copy.sqlite cannot be created: Permission denied\n"), "\(outcome)")
    }

    @Test func `an edit by a user who may only read the store makes no lock file, and exits 77`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            chmod("\(workplace.folder)/\(file)", geteuid() == 0 ? 0o444 : 0o644)
        }
        chmod("\(workplace.folder)/store.sqlite", 0o444)
        unlink("\(workplace.folder)/store.sqlite-lock")
        chmod(workplace.folder, 0o777)
        // Root may write everywhere, so the command runs as another user.
        let user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
        let outcome = try workplace.shell("\(user) \(try Workplace.binary()) edit anna --phone 78761242")
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.error.contains("The store cannot be written"), "\(outcome)")
        #expect(outcome.error.hasSuffix("  Ask its owner, or name another store with --database PATH\n"), "\(outcome)")
        #expect(!workplace.exists("store.sqlite-lock"))
    }

    @Test(
        "A store in a read-only folder can be read, and a change exits 77",
        arguments: [true, false])
    func readOnlyFolder(isSettled: Bool) throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let store = "\(workplace.folder)/store.sqlite"
        for ending in ["-wal", "-shm", "-lock"] { unlink(store + ending) }
        try closeFolder(of: workplace)
        defer { chmod(workplace.folder, 0o700) }
        // A store that was changed a moment ago is read too, as soon as a further change would show in its times.
        if isSettled { Workplace.waitUntilSettled(store) }
        let more = [
            ("list --invalid", 0), ("lookup anna", 0), ("export", 0), ("schema show", 0),
            ("edit anna --phone 78761242", 77), ("lookup nobody", 1),
        ]
        for (words, status) in [("list", 0), ("check", 0)] + (isSettled ? more : []) {
            if !isSettled { touch(store) }
            let outcome = try run("\(user) \(try Workplace.binary()) \(words)", beside: workplace)
            #expect(outcome.status == status, "\(words): \(outcome)")
        }
        #expect(SmallFile.names(in: workplace.folder).filter { $0.hasPrefix("store") } == ["store.sqlite"])
    }

    @Test func `a log that cannot be read in a read-only folder is reported, with what to do`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let store = "\(workplace.folder)/store.sqlite"
        let elsewhere = try Workplace()
        do {
            let database = try RawDatabase(store)
            try database.execute("PRAGMA wal_autocheckpoint = 0; UPDATE profiles SET address = 'elsewhere'")
            for ending in ["", "-wal"] {
                try SmallFile.write(
                    try #require(SmallFile.bytes(of: store + ending)), to: elsewhere.folder + "/store.sqlite\(ending)")
            }
        }
        try closeFolder(of: elsewhere)
        defer { chmod(elsewhere.folder, 0o700) }
        let outcome = try run("\(user) \(try Workplace.binary()) list", beside: elsewhere)
        #expect(outcome.status == 77)
        #expect(
            outcome.error.hasPrefix(
                "Error: \(elsewhere.folder)/store.sqlite has changes in its log, which cannot be read because its "
            ))
        #expect(outcome.error.contains("\n  Or copy "))
        chmod(elsewhere.folder, 0o700)
        #expect(try elsewhere.profiles("list").output.contains("elsewhere"))
    }

    @Test func `a folder where no store can be made is named once, with what to do`() throws {
        let workplace = try Workplace()
        let folder = "\(workplace.folder)/closed"
        #expect(mkdir(folder, 0o555) == 0)
        chmod(workplace.folder, 0o755)
        for (name, refused) in [("x.sqlite", "x.sqlite-lock"), ("sub/x.sqlite", "sub/")] {
            let outcome = try workplace.shell("\(user) \(try Workplace.binary()) init --database closed/\(name)")
            #expect(
                outcome
                    == Workplace.Outcome(
                        status: 77, output: "",
                        error: """
                            Error: \(name == "x.sqlite" ? "\(folder)/" : "closed/")\(refused) cannot be created, because its folder \
                            is not writable: Permission denied
                              Name a store in a folder of yours with --database PATH

                            """))
        }
    }

    /// The command prefix that changes to another user, because root may write everywhere.
    private var user: String { geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "" }

    /// Lets that user read the files of the store, and makes the folder read-only.
    private func closeFolder(of workplace: Workplace) throws {
        let isRoot = geteuid() == 0
        for name in SmallFile.names(in: workplace.folder) where name.hasPrefix("store.sqlite") {
            let path = "\(workplace.folder)/\(name)"
            chmod(path, 0o400)
            if isRoot { #expect(chown(path, 65_534, 65_534) == 0) }
        }
        chmod(workplace.folder, isRoot ? 0o755 : 0o555)
    }

    /// Sets the times of a file to now.
    private func touch(_ path: String) { utimensat(AT_FDCWD, path, nil, 0) }

    /// Runs a line of shell in the store's environment, from a folder of its own.
    private func run(_ script: String, beside workplace: Workplace) throws -> Workplace.Outcome {
        let elsewhere = try Workplace()
        return try elsewhere.run(
            ["/bin/bash", "-c", script], input: "",
            environment: ["PROFILES_DATABASE": "\(workplace.folder)/store.sqlite"])
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
                Error: FOLDER/store.sqlite was removed or replaced while it was in use; later writes are not in it
                  Look at the file that is there now, and repeat the writes that are missing

                """), "\(outcome)")
        #expect(!workplace.exists("store.sqlite"))
    }

    private static let hash =
        "$argon2id$v=19$m=19456,t=2,p=1$daIzqGWCoLRBQi2FvCJ/Zg$9VAPUc9u1hGjEv1wldDB4aC+XZFXEXq88/w8GJAgz0s"

    @Test func `S6: for a field without rules, the values of its type are described`() throws {
        let workplace = try Workplace()
        try workplace.write(
            """
            {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "nickname"},
            {"name": "age", "type": "integer"}, {"name": "height", "type": "number"},
            {"name": "is_member", "type": "boolean"}]}
            """, to: "schema.json")
        #expect(
            try workplace.profiles("schema", "check", "schema.json").output.hasSuffix(
                """
                Field      Title      Type     Rules
                username   Username   string   required; unique
                nickname   Nickname   string   any text
                age        Age        integer  any whole number
                height     Height     number   any number
                is_member  Is member  boolean  true or false

                """))
    }

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

    @Test func `R6: a stricter schema is compared, tried and adopted, and profiles are revalidated by it`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("bert", address: "1 B St")
        let schema = try workplace.profiles("schema", "show", "--format", "json").output
        #expect(schema.hasPrefix("{\n  \"name\": \"standard\",\n  \"fields\": [\n"))
        try workplace.write(schema.replacing("\"maxLength\": 70", with: "\"maxLength\": 6"), to: "strict.json")
        #expect(try workplace.profiles("schema", "check", "strict.json").status == 0)
        #expect(
            try workplace.profiles("schema", "diff", "strict.json").output == "~ address: maxLength 70 → 6 (stricter)\n"
        )

        #expect(try workplace.profiles("revalidate", "--schema", "strict.json", "--report", "r.html").status == 1)
        #expect(try workplace.profiles("lookup", "--invalid").status == 1)
        #expect(try workplace.profiles("revalidate").status == 0)

        for format in ["text", "json"] {
            let refused = try workplace.profiles("schema", "adopt", "strict.json", "--format", format)
            #expect(refused.status == 64)
            #expect(refused.error.contains("give --yes to adopt the schema \"standard\", which 1 of 2 profiles break"))
            #expect(refused.error.contains("Nothing was adopted"))
        }
        #expect(try workplace.profiles("schema", "log").output.split(separator: "\n").count == 2)
        let adopted = try workplace.profiles("schema", "adopt", "strict.json", "--yes")
        #expect(adopted.output.hasSuffix("Adopted the schema \"standard\" as version 2\n"))
        #expect(adopted.output.hasPrefix("~ address: maxLength 70 → 6 (stricter)\n\nRevalidation of "))
        #expect(adopted.output.contains("too_long"))
        #expect(adopted.status == 0)
        let unjudged = "2 profiles were not yet validated by the rules in force: run \"profiles revalidate\"."
        #expect(adopted.error == unjudged + "\n")
        let listed = try workplace.profiles("list", "--invalid")
        #expect(listed.error == "\(unjudged)\nThere are no profiles marked invalid.\n")
        #expect(try workplace.profiles("lookup", "--invalid").error.hasPrefix(unjudged + "\n"))
        #expect(try workplace.profiles("check").output.contains("  \(unjudged)\n"))
        for command in ["list --invalid", "check"] {
            #expect(try workplace.shell("profiles \(command) --format json").output.contains("\"unjudged\": 2"))
        }
        #expect(try workplace.profiles("schema", "diff", "strict.json").output == "The rules are the same\n")
        #expect(try workplace.profiles("revalidate", "--format", "json").status == 1)
        #expect(try workplace.profiles("list", "--invalid").error == "")
        for command in ["list --invalid", "check"] {
            #expect(try workplace.shell("profiles \(command) --format json").output.contains("\"unjudged\": 0"))
        }
        let invalid = try workplace.profiles("lookup", "--invalid")
        #expect(invalid.output.hasPrefix("Username     anna\n"))
        #expect(
            invalid.output.contains(
                "Status       invalid by schema version 2\n             Address should have at most 6 characters\n"))
        #expect(
            try workplace.profiles("list").output.hasPrefix(
                "Username  Phone      Address     Postal code  Birthday  Revision  Issues\n"))
    }

    @Test func `S7: versions of the schema are listed and shown, and an old one can be adopted again`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let schema = try workplace.profiles("schema", "show", "--format", "json").output
        try workplace.write(schema.replacing("\"maxLength\": 70", with: "\"maxLength\": 60"), to: "other.json")
        #expect(try workplace.profiles("schema", "adopt", "other.json", "--quiet", "--yes").status == 0)
        let log = try workplace.profiles("schema", "log").output.reproducible(workplace).split(separator: "\n")
        #expect(log.count == 3, "\(log)")
        #expect(log[0] == "Version  Adopted  Schema    Fingerprint" || log[0].hasPrefix("Version  Adopted"))
        #expect(log[1].hasPrefix("      1  TIME  standard  ") && !log[1].hasSuffix("in force"))
        #expect(log[2].hasPrefix("      2  TIME  standard  ") && log[2].hasSuffix("  in force"))

        #expect(try workplace.profiles("schema", "show", "--number", "1", "--format", "json").output == schema)
        let shown = try workplace.profiles("schema", "show", "--number", "1").output.reproducible(workplace)
        #expect(shown.contains("Version      1\nAdopted      TIME\n"), "\(shown)")
        #expect(try workplace.profiles("schema", "show").output.contains("Version      2\n"))
        for number in ["0", "3"] {
            for command in ["show", "adopt"] {
                let outcome = try workplace.profiles("schema", command, "--number", number)
                #expect(outcome.status == 1)
                #expect(outcome.error.hasPrefix("Error: The schema has no version \(number); there is 1 to 2\n"))
            }
        }

        let back = try workplace.profiles("schema", "adopt", "--number", "1")
        #expect(back.status == 0)
        #expect(back.output.hasPrefix("~ address: maxLength 60 → 70 (looser)\n\n"))
        #expect(back.output.hasSuffix("Adopted the schema \"standard\" as version 3\n"))
        #expect(back.error == "", "its rules have judged every profile")
        #expect(try workplace.profiles("schema", "show", "--format", "json").output == schema)
        let list = try workplace.profiles("schema", "log", "--format", "json").output
        #expect(list.ranges(of: "\"in_force\": false").count == 2 && list.contains("\"version\": 3,"))
        for words in [["adopt"], ["adopt", "other.json", "--number", "1"]] {
            #expect(
                try workplace.run([try Workplace.binary(), "schema"] + words, input: "", environment: [:]).status == 64)
        }
    }

    @Test func `R6: adopt shows each change with both values, and asks about a stricter rule on a terminal`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let schema = try workplace.profiles("schema", "show", "--format", "json").output
        try workplace.write(schema.replacing("\"maxLength\": 70", with: "\"maxLength\": 6"), to: "strict.json")
        for (answer, status) in [("", Int32(1)), ("y", 0)] {
            let session = try TerminalDriver(workplace, "schema", "adopt", "strict.json")
            try session.wait(for: "Adopt the schema \"standard\", which 1 of 1 profiles break? [y/N]")
            try session.type(answer + "\n")
            #expect(try session.end() == status)
            #expect(session.transcript.contains("~ address: maxLength 70 → 6 (stricter)"))
            #expect(session.transcript.contains(status == 0 ? "as version 2" : "Error: Nothing was adopted"))
        }
        // A looser schema is adopted without a question. With --yes, any schema is.
        try workplace.write(schema, to: "standard.json")
        #expect(try TerminalDriver(workplace, "schema", "adopt", "standard.json").end() == 0)
        #expect(try TerminalDriver(workplace, "schema", "adopt", "strict.json", "--yes").end() == 0)
        let json = try workplace.profiles("schema", "adopt", "standard.json", "--format", "json").output
        #expect(json.contains("\"before\": \"6\"") && json.contains("\"after\": \"70\""), "\(json)")
        #expect(json.contains("\"effect\": \"looser\"") && json.contains("\"unjudged\": 0"))
    }

    @Test func `R6: adopt asks about a field that comes back if stored values break its new type`() throws {
        let workplace = try Workplace()
        func write(_ fields: String, _ name: String) throws {
            try workplace.write(
                #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}}\#(fields)]}"#, to: name)
        }
        try write(#",{"name":"x"}"#, "with.json")
        try write("", "without.json")
        try write(#",{"name":"x","type":"integer","profiles":{"was":"x"}}"#, "number.json")
        #expect(try workplace.profiles("init", "--schema", "with.json").status == 0)
        #expect(try workplace.profiles("register", "--username", "a", "--set", "x=hello").status == 0)
        #expect(try workplace.profiles("schema", "adopt", "without.json").status == 0)
        for format in ["text", "json"] {
            let session = try TerminalDriver(workplace, "schema", "adopt", "number.json", "--format", format)
            try session.wait(for: "which 1 of 1 profiles break? [y/N]")
            #expect(session.transcript.contains("+ x: integer"), "what changes is shown before")
            try session.type("\n")
            #expect(try session.end() == 1)
        }
    }

    @Test func `R6: if the rules are in force already, adopt says so and validates nothing`() throws {
        let workplace = try Workplace()
        let schema = try workplace.shell("profiles init --quiet; profiles schema show --format json").output
        try workplace.write(schema, to: "same.json")
        let empty = try workplace.profiles("init", "--schema", "same.json")
        #expect(empty.status == 0 && empty.output.hasSuffix("store.sqlite already has the schema \"standard\"\n"))
        try workplace.register("anna")
        let adopted = try workplace.profiles("schema", "adopt", "same.json")
        #expect(adopted.status == 0)
        #expect(adopted.output == "These rules are in force already, as version 1\n")
        let json = try workplace.profiles("schema", "adopt", "--number", "1", "--format", "json").output
        #expect(json.contains("\"version\": 1,") && json.contains("\"changes\": []"))
        let tried = try workplace.profiles("revalidate", "--schema", "same.json")
        #expect(tried.output.contains("These rules are in force, and nothing was marked."), "\(tried)")
        // If the store has profiles, other rules need `schema adopt`.
        try workplace.write(schema.replacing("\"maxLength\": 70", with: "\"maxLength\": 60"), to: "other.json")
        let other = try workplace.profiles("init", "--schema", "other.json")
        #expect(other.status == 73)
        #expect(other.error.contains("is there already and holds profiles"))
        #expect(other.error.contains("profiles schema adopt FILE"))
        #expect(try workplace.profiles("init", "--schema", "same.json").status == 73)
    }

    @Test func `S6: a schema without a name is called like its file, or custom if the file has no name`() throws {
        let workplace = try Workplace()
        let schema = #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#
        for name in ["team.v2.json", ".json"] { try workplace.write(schema, to: name) }
        for (file, name) in [("team.v2.json", "team"), (".json", "custom"), ("-", "custom")] {
            let outcome = try workplace.profiles("schema", "check", file, input: schema)
            #expect(outcome.output.hasPrefix("The schema \"\(name)\" is valid\n"), "\(outcome)")
        }
    }

    @Test func `check finds a store sound, but not if other users can read it`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let sound = try workplace.profiles("check", "--format", "json")
        #expect(sound.output.contains("\"sound\": true,"))
        #expect(sound.status == 0)
        if sound.output.contains("\"wal_reset_defect\": true") {
            let text = try workplace.profiles("check").output
            #expect(
                text.contains("; its WAL-reset defect cannot do harm here, since the write lock guards against it\n"),
                "\(text)")
        }
        chmod("\(workplace.folder)/store.sqlite", 0o644)
        let open = try workplace.profiles("check")
        #expect(open.output.contains("NOT PRIVATE: chmod 600"))
        #expect(open.status == 1)
        #expect(
            try workplace.profiles("migrate", "--status").output
                == "Migration       Applied\nV0001_profiles  yes\nV0002_changes   yes\nV0003_counts    yes\n"
                + "V0004_writes    yes\nV0005_accounts  yes\nV0006_tokens    yes\nV0007_history   yes\n"
                + "V0008_devices   yes\n")
        #expect(try workplace.profiles("migrate").output == "The store is up to date\n")
    }

    @Test func `a closed pipe ends the command quietly, and a full disk is an error`() throws {
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

    @Test(.unsanitized) func `a command does not hang, however few threads it can start`() throws {
        let workplace = try Workplace()
        #expect(try workplace.profiles("init", "--quiet").status == 0)
        // The limits of address space in KiB: from too little for the program to enough for all of its threads. The
        // stack of a thread takes 8 MiB.
        let rooms = stride(from: 40_000, through: 440_000, by: 10_000)
        // The backtrace of a crash would take longer than the rest of the command.
        let backtraces = ["SWIFT_BACKTRACE": "enable=no"]
        var statuses: Set<Int32> = []
        for room in rooms {
            let script = "ulimit -s 8192; ulimit -v \(room); exec timeout 30 \"$0\" check"
            let outcome = try workplace.run(
                ["/bin/bash", "-c", script, try Workplace.binary()], input: "", environment: backtraces)
            #expect(outcome.status != 124, "it hangs with \(room) KiB")
            if outcome.status == 75 { #expect(outcome.error.contains("No thread could be started")) }
            statuses.insert(outcome.status)
        }
        #expect(statuses.isSuperset(of: [0, 75]), "\(statuses)")
    }
}
