import PostgresAccess
import PostgresMigrations
import ProfileCore
import ProfileStorePostgres
import ProfileTesting
import ProfileTransfer
import SecretHashing
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileStore

/// How a store in a database is made, recognised and refused.
@Suite(.onlyWithPostgres, .watched) struct OpeningTests {
    @Test func `the list of migrations is what the folder holds, and the tables have their checksums`() async throws {
        let folder = #filePath.split(separator: "/Tests/")[0] + "/Migrations/postgres"
        let files = SmallFile.names(in: String(folder)).filter { $0.hasSuffix(".sql") }
        #expect(files.sorted() == Migration.postgres.map { $0.name + ".sql" })
        #expect(Migration.postgres.map(\.version) == Array(1...files.count))
        for migration in Migration.postgres {
            #expect(
                SmallFile.text(of: "\(folder)/\(migration.name).sql") == String(decoding: migration.sql, as: UTF8.self))
            #expect(migration.checksum == SHA256.hexadecimal(migration.sql.span))
        }
        let store = try PostgresStore()
        try await store.open().close()
        #expect(try await store.number("SELECT count(*) FROM migrations") == Int64(files.count))
        let status = try await ProfileRepository.migrationStatus(postgres: store.uri())
        #expect(status.allSatisfy(\.isApplied) && status.count == files.count)
        #expect(try await ProfileRepository.migrate(postgres: store.uri()) == [])
    }

    /// Removes what V0004_devices, V0003_history and V0002_tokens have made, and makes the earlier tables again,
    /// without rows.
    private func becomeVersion1(_ store: PostgresStore) async throws {
        for table in ["history", "history_changes", "tokens"] { try await store.run("DROP TABLE \(table)") }
        try await store.run("ALTER TABLE store DROP COLUMN history_time")
        try await store.run("DELETE FROM counters WHERE name = 'next_history_change'")
        let script = String(decoding: Migration.postgres[0].sql, as: UTF8.self)
        for statement in script.split(separator: ";\n") {
            let lines = statement.split(separator: "\n").drop { !$0.hasPrefix("CREATE") }
            let words = lines.first?.split(separator: " ") ?? []
            let tables = ["sessions", "access_tokens", "resets"]
            guard words.contains(where: { tables.contains(String($0)) }) else { continue }
            try await store.run(lines.joined(separator: "\n"))
        }
        try await store.run("ALTER TABLE keyed_writes RENAME COLUMN kept_at TO written_at")
        try await store.run("ALTER TABLE store ADD COLUMN is_welcomed boolean NOT NULL DEFAULT false")
        try await store.run("DELETE FROM migrations WHERE version > 1")
    }

    @Test func `H4: sessions, access tokens and resets of version 1 still work after a migration`() async throws {
        let store = try PostgresStore()
        let first = try await store.open()
        let ids = [try await first.register("abel").id, try await first.register("bert").id]
        await first.close()
        try await becomeVersion1(store)
        let (session, access, reset) = (try NewToken(.session), try NewToken(.access), try NewToken(.reset))
        let now = Timestamp.now()
        func at(_ seconds: Int64) -> Timestamp { now.advanced(byMilliseconds: seconds * 1_000) }
        func number(_ seconds: Int64) -> Int64 { at(seconds).millisecondsSince1970 }
        try await store.run(
            """
            INSERT INTO sessions VALUES ('\(session.hash.text)', \(ids[0]), 'Firefox', \(number(-9)), \(number(-8)),
                700000, \(number(692)), \(number(900)))
            """)
        try await store.run(
            """
            INSERT INTO access_tokens VALUES
                ('\(access.hash.text)', 'Nightly', 'nightly', 'read write', \(number(-5)), NULL, \(number(-4)))
            """)
        try await store.run(
            "INSERT INTO resets VALUES (\(ids[1]), '\(reset.hash.text)', \(number(-2)), \(number(200)))")
        guard case .olderStore(_, 1, _)? = await problem({ try await store.open() })?.reason else {
            Issue.record("a store of version 1 was opened")
            return
        }
        let applied = try await ProfileRepository.migrate(postgres: store.uri())
        #expect(applied == ["V0002_tokens", "V0003_history", "V0004_devices"])
        let migrated = try await store.open()
        let expected = LoginSession(
            id: session.hash.id, profileID: ids[0], username: "abel", label: AccountLabel("Firefox"), createdAt: at(-9),
            lastUsedAt: at(-8), idleExpiresAt: at(692), expiresAt: at(900))
        #expect(try await migrated.sessions.find(session.text) == expected)
        #expect(
            try await migrated.tokens.list() == [
                AccessToken(
                    id: access.hash.id, name: try #require(AccountLabel("Nightly")), scopes: [.read, .write],
                    createdAt: at(-5), expiresAt: nil, lastUsedAt: at(-4))
            ])
        #expect(try await migrated.tokens.find(access.text) != nil)
        #expect(
            await problem { try await migrated.tokens.create(try #require(AccountLabel("NIGHTLY")), scopes: []) }
                == .tokenExists(name: "NIGHTLY"))
        #expect(
            try await migrated.passwords.findReset(reset.text)
                == PasswordReset(profileID: ids[1], username: "bert", createdAt: at(-2), expiresAt: at(200)))
        #expect(try await migrated.passwords.redeemReset(reset.text, password: Secret("bL9pjp")).username == "bert")
        let memory = try TemporaryStore(engine: .memory)
        let copy = try await memory.open(
            memory.options {
                $0.initialSchema = migrated.schema
                $0.opensUnfinishedCopy = true
            })
        _ = try await StoreCopy(from: migrated, to: copy).run()
        #expect(try await copy.tokens.list().map(\.name.text) == ["Nightly"])
        #expect(try await copy.sessions.list() == [])
        for repository in [migrated, copy] { await repository.close() }
    }

    @Test func `an altered migration is refused, and so is a version that is not known`() async throws {
        let store = try PostgresStore()
        try await store.open().close()
        let name = Migration.postgres[0].name
        try await store.run("INSERT INTO migrations SELECT 99, 'V0099_later', checksum, 0 FROM migrations LIMIT 1")
        let latest = Migration.postgres.count
        guard case .newerStore(_, 99, latest)? = await problem({ try await store.open() })?.reason else {
            Issue.record("a newer store was opened")
            return
        }
        await #expect(throws: ProfileStoreError.self) { try await ProfileRepository.migrate(postgres: store.uri()) }
        try await store.run("DELETE FROM migrations WHERE version = 99")
        try await store.run("UPDATE migrations SET checksum = repeat('0', 64) WHERE version = 1")
        #expect(await problem { try await store.open() } == .alteredMigration(name: name))
        #expect(
            await problem { try await ProfileRepository.migrate(postgres: store.uri()) }
                == .alteredMigration(name: name))
    }

    @Test func `several callers that make the same store at once all succeed, and its rules have their index`()
        async throws
    {
        for _ in 1...5 {
            let store = try PostgresStore()
            let schema = try People.standard(and: People.uniqueEmail)
            try await withThrowingTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        let repository = try await store.open { $0.initialSchema = schema }
                        try await repository.register("n\(number)", ["email": "e\(number)"])
                        #expect(
                            await problem { try await repository.register("m\(number)", ["email": "e\(number)"]) }
                                == .duplicate([.email]))
                        await repository.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.number("SELECT count(*) FROM profiles") == 6)
            #expect(try await store.number("SELECT count(*) FROM schemas") == 1)
        }
    }

    @Test func `the next open completes a store that was made halfway`() async throws {
        let store = try PostgresStore()
        try await store.open().close()
        // As if its maker had died before it put its rules in force.
        try await store.run("DELETE FROM schemas")
        try await store.run("UPDATE store SET schema_version = 0")
        let repository = try await store.open()
        try await repository.register("one")
        await repository.close()
    }

    @Test func `a program that runs on is refused once a later version has migrated the store`() async throws {
        let store = try PostgresStore()
        let repository = try await store.open()
        try await repository.register("one")
        try await store.run("ALTER TABLE keyed_writes RENAME COLUMN outcome TO result")
        // Without a later migration, the changed table is damage.
        guard case .database? = await problem({ try await repository.register("two") })?.reason else {
            Issue.record("it was written, or is taken for something else")
            return
        }
        try await store.run(
            "INSERT INTO migrations (version, name, checksum, applied_at) VALUES (1000, 'later', repeat('0', 64), 0)")
        let known = Migration.postgres.count
        let calls: [() async throws -> Any] = [
            { try await repository.register("two") },
            { try await repository.remove("one") },
            { try await store.open() },
        ]
        for call in calls {
            #expect(await problem(call) == .newerStore(path: repository.place, version: 1_000, known: known))
        }
        #expect(try await store.number("SELECT count(*) FROM profiles") == 1)
        await repository.close()
    }

    @Test func `E2: a server that may lose commits is refused, unless the address sets durability to local`()
        async throws
    {
        let store = try PostgresStore()
        try await store.open().close()
        let before = try await settings(of: store)
        let off = "options=-csynchronous_commit%3Doff"
        let problems: Result<[ProfileStoreError?], any Error>
        do {
            var seen: [ProfileStoreError?] = []
            for (sync, fullPages) in [("off", "off"), ("off", "on"), ("on", "off"), ("on", "on")] {
                try await set(sync, fullPages, of: store)
                for uri in [try store.durableURI(), try store.durableURI(off), try store.uri(off)] {
                    seen.append(await problem { try await ProfileRepository.open(postgres: uri).close() })
                }
            }
            problems = .success(seen)
        } catch {
            problems = .failure(error)
        }
        try await set(before.sync, before.fullPages, of: store)
        func refusal(_ settings: String...) -> ProfileStoreError {
            .notDurable(.settings(settings, are: "off"))
        }
        // Each pair of settings: as the address has it, with synchronous_commit off, and with durability=local.
        #expect(
            try problems.get() == [
                refusal("fsync", "full_page_writes"), refusal("fsync", "full_page_writes", "synchronous_commit"), nil,
                refusal("fsync"), refusal("fsync", "synchronous_commit"), nil,
                refusal("full_page_writes"), refusal("full_page_writes", "synchronous_commit"), nil,
                nil, refusal("synchronous_commit"), nil,
            ])
    }

    private func settings(of store: PostgresStore) async throws -> (sync: String, fullPages: String) {
        let rows = try await store.run("SELECT current_setting('fsync'), current_setting('full_page_writes')")
        return (rows.text(0, 0) ?? "", rows.text(0, 1) ?? "")
    }

    private func set(_ sync: String, _ fullPages: String, of store: PostgresStore) async throws {
        try await store.run("ALTER SYSTEM SET fsync = \(sync)")
        try await store.run("ALTER SYSTEM SET full_page_writes = \(fullPages)")
        try await store.run("SELECT pg_reload_conf()")
        try await waitUntil { try await settings(of: store) == (sync, fullPages) }
    }

    @Test func `E2: a check reports a load that has not ended, and writes that fail`() async throws {
        let store = try PostgresStore()
        let repository = try await store.open()
        let sound = try await repository.checkCluster()
        #expect(!sound.isLoading && sound.writeProblem == nil)
        try await store.run("UPDATE store SET is_loading = true")
        let loading = try await repository.checkCluster()
        #expect(loading.isLoading && !loading.isSound)
        try await store.run("UPDATE store SET is_loading = false")
        try await store.run("ALTER TABLE keyed_writes RENAME TO elsewhere")
        let broken = try await repository.checkCluster()
        #expect(broken.writeProblem?.code == .database && !broken.isSound)
        await repository.close()
    }

    @Test(arguments: [
        "postgresql://app:Geheim1@127.0.0.1:1/profiles", "postgresql://app@127.0.0.1:1/profiles?password=Geheim1",
        "postgresql://app:Geheim1@127.0.0.1:none/profiles?durability=local", "postgres://app:Geheim1@[/profiles",
        "postgresql://app:Geheim1@127.0.0.1:1/profiles?nosuch=Geheim1",
    ])
    func `E7: a password in a URI is refused, and no error repeats it`(uri: String) async throws {
        let error = try #require(await problem { try await ProfileRepository.open(postgres: uri) })
        guard case .unreadableAddress = error.reason else {
            Issue.record(error)
            return
        }
        #expect(!"\(error)".contains("Geheim1"))
        #expect(!String(reflecting: error).contains("Geheim1"))
    }

    @Test func `a missing database or server is unavailable, and a missing user is not permitted`() async throws {
        let store = try PostgresStore()
        let port = try store.port
        let missing = await problem {
            try await ProfileRepository.open(postgres: "postgresql://app@127.0.0.1:\(port)/nosuch")
        }
        #expect(missing?.code == .unavailable, "a database that is not there")
        let denied = await problem {
            try await ProfileRepository.open(postgres: "postgresql://nobody@127.0.0.1:\(port)/profiles")
        }
        #expect(denied?.code == .notPermitted, "a user that is not there")
        let unreachable = await problem {
            try await ProfileRepository.open(postgres: "postgresql://app@127.0.0.1:1/profiles")
        }
        #expect(unreachable?.code == .unavailable, "a server that is not there")
        guard case .noStore? = await problem({ try await store.open { $0.createsMissing = false } })?.reason else {
            Issue.record("a store that is not there")
            return
        }
    }
}
