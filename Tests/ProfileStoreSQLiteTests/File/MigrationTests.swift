import FaultVFS
import ProfileCore
import ProfileTesting
import ProfileTransfer
import RawSQLite
import SQLiteMigrations
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileStore
@testable import ProfileStoreSQLite

@Suite(.watched) struct MigrationTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    @Test func `the list of migrations is the folder, in order and without gaps`() throws {
        let tests = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let folder = "/\(tests)/Migrations/sqlite"
        let files = SmallFile.names(in: folder).filter { $0.hasSuffix(".sql") }
        #expect(files == Migration.sqlite.map { $0.name + ".sql" })
        #expect(Migration.sqlite.map(\.version) == Array(1...Migration.sqlite.count))
        for migration in Migration.sqlite {
            #expect(SmallFile.bytes(of: "\(folder)/\(migration.name).sql") == migration.sql)
            let digits = String(migration.version)
            let padded = String(repeating: "0", count: 4 - digits.count) + digits
            #expect(migration.name.hasPrefix("V\(padded)_"))
        }
    }

    @Test func `a store that was made has every migration on record`() async throws {
        await (try store.open()).close()
        let status = try ProfileRepository.migrationStatus(at: store.path)
        #expect(status.map(\.name) == Migration.sqlite.map(\.name))
        #expect(status.allSatisfy { $0.isApplied })
        #expect(try await ProfileRepository.migrate(at: store.path) == [])
        #expect(try store.number("PRAGMA user_version") == Int64(Migration.sqlite.count))
        let records = try store.rows("migrations")
        #expect(records.map { $0[1] } == Migration.sqlite.map(\.name))
        #expect(records.map { $0[2] } == Migration.sqlite.map { SHA256.hexadecimal($0.sql.span) })
        #expect(records.allSatisfy { $0[3] == String(store.clock.timestamp.millisecondsSince1970) })
    }

    /// A running program notices a migration by the changed schema; see ``StoreLayout/requireKnownVersion(_:)``.
    @Test func `each migration changes the schema`() throws {
        let database = try RawDatabase()
        func schemaVersion() throws -> String? { try database.rows("PRAGMA schema_version").first?.first ?? nil }
        for migration in Migration.sqlite {
            let before = try schemaVersion()
            try database.execute(String(decoding: migration.sql, as: UTF8.self))
            #expect(try schemaVersion() != before, "\(migration.name)")
        }
    }

    @Test func `an older store is refused until it is migrated, and migrating it again does nothing`() async throws {
        try SmallFile.write([], to: store.path)
        // The oldest possible store has our application id, 0x50524F46 or "PROF", and no table.
        try store.execute("PRAGMA application_id = \(0x5052_4F46)")
        await #expect(throws: ProfileStoreError.olderStore(path: store.path, version: 0, known: Migration.sqlite.count))
        {
            try await ProfileRepository.open(at: store.path)
        }
        let names = Migration.sqlite.map(\.name)
        #expect(try ProfileRepository.migrationStatus(at: store.path).map(\.isApplied) == names.map { _ in false })
        #expect(try await ProfileRepository.migrate(at: store.path) == names)
        #expect(try ProfileRepository.migrationStatus(at: store.path).map(\.isApplied) == names.map { _ in true })
        #expect(try await ProfileRepository.migrate(at: store.path) == [])
        #expect(try store.number("SELECT count(*) FROM migrations") == Int64(names.count))
    }

    @Test func `a store of version 1 keeps its profiles and its change number, and counts on from there`() async throws
    {
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        await repository.close()
        try store.becomeOlder(version: 1)
        let before = try store.rows()
        await #expect(throws: ProfileStoreError.olderStore(path: store.path, version: 1, known: Migration.sqlite.count))
        {
            try await store.open()
        }
        #expect(try await ProfileRepository.migrate(at: store.path) == Migration.sqlite.dropFirst().map(\.name))
        #expect(try store.rows() == before)
        let migrated = try await store.open()
        #expect(try await migrated.changes.latestNumber == 2)
        // What happened before there was a log is not known.
        var changes = await migrated.changes.stream(after: 0).makeAsyncIterator()
        #expect(try await changes.next()?.kind == .missed)
        try await migrated.register("carl")
        let change = try await changes.next()
        #expect(change?.number == 3 && change?.kind == .registered && change?.username == "carl")
        await migrated.close()
    }

    @Test func `a store of version 3 keeps its log of changes`() async throws {
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        try await repository.rules.adopt(People.standard(and: People.email))
        await repository.close()
        let before = try store.rows("changes")
        try store.becomeOlder(version: 3)
        #expect(try await ProfileRepository.migrate(at: store.path).first == "V0004_writes")
        #expect(try store.rows("changes") == before)
        let migrated = try await store.open()
        var changes = await migrated.changes.stream(after: 1).makeAsyncIterator()
        #expect(try await changes.next()?.username == "bert")
        #expect(try await changes.next()?.kind == .adopted)
        await migrated.close()
    }

    @Test func `a store of version 3 gets sessions, and keeps what it has`() async throws {
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        await repository.close()
        try store.becomeOlder(version: 3)
        let before = try store.rows()
        await #expect(throws: ProfileStoreError.olderStore(path: store.path, version: 3, known: Migration.sqlite.count))
        {
            try await store.open()
        }
        #expect(try await ProfileRepository.migrate(at: store.path) == Migration.sqlite.dropFirst(3).map(\.name))
        #expect(try store.rows() == before)
        let migrated = try await store.open()
        let issued = try await migrated.sessions.start(People.secret, for: "bert")
        #expect(try await migrated.sessions.find(issued.token)?.username == "bert")
        #expect(try await migrated.check().isSound)
        await migrated.close()
    }

    /// A store as 0.1.0 left it: two profiles, each with a session, an access token with an expiry and a use and one
    /// without, and a reset.
    private func makeStoreOfVersion5() async throws -> (
        session: NewToken, expired: NewToken, tokens: [NewToken], reset: NewToken
    ) {
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        await repository.close()
        try store.becomeOlder(version: 5)
        let (session, expired, reset) = (try NewToken(.session), try NewToken(.session), try NewToken(.reset))
        let tokens = [try NewToken(.access), try NewToken(.access)]
        let now = store.clock.timestamp.millisecondsSince1970
        try RawDatabase(store.path).execute(
            """
            INSERT INTO sessions VALUES
                ('\(session.hash.text)', 1, 'Firefox', \(now - 9), \(now - 8), 7000, \(now + 6992), \(now + 9000)),
                ('\(expired.hash.text)', 2, NULL, \(now - 9), \(now - 9), 1, \(now - 8), \(now + 9000));
            INSERT INTO access_tokens VALUES
                ('\(tokens[0].hash.text)', 'Nightly', 'read write', \(now - 5), \(now + 5000), \(now - 4)),
                ('\(tokens[1].hash.text)', 'deploy', '', \(now - 3), NULL, NULL);
            INSERT INTO resets VALUES (2, '\(reset.hash.text)', \(now - 2), \(now + 2000));
            """)
        return (session, expired, tokens, reset)
    }

    @Test func `H4: sessions, access tokens and resets of version 5 still work after a migration`() async throws {
        let old = try await makeStoreOfVersion5()
        let applied = try await ProfileRepository.migrate(at: store.path)
        #expect(applied == ["V0006_tokens", "V0007_history", "V0008_devices"])
        let migrated = try await store.open()
        #expect(try await migrated.check().isSound)
        let now = store.clock.timestamp
        func at(_ milliseconds: Int64) -> Timestamp { now.advanced(byMilliseconds: milliseconds) }

        let session = LoginSession(
            id: old.session.hash.id, profileID: 1, username: "abel", label: AccountLabel("Firefox"), createdAt: at(-9),
            lastUsedAt: at(-8), idleExpiresAt: at(6_992), expiresAt: at(9_000))
        #expect(try await migrated.sessions.find(old.session.text) == session)
        #expect(try await migrated.sessions.find(old.expired.text) == nil)
        #expect(try await migrated.sessions.list() == [session])

        let deploy = AccessToken(
            id: old.tokens[1].hash.id, name: try #require(AccountLabel("deploy")), scopes: [], createdAt: at(-3),
            expiresAt: nil, lastUsedAt: nil)
        let nightly = AccessToken(
            id: old.tokens[0].hash.id, name: try #require(AccountLabel("Nightly")), scopes: [.read, .write],
            createdAt: at(-5), expiresAt: at(5_000), lastUsedAt: at(-4))
        #expect(try await migrated.tokens.list() == [deploy, nightly])
        #expect(try await migrated.tokens.find(old.tokens[0].text) == nightly)
        await #expect(throws: ProfileStoreError.tokenExists(name: "NIGHTLY")) {
            _ = try await migrated.tokens.create(try #require(AccountLabel("NIGHTLY")), scopes: [])
        }

        #expect(
            try await migrated.passwords.findReset(old.reset.text)
                == PasswordReset(profileID: 2, username: "bert", createdAt: at(-2), expiresAt: at(2_000)))
        #expect(try await migrated.passwords.redeemReset(old.reset.text, password: Secret("bL9pjp")).username == "bert")
        #expect(try await migrated.passwords.findReset(old.reset.text) == nil)
        #expect(try await migrated.sessions.find(old.session.text) == session)

        // A use extends the session by its old idle time, but not beyond its old end.
        store.clock.advance(by: .seconds(6))
        #expect(try await migrated.sessions.find(old.session.text)?.idleExpiresAt == at(9_000))
        _ = try await migrated.edit("abel") { $0.password = Secret("bL9pjp") }
        #expect(try await migrated.sessions.find(old.session.text) == nil)
        await migrated.close()
    }

    @Test func `H4: tokens of version 7 still work after a migration, and devices can be remembered`() async throws {
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        let session = try await repository.sessions.start(vouchingFor: "abel", label: AccountLabel("Firefox"))
        let access = try await repository.tokens.create(try #require(AccountLabel("Nightly")), scopes: [.read])
        let reset = try await repository.passwords.issueReset(of: "bert")
        await repository.close()
        let before = try store.rows("tokens")
        try store.becomeOlder(version: 7)
        #expect(try await ProfileRepository.migrate(at: store.path) == ["V0008_devices"])
        #expect(try store.rows("tokens") == before)
        let migrated = try await store.open()
        #expect(try await migrated.sessions.find(session.token) == session.value)
        #expect(try await migrated.tokens.find(access.token)?.id == access.value.id)
        #expect(try await migrated.passwords.findReset(reset.token) == reset.value)
        let started = try await migrated.sessions.start(People.secret, for: "abel", on: nil)
        #expect(try await migrated.devices.list(of: "abel") == [started.device?.value])
        #expect(try await migrated.check().isSound)
        await migrated.close()
    }

    @Test func `H4: access tokens of version 5 come along in a copy and a restored backup, and sessions do not`()
        async throws
    {
        let old = try await makeStoreOfVersion5()
        let backup = store.directory + "/backup.sqlite"
        try SmallFile.write(try #require(SmallFile.bytes(of: store.path)), to: backup)
        _ = try await ProfileRepository.migrate(at: store.path)
        let migrated = try await store.open()
        let expected = try await migrated.tokens.list()
        let (file, memory) = (try TemporaryStore(engine: .sqlite), try TemporaryStore(engine: .memory))
        for other in [file, memory] {
            let copy = try await other.open(
                store.options {
                    $0.initialSchema = migrated.schema
                    $0.opensUnfinishedCopy = true
                })
            _ = try await StoreCopy(from: migrated, to: copy).run()
            #expect(try await copy.tokens.list() == expected)
            #expect(try await copy.tokens.find(old.tokens[0].text)?.name.text == "Nightly")
            #expect(try await copy.sessions.list() == [])
            #expect(try await copy.passwords.findReset(old.reset.text) == nil)
            await copy.close()
        }
        await migrated.close()
        try await StoreBackup(at: backup, options: store.options()).restore(to: store.path, options: store.options())
        let restored = try await store.open()
        #expect(try await restored.tokens.list() == expected)
        #expect(try await restored.sessions.list() == [])
        #expect(try await restored.passwords.findReset(old.reset.text) == nil)
        await restored.close()
    }

    @Test func `a migration that fails leaves no trace`() async throws {
        try #require(fault_vfs_register() == 0)
        // In the long runs each write fails in turn.
        let step = Length.isLong ? 1 : 3
        var generator = SeededGenerator(printingSeedOf: "failing writes of a migration")
        for allowed in stride(from: Int.random(in: 0..<step, using: &generator), to: 400, by: step) {
            let store = try TemporaryStore()
            try SmallFile.write([], to: store.path)
            try store.execute("PRAGMA application_id = \(0x5052_4F46)")
            fault_vfs_arm(store.path, FAULT_VFS_WRITE, Int64(allowed), -1)
            var failure: ProfileStoreError?
            do throws(ProfileStoreError) {
                _ = try await ProfileRepository.migrate(at: store.path, options: store.options { $0.vfs = "fault" })
            } catch {
                failure = error
            }
            fault_vfs_disarm(store.path)
            // The recorded migrations have left all their objects, and the others none.
            let version = Int(try store.number("PRAGMA user_version"))
            let objects = try store.rows("sqlite_schema").filter { $0[4] != nil }.compactMap { $0[1] }
            #expect(Set(objects) == Set(StoreLayout(version: version).objects.keys), "after \(allowed) writes")
            if version > 0 { #expect(try store.number("SELECT max(version) FROM migrations") == Int64(version)) }
            guard let failure else {
                #expect(allowed >= step && version == Migration.sqlite.count)
                return
            }
            guard case .inputOutput = failure.reason else {
                Issue.record("\(failure)")
                return
            }
            #expect(try await ProfileRepository.migrate(at: store.path).count == Migration.sqlite.count - version)
        }
        Issue.record("it never went through")
    }

    @Test func `a store that is missing has no migrations`() async throws {
        await #expect(throws: ProfileStoreError.noStore(path: store.path)) {
            try await ProfileRepository.migrate(at: store.path)
        }
        #expect(throws: ProfileStoreError.noStore(path: store.path)) {
            try ProfileRepository.migrationStatus(at: store.path)
        }
        #expect(store.names() == [])
    }
}
