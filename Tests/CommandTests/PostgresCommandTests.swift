import Platform
import PostgresProxy
import ProfileTesting
import Synchronization
import Testing
import Watchdog

/// Copies between stores, and the command on a PostgreSQL server, if it is built with the trait.
@Suite(.watched(for: .seconds(300))) struct PostgresCommandTests {
    @Test func `a store is copied from file to file, and no existing file is overwritten`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("bert")
        #expect(try workplace.profiles("remove", "bert", "--yes").status == 0)
        #expect(try workplace.profiles("token", "create", "job", "--scope", "profiles:read").status == 0)
        let copied = try workplace.profiles("copy", "store.sqlite", "copy.sqlite", "--format", "json")
        #expect(copied.status == 0, "\(copied)")
        #expect(copied.output.contains("\"profiles\": 1,"))
        #expect(copied.output.contains("\"access_tokens\": 1,"))
        let all = ["export", "--include-hashes", "-"]
        let expected = try workplace.profiles(all[0], all[1], all[2]).output
        #expect(try workplace.profiles(all[0], all[1], all[2], "--database", "copy.sqlite").output == expected)
        // The copy does not reuse the id of the removed profile.
        let next = try workplace.profiles(
            "register", "--username", "carl", "--phone", "78761241", "--address", "x", "--password-stdin", "--database",
            "copy.sqlite", "--format", "json", input: "aK8oio\n")
        #expect(next.output.contains("\"id\": 3,"), "\(next)")
        #expect(workplace.mode("copy.sqlite") == 0o600)
        let again = try workplace.profiles("copy", "store.sqlite", "copy.sqlite")
        #expect(again.status == 73)
        #expect(again.error.contains("copy.sqlite is a store that was used already"))
        #expect(try workplace.profiles("copy", "store.sqlite", "./store.sqlite").status == 64)
        let missing = try workplace.profiles("copy", "nothing.sqlite", "new.sqlite")
        #expect(missing.status == 66)
        #expect(
            missing.error.hasSuffix("nothing.sqlite\n  Name the store to copy as the first argument\n"), "\(missing)")
        #expect(!workplace.exists("new.sqlite"))
        try workplace.write("not a database", to: "text")
        #expect(try workplace.profiles("copy", "store.sqlite", "text").status == 65)
        #expect(try workplace.read("text") == "not a database")
    }

    @Test func `a damaged source of a copy is named, and a repeated copy only compares the stores`() throws {
        let workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "address"}]}
                """)
        let rows = (0..<5_000).map { "person\($0),\($0) Main Street\n" }.joined()
        try workplace.importRows("username,address\n" + rows)
        for copied in ["5000", "0"] {
            let outcome = try workplace.profiles("copy", "store.sqlite", "copy.sqlite", "--format", "json")
            #expect(outcome.status == 0 && outcome.output.contains("\"copied\": \(copied),"), "\(outcome)")
        }
        // Overwrites the middle of the rows with zeros.
        let damaging = "dd if=/dev/zero of=store.sqlite bs=4096 seek=60 count=40 conv=notrunc status=none"
        #expect(try workplace.shell(damaging).status == 0)
        let outcome = try workplace.profiles("copy", "store.sqlite", "other.sqlite")
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.error.contains("The store to copy, "), "\(outcome)")
        #expect(outcome.error.contains("store.sqlite, is damaged"), "\(outcome)")
    }

    // MARK: On a server

    /// A schema on the server for one test, and the command that was built with the trait.
    private struct Server {
        let workplace: Workplace
        let binary: String
        private let name: String

        init() throws {
            workplace = try Workplace()
            binary = (try? Workplace.binary()) ?? ""
            name = "command_\(getpid())_\(UInt32.random(in: 0 ... .max))"
        }

        var uri: String { uri("") }

        func uri(_ suffix: String) -> String {
            let server = getenv("PROFILES_TEST_POSTGRES").map { String(cString: $0) } ?? ""
            return server + (server.contains("?") ? "&" : "?") + "connections=4&schema=\(name)\(suffix)"
        }

        /// Returns the URI of the store through a proxy, and the proxy.
        func uri(through open: (UInt16) throws -> PostgresProxy) throws -> (uri: String, proxy: PostgresProxy) {
            let port = try #require(uri.firstMatch(of: #/:([0-9]+)//#).flatMap { UInt16($0.1) })
            let proxy = try open(port)
            return (uri.replacing(":\(port)/", with: ":\(proxy.port)/"), proxy)
        }

        func profiles(_ arguments: String..., input: String = "", place: String? = nil) throws -> Workplace.Outcome {
            try workplace.run([binary] + arguments, input: input, environment: ["PROFILES_DATABASE": place ?? uri])
        }
    }

    private static let isReady: ConditionTrait = .enabled(
        if: getenv("PROFILES_TEST_POSTGRES") != nil && Traits.hasPostgres,
        "Only where there is a server, and the command is built with the trait: make test-postgres.")

    @Test(isReady) func `a store on a server is used like a store in a file`() throws {
        let server = try Server()
        let missing = try server.profiles("list")
        #expect(missing.status == 66)
        #expect(missing.error.contains("Make one with \"profiles init\""))
        #expect(try server.profiles("register", "--username", "anna").status == 66)
        #expect(try server.profiles("init").status == 0)
        #expect(try server.profiles("init").status == 73)
        let registered = try server.profiles(
            "register", "--username", "anna", "--phone", "78761241", "--address", "12 Main St", "--password-stdin",
            input: "aK8oio\n")
        #expect(registered.status == 0, "\(registered)")
        try server.workplace.write(
            "username,phone,address,password\nbert,78761241,x,aK8oio\nb,1,,\n", to: "people.csv")
        let imported = try server.profiles("import", "people.csv", "--rejects", "rejects.csv")
        #expect(imported.status == 1, "\(imported)")
        #expect(try server.workplace.read("rejects.csv").contains("too_short"))
        #expect(try server.profiles("lookup", "anna", "--format", "json").output.contains("\"phone\": \"7876-1241\""))
        #expect(try server.profiles("edit", "anna", "--phone", "78761242").status == 0)
        #expect(try server.profiles("find", "main").output.contains("7876-1242"))
        #expect(try server.profiles("export").output.split(separator: "\n").count == 3)
        #expect(try server.profiles("revalidate").status == 0)
        #expect(try server.profiles("remove", "bert", "--yes").status == 0)
        #expect(try server.profiles("list").output.split(separator: "\n").count == 2)
        #expect(
            try server.profiles("migrate", "--status").output.contains(
                "V0001_store    yes\nV0002_tokens   yes\nV0003_history  yes\nV0004_devices  yes\n"))
        #expect(try server.profiles("migrate").status == 0)
        for command in ["backup", "restore"] {
            let refused = try server.profiles(command, "copy.sqlite")
            #expect(refused.status == 64)
            #expect(refused.error.contains("profiles copy"))
        }
        // No command has used the URI as the name of a file.
        #expect(
            SmallFile.names(in: server.workplace.folder).filter { !$0.hasPrefix(".") }.sorted()
                == ["people.csv", "rejects.csv"])
    }

    @Test(isReady) func `R7: watch continues after a server did not answer, and reports each outage once`() async throws
    {
        let server = try Server()
        #expect(try server.profiles("init").status == 0)
        func register(_ name: String) throws {
            let outcome = try server.profiles(
                "register", "--username", name, "--phone", "78761241", "--address", "x", "--password-stdin",
                input: "aK8oio\n")
            #expect(outcome.status == 0, "\(outcome)")
        }
        try register("anna")
        let (uri, proxy) = try server.uri { try PostgresProxy(to: $0) }
        let watch = try WatchProcess(
            server.workplace, "--since", "0", "--wait", "1", binary: server.binary,
            environment: ["PROFILES_DATABASE": uri])
        #expect(watch.nextLine()?.contains("anna") == true)
        let lost = "The store does not answer. Waiting until it does; no change is missed.\n"
        let found = "The store answers again.\n"
        for (name, texts) in [("bert", lost + found), ("carl", lost + found + lost + found)] {
            proxy.freeze()
            try await waitUntil { try server.workplace.read(".watch-error") == texts.dropLast(found.count) }
            proxy.thaw()
            try register(name)
            #expect(watch.nextLine()?.contains(name) == true)
            #expect(try server.workplace.read(".watch-error") == texts)
        }
        watch.send(SIGINT)
        #expect(watch.end() == 130)
    }

    /// A store with anna behind a proxy that stalls the `COMMIT` of an edit after the server has got it.
    private func stalled(_ server: Server) throws -> (uri: String, proxy: PostgresProxy) {
        #expect(try server.profiles("init").status == 0)
        let registered = try server.profiles(
            "register", "--username", "anna", "--phone", "78761241", "--address", "x", "--password-stdin",
            input: "aK8oio\n")
        #expect(registered.status == 0, "\(registered)")
        let (uri, proxy) = try server.uri { try PostgresProxy(to: $0) }
        let editing = Mutex<Int?>(nil)
        proxy.follow { message in
            editing.withLock { editing in
                if message.kind == .execute, message.text.contains("UPDATE profiles") { editing = message.connection }
                return message.isCommit && editing == message.connection ? .stall(.afterForwarding) : .forward
            }
        }
        return (uri, proxy)
    }

    @Test(isReady) func `E3: a command whose write may have been stored exits 70, and advises to look it up`() throws {
        let server = try Server()
        let (uri, proxy) = try stalled(server)
        let outcome = try server.profiles("edit", "anna", "--phone", "78761299", "--wait", "2", place: uri)
        #expect(outcome.status == 70, "\(outcome)")
        #expect(outcome.output == "")
        #expect(outcome.error.contains("it is not known whether the write was stored"), "\(outcome)")
        #expect(outcome.error.contains("Look up the result before you repeat the command"), "\(outcome)")
        proxy.close()
        #expect(try server.profiles("lookup", "anna").output.contains("7876-1299"))
    }

    @Test(isReady) func `check reports the settings of a database that can lose writes`() throws {
        let server = try Server()
        #expect(try server.profiles("init").status == 0)
        let check = try server.profiles("check")
        // The server of the tests does not sync.
        #expect(check.status == 1)
        #expect(check.output.contains(#/(?m)^Writes +ok: a test write was committed$/#))
        #expect(check.output.contains(#/(?m)^fsync +off  WRONG$/#), "\(check.output)")
        #expect(check.output.contains(#/(?m)^synchronous_commit +on$/#))
        #expect(check.output.contains(#/(?m)^Quorum +none: /#))
        #expect(check.output.contains(#/(?m)^PostgreSQL +[0-9]+\./#))
        let json = try server.profiles("check", "--format", "json")
        #expect(json.status == 1)
        #expect(json.output.contains("\"sound\": false"))
        #expect(json.output.contains("\"standbys\": []"))
        #expect(json.output.contains("\"write_problem\": null"))
    }

    @Test(isReady) func `a bulk load works with the minimum number of connections, and fewer are refused`() throws {
        let server = try Server()
        #expect(try server.profiles("init").status == 0)
        // The rows have hashes, so no password has to be hashed, and one transaction can store all rows.
        let hash = "$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$V7S9SK6Z6JO5ZOTfRF8XhGONnRyFDistsnjOI6zUgXc"
        let rows = (0..<1_000).map { "u\($0),78761241,\($0) Main St,\"\(hash)\"\n" }
        try server.workplace.write("username,phone,address,password_hash\n" + rows.joined(), to: "all.csv")
        func place(_ connections: Int) -> String {
            server.uri.replacing("connections=4", with: "connections=\(connections)")
        }
        let loaded = try server.profiles("import", "all.csv", "--wait", "5", place: place(2))
        #expect(loaded.status == 0, "\(loaded)")
        #expect(try server.profiles("list", "--count").output == "1000\n")
        let refused = try server.profiles("import", "all.csv", "--wait", "5", place: place(1))
        #expect(refused.status == 64, "\(refused)")
        #expect(refused.error.contains("connections takes a number from 2 to 1000"))
    }

    @Test(isReady) func `the tables that an import makes stay when it stores no row, as its help tells`() throws {
        let server = try Server()
        try server.workplace.write("username,phone,address,password\nb,1,,\n", to: "people.csv")
        let imported = try server.profiles("import", "people.csv", "--create")
        #expect(imported.status == 1, "\(imported)")
        let listed = try server.profiles("list", "--count")
        #expect(listed.status == 0 && listed.output == "0\n", "\(listed)")
        #expect(try server.profiles("import", "--help").output.contains("new tables in a database stay"))
    }

    @Test(isReady) func `a wrong or repeated setting in the URI is refused by name`() throws {
        let server = try Server()
        for (setting, words) in [
            ("durability=locl", "durability is set twice"), ("connections=abc", "connections is set twice"),
            ("durabilty=local", "durabilty is not a setting"),
        ] {
            let outcome = try server.profiles("list", place: server.uri + "&" + setting)
            #expect(outcome.status == 64)
            #expect(outcome.error.contains(words), "\(outcome)")
        }
        let outcome = try server.profiles("list", place: "postgresql://app@127.0.0.1:1/profiles?durability=locl")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("durability must be local"), "\(outcome)")
    }

    @Test(isReady) func `a store is copied from a file to the server and back without a difference`() throws {
        let server = try Server()
        let workplace = server.workplace
        try workplace.register("anna")
        try workplace.register("bert")
        #expect(try workplace.profiles("remove", "bert", "--yes").status == 0)
        #expect(try workplace.profiles("token", "create", "job", "--scope", "profiles:read").status == 0)
        let file = "\(workplace.folder)/store.sqlite"
        let expected = try workplace.profiles("export", "--include-hashes").output
        let moved = try server.profiles("copy", file, server.uri)
        #expect(moved.status == 0, "\(moved)")
        #expect(moved.output.contains(#/Profiles +1 in both stores/#))
        #expect(!(moved.output + moved.error).contains("$argon2"))
        #expect(try server.profiles("export", "--include-hashes").output == expected)
        #expect(try server.profiles("token", "list").output.contains("job"))
        let back = try server.profiles("copy", server.uri, "back.sqlite", "--format", "json")
        #expect(back.status == 0, "\(back)")
        #expect(try workplace.profiles("export", "--include-hashes", "--database", "back.sqlite").output == expected)
        let other = try server.profiles("copy", server.uri, server.uri("_two"))
        #expect(other.status == 0, "\(other)")

        // If the copy is complete, the command only compares the stores again.
        let again = try server.profiles("copy", file, server.uri, "--format", "json")
        #expect(again.status == 0, "\(again)")
        #expect(again.output.contains("\"copied\": 0,"))

        // Wrong input.
        #expect(try workplace.profiles("token", "create", "other", "--scope", "profiles:read").status == 0)
        let used = try server.profiles("copy", file, server.uri)
        #expect(used.status == 73)
        #expect(used.error.contains("is a store that was used already"))
        #expect(try server.profiles("copy", server.uri, server.uri).status == 64)
        #expect(try server.profiles("copy", file).status == 64)
        #expect(try server.profiles("copy", file, server.uri("_three"), "--database", "x").status == 64)
        #expect(try server.profiles("copy", server.uri("_none"), "new.sqlite").status == 66)
        #expect(!workplace.exists("new.sqlite"))
        let nowhere = try server.profiles("copy", file, "postgresql://app@127.0.0.1:1/profiles", "--wait", "0.5")
        #expect(nowhere.status == 69)
        let secret = try server.profiles("copy", file, "postgresql://app:geheim@127.0.0.1:1/profiles")
        #expect(secret.status == 64)
        #expect(!secret.error.contains("geheim"), "\(secret)")
    }
}
