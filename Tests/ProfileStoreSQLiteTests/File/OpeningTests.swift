import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import RawSQLite
import SQLiteAccess
import SQLiteMigrations
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileStoreSQLite

@Suite(.watched) struct OpeningTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private func open(_ path: String? = nil) async throws(ProfileStoreError) -> ProfileRepository {
        try await ProfileRepository.open(at: path ?? store.path)
    }

    // MARK: What is not there

    @Test func `a store that is missing is an error, and nothing is made`() async throws {
        await #expect(throws: ProfileStoreError.noStore(path: store.path)) { try await open() }
        let deep = store.directory + "/a/b/profiles.sqlite"
        await #expect(throws: ProfileStoreError.noStore(path: deep)) { try await open(deep) }
        #expect(store.names() == [])
    }

    @Test func `a missing store is made for its owner alone, with its folders, whatever the umask`() async throws {
        let path = store.directory + "/a/b/profiles.sqlite"
        // The exerciser has an umask of 0.
        let child = try await ExerciserProcess("create", path, "abel").finish()
        #expect(child.lines == ["created"])
        #expect(SmallFile.mode(of: store.directory + "/a") == 0o700)
        #expect(SmallFile.mode(of: store.directory + "/a/b") == 0o700)
        for ending in ["", "-wal", "-shm", "-lock"] { #expect(SmallFile.mode(of: path + ending) == 0o600, "\(ending)") }
        let repository = try await open(path)
        #expect(try await repository.profile(username: "abel")?.id == 1)
        #expect(try await repository.check().isSound)
        await repository.close()
    }

    @Test func `an empty file is no store, unless one may be made of it`() async throws {
        try SmallFile.write([], to: store.path)
        await #expect(throws: ProfileStoreError.noStore(path: store.path)) { try await open() }
        #expect(SmallFile.bytes(of: store.path) == [])
        #expect(store.names() == ["profiles.sqlite"])
        let repository = try await store.open()
        #expect(repository.rules.inForce.number == 1)
        await repository.close()
    }

    @Test func `a place where nothing can be made is named with the system's reason`() async throws {
        try SmallFile.write("text", to: store.path)
        let errors = [
            (store.path + "/profiles.sqlite", ENOTDIR), ("/proc/none/profiles.sqlite", ENOENT), ("", EINVAL),
            (store.directory, EISDIR), (store.directory + "/", EISDIR), ("/dev/null", EINVAL),
        ]
        for (path, code) in errors {
            let error = await #expect(throws: ProfileStoreError.self) {
                try await ProfileRepository.open(at: path, options: store.options())
            }
            guard case .cannotOpen(_, let found)? = error?.reason else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
            #expect(found == code, "\(path)")
        }
        #expect(store.names() == ["profiles.sqlite"])
        #expect(SmallFile.bytes(of: store.path) == Array("text".utf8))
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a store that must not be read is named with the system's reason`() async throws {
        await (try store.open()).close()
        chmod(store.path, 0)
        let error = await #expect(throws: ProfileStoreError.self) { try await open() }
        guard case .cannotOpen(_, code: EACCES)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: What is not ours

    enum Stranger: String, CaseIterable, Sendable {
        case shortText, longText, zeros, otherDatabase, otherDatabaseWithLog, otherApplication

        func lie(at path: String) throws {
            switch self {
            case .shortText: try SmallFile.write("username,phone\n", to: path)
            case .longText: try SmallFile.write(String(repeating: "username,phone\n", count: 1_000), to: path)
            case .zeros: try SmallFile.write([UInt8](repeating: 0, count: 8_192), to: path)
            case .otherDatabase: try make("CREATE TABLE t (a); INSERT INTO t VALUES (1)", at: path)
            case .otherDatabaseWithLog:
                try make("PRAGMA journal_mode = WAL; CREATE TABLE t (a); PRAGMA wal_checkpoint(TRUNCATE)", at: path)
            case .otherApplication: try make("PRAGMA application_id = 1; CREATE TABLE t (a)", at: path)
            }
        }

        private func make(_ sql: String, at path: String) throws {
            do { try Connection(DatabasePath(path), mode: .create).execute(sql) }
            for ending in ["-lock", "-wal", "-shm"] { unlink(path + ending) }
        }
    }

    @Test(arguments: Stranger.allCases)
    func `a file that is no store is refused unchanged, and nothing is put beside it`(stranger: Stranger) async throws {
        try stranger.lie(at: store.path)
        let before = SmallFile.bytes(of: store.path)
        let isDatabase = stranger.rawValue.hasPrefix("other")
        let expected = isDatabase ? ProfileStoreError.notAStore(path: store.path) : .notADatabase(path: store.path)
        await #expect(throws: expected) { try await open() }
        await #expect(throws: expected) { try await store.open() }
        await #expect(throws: expected) { try await ProfileRepository.migrate(at: store.path) }
        #expect(throws: expected) { try ProfileRepository.migrationStatus(at: store.path) }
        #expect(SmallFile.bytes(of: store.path) == before)
        #expect(store.names() == ["profiles.sqlite"])
    }

    enum ForeignDatabase: CaseIterable, Sendable {
        case plain, withLog, withJournal, seeminglyEmptyWithJournal, ofOtherApplication

        /// Makes the database as its own program left it. In some cases the program was killed in a transaction.
        func lie(at path: String) throws {
            let setting = self == .ofOtherApplication ? "PRAGMA application_id = 1;" : ""
            let maker = try TemporaryStore()
            let connection = try RawDatabase(maker.path)
            try connection.execute("\(setting) CREATE TABLE t (a)")
            if self == .withLog { try connection.execute("PRAGMA journal_mode = WAL") }
            try connection.execute(
                """
                WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
                INSERT INTO t SELECT zeroblob(2000) FROM n
                """)
            // The change is larger than the cache, so a part of it is in the file before the commit.
            try connection.execute("PRAGMA cache_size = 5; BEGIN IMMEDIATE; UPDATE t SET a = randomblob(2000)")
            for ending in ["", "-journal", "-wal", "-shm"] {
                guard let bytes = SmallFile.bytes(of: maker.path + ending) else { continue }
                try SmallFile.write(bytes, to: path + ending)
            }
            if self == .plain || self == .ofOtherApplication { unlink(path + "-journal") }
            guard self == .seeminglyEmptyWithJournal else { return }
            // As after a DROP of all tables that was not committed.
            let empty = try TemporaryStore()
            try Connection(DatabasePath(empty.path), mode: .create).execute("CREATE TABLE t (a); DROP TABLE t")
            try SmallFile.write(try #require(SmallFile.bytes(of: empty.path)), to: path)
        }
    }

    @Test(arguments: ForeignDatabase.allCases, ["", "12 profiles import", nil])
    func `another program's database is left as it is, also beside what looks like our lock`(
        database: ForeignDatabase, lock: String?
    ) async throws {
        try database.lie(at: store.path)
        if let lock { try SmallFile.write(lock, to: store.path + "-lock") }
        func files() -> [String: [UInt8]] {
            Dictionary(
                uniqueKeysWithValues: store.names().map { ($0, SmallFile.bytes(of: "\(store.directory)/\($0)") ?? []) })
        }
        let before = files()
        let hasJournal = database == .withJournal || database == .seeminglyEmptyWithJournal
        #expect((before["profiles.sqlite-journal"] ?? []).isEmpty != hasJournal)
        let expected = ProfileStoreError.notAStore(path: store.path)
        await #expect(throws: expected) { try await open() }
        await #expect(throws: expected) { try await store.open() }
        await #expect(throws: expected) { try await ProfileRepository.migrate(at: store.path) }
        #expect(throws: expected) { try ProfileRepository.migrationStatus(at: store.path) }
        #expect(files() == before)
    }

    @Test(arguments: [false, true])
    func `a store of a later version is refused unchanged`(isOnlyInLog: Bool) async throws {
        await (try store.open()).close()
        try store.execute("PRAGMA user_version = 99")
        if !isOnlyInLog { try store.connect().checkpoint(.truncate) }
        let before = [SmallFile.bytes(of: store.path), SmallFile.bytes(of: store.path + "-wal")]
        #expect((before[1] ?? []).isEmpty != isOnlyInLog)
        let expected = ProfileStoreError.newerStore(path: store.path, version: 99, known: Migration.sqlite.count)
        await #expect(throws: expected) { try await open() }
        await #expect(throws: expected) { try await store.open() }
        #expect([SmallFile.bytes(of: store.path), SmallFile.bytes(of: store.path + "-wal")] == before)
    }

    enum Damage: CaseIterable, Sendable { case header, everyOtherPage, half }

    @Test(arguments: Damage.allCases)
    func `a damaged store is refused unchanged`(damage: Damage) async throws {
        let repository = try await store.open()
        for number in 0..<50 { try await repository.register("user\(number)") }
        await repository.close()
        var bytes = try #require(SmallFile.bytes(of: store.path))
        switch damage {
        case .header: for index in 0..<100 { bytes[index] = 0xFF }
        case .everyOtherPage: for index in 4_096..<bytes.count { bytes[index] = 0xA5 }
        case .half: bytes.removeLast(bytes.count / 2)
        }
        try SmallFile.write(bytes, to: store.path)
        let error = await #expect(throws: ProfileStoreError.self) { try await open() }
        switch (damage, error?.reason) {
        case (.header, .notADatabase(path: store.path)), (.everyOtherPage, .corrupt), (.half, .corrupt): break
        default: Issue.record("\(damage): \(String(describing: error))")
        }
        await #expect(throws: ProfileStoreError.self) { try await store.open() }
        #expect(SmallFile.bytes(of: store.path) == bytes)
    }

    @Test func `a migration that was altered is found out`() async throws {
        await (try store.open()).close()
        try store.execute("UPDATE migrations SET checksum = '\(String(repeating: "0", count: 64))'")
        await #expect(throws: ProfileStoreError.alteredMigration(name: "V0001_profiles")) { try await open() }
    }

    @Test func `S7: a store whose schema is missing or unreadable is refused`() async throws {
        await (try store.open()).close()
        try store.execute("UPDATE schemas SET document = '{}'")
        let error = await #expect(throws: ProfileStoreError.self) { try await open() }
        guard case .unreadableSchema(version: 1, let reason)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.errors.map(\.path) == ["$.fields"])
        try store.execute("DELETE FROM schemas")
        await #expect(throws: ProfileStoreError.corrupt(.noSchema)) { try await open() }
    }

    // MARK: Ways to a store

    @Test func `a store whose first commit is only in its log can be opened, and loses nothing`() async throws {
        let child = try await ExerciserProcess("create-and-die", store.path, "abel").finish()
        #expect(child.code == 128 + SIGKILL)
        #expect(try #require(SmallFile.bytes(of: store.path + "-wal")).count > 4_096)
        let repository = try await open()
        #expect(try await repository.profile(username: "abel") != nil)
        try await repository.register("bert")
        await repository.close()
        #expect(SmallFile.bytes(of: store.path + "-wal") ?? [] == [])
    }

    @Test func `symbolic links and relative paths lead to the same store and the same lock`() async throws {
        let repository = try await store.open(registering: ["abel"])
        let link = store.directory + "/link"
        #expect(symlink(store.path, link) == 0)
        var buffer = [CChar](repeating: 0, count: 4_096)
        let depth = getcwd(&buffer, buffer.count).map { String(cString: $0).split(separator: "/").count } ?? 0
        let relative = String(repeating: "../", count: depth) + store.path.dropFirst()
        for path in [link, relative] {
            let other = try await open(path)
            #expect(other.path == store.path)
            #expect(try await other.profile(username: "abel") != nil)
            await other.close()
        }
        await repository.close()
        let files = ["", "-lock", "-shm", "-wal"].map { "profiles.sqlite" + $0 }
        #expect(store.names() == ["link"] + files)
        let (nowhere, dangling) = (store.directory + "/nowhere", store.directory + "/dangling")
        #expect(symlink(nowhere, dangling) == 0)
        await #expect(throws: ProfileStoreError.brokenLink(path: dangling, target: nowhere)) {
            try await open(dangling)
        }
    }

    @Test func `a store whose maker is killed at any moment can be opened or made afterwards`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<(Length.isLong ? 300 : 30) {
            let store = try TemporaryStore()
            let child = try ExerciserProcess("create", store.path, "abel")
            // Within its first 40 ms it starts, makes the store, registers and closes.
            usleep(UInt32.random(in: 0..<40_000, using: &random))
            child.kill()
            _ = await child.finish()
            let repository = try await store.open()
            _ = try? await repository.register("abel")
            #expect(try await repository.profile(username: "abel")?.id == 1, "round \(round) of seed \(seed)")
            #expect(try await repository.check().integrity == [], "round \(round) of seed \(seed)")
            await repository.close()
        }
    }

    @Test func `R4: processes that make a store at once share one`() async throws {
        let names = ["abel", "bert", "carl", "dora", "emma", "fred"]
        let children = try names.map { try ExerciserProcess("create", store.path, $0) }
        for child in children { #expect(await child.finish().lines == ["created"]) }
        let repository = try await open()
        #expect(try await repository.usernames().sorted() == names)
        #expect(try store.number("SELECT count(*) FROM schemas") == 1)
        #expect(try store.number("SELECT next_profile_id FROM store") == 7)
        await repository.close()
    }

    @Test func `R4: tasks that make a store at once share one`() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let repository = try await store.open()
                    try await repository.register("user\(number)")
                    await repository.close()
                }
            }
            try await group.waitForAll()
        }
        let repository = try await open()
        #expect(try await repository.statistics().profiles == 8)
        await repository.close()
    }

    @Test func `a store that is closed takes no more changes`() async throws {
        let repository = try await store.open()
        await repository.close()
        await repository.close()
        await #expect(throws: ProfileStoreError.closed) { try await repository.register("abel") }
    }
}
