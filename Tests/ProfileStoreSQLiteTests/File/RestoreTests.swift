import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import RawSQLite
import SQLiteAccess
import SQLiteMigrations
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// A backup taken back into a store.
@Suite(.watched) struct RestoreTests {
    private let store: TemporaryStore
    private var backup: String { store.directory + "/backup.sqlite" }

    init() throws { store = try TemporaryStore() }

    /// A backup of a store with these profiles, and the store with one more of another name.
    private func backUp(_ names: [String], schema: ProfileSchema = .standard) async throws -> ProfileRepository {
        let repository = try await store.open(schema: schema)
        for name in names { try await repository.register(name) }
        try await repository.backup(to: backup)
        try await repository.register("later")
        return repository
    }

    private func restore(to path: String? = nil) async throws {
        let options = store.options()
        try await StoreBackup(at: backup, options: options).restore(to: path ?? store.path, options: options)
    }

    @Test func `a restore replaces the content of a store, and a repository that has it open sees that`() async throws {
        let repository = try await backUp(["abel", "bert"])
        let original = try #require(SmallFile.bytes(of: backup))
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        #expect(try await StoreBackup(at: backup).profiles == 2)
        try await restore()
        #expect(try await repository.usernames() == ["abel", "bert"])
        #expect(try await repository.profile(username: "abel")?.revision == 1)
        #expect(try await repository.check().isSound)
        #expect(SmallFile.bytes(of: backup) == original, "the backup stays as it is")
        #expect(!store.names().contains { $0.hasPrefix("backup.sqlite-") })
        await repository.close()
    }

    @Test(arguments: [true, false])
    func `S7: a schema's version that cannot rise is damage, in the store and in the backup`(
        isInBackup: Bool
    ) async throws {
        await (try await backUp(["abel"])).close()
        try RawDatabase(isInBackup ? backup : store.path).execute(
            "UPDATE schemas SET version = \(Int64.max)")
        let error = await #expect(throws: ProfileStoreError.self) { try await restore() }
        guard case .corrupt(.uncountable(_, .max))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        let repository = try await store.open()
        #expect(try await repository.usernames() == ["abel", "later"])
        await repository.close()
    }

    @Test func `R3: an id that was given since the backup is not given again`() async throws {
        let repository = try await backUp(["abel"])
        #expect(try await repository.profile(username: "later")?.id == 2)
        try await restore()
        #expect(try await repository.register("newest").id == 3)
        await repository.close()
    }

    @Test func `R7: a watcher learns that changes were missed, and then gets the next ones`() async throws {
        let repository = try await backUp(["abel"])
        let number = try await repository.statistics().changeNumber
        var changes = await repository.changes.stream().makeAsyncIterator()
        try await restore()
        let missed = try await changes.next()
        #expect(missed?.kind == .missed)
        #expect(missed?.number == number + 1)
        try await repository.register("newest")
        let next = try await changes.next()
        #expect(next?.kind == .registered && next?.username == "newest" && next?.number == number + 2)
        await repository.close()
    }

    @Test func `a restore that another program blocks says how long it has waited`() async throws {
        await (try await backUp(["abel"])).close()
        let other = try RawDatabase(store.path)
        try other.execute("BEGIN IMMEDIATE")
        let options = store.options { $0.waitLimit = .milliseconds(300) }
        let error = await #expect(throws: ProfileStoreError.self) {
            try await StoreBackup(at: backup, options: options).restore(to: store.path, options: options)
        }
        #expect(error?.code == .busy)
        #expect(try #require(error?.waited) >= .milliseconds(200))
        try other.execute("ROLLBACK")
        try await restore()
    }

    @Test func `a log that a killed process left beside the store is not replayed into the backup`() async throws {
        let repository = try await backUp(["abel", "bert", "carl"])
        // A killed process leaves the files like this, without the work of closing.
        let left = store.directory + "/left.sqlite"
        for ending in ["", "-wal"] {
            try SmallFile.write(try #require(SmallFile.bytes(of: store.path + ending)), to: left + ending)
        }
        await repository.close()
        try await restore(to: left)
        let restored = try await ProfileRepository.open(at: left)
        #expect(try await restored.usernames() == ["abel", "bert", "carl"])
        #expect(try await restored.check().isSound)
        await restored.close()
    }

    @Test func `rules that were adopted since the backup give way to the backup's, as a later version`() async throws {
        let repository = try await backUp(["abel"])
        let stricter = try People.standard(and: People.uniqueEmail)
        try await repository.rules.adopt(stricter)
        try await repository.register("emil", ["email": "e@example.org"])
        let other = try await store.open()
        #expect(other.schema == stricter)
        try await restore()
        // Version 2 is the number of the stricter rules, so the rules of the backup get version 3.
        let valid = try repository.judged(People.draft("bert"))
        await #expect(throws: ProfileStoreError.schemaChanged(version: 3)) { try await repository.register(valid) }
        for repository in [repository, other] {
            #expect(try await repository.usernames() == ["abel"])
            try await repository.register(repository === other ? "carl" : "bert")
            _ = try await repository.remove(repository === other ? "carl" : "bert")
            #expect(repository.schema == .standard && repository.rules.inForce.number == 3)
        }
        #expect(try await repository.rules.revalidate().skipped == 1, "the same rules judged it before")
        for repository in [repository, other] { await repository.close() }
    }

    @Test func `rules that are the same keep their version`() async throws {
        let repository = try await backUp(["abel"])
        try await restore()
        #expect(try store.number("SELECT max(version) FROM schemas") == 1)
        await repository.close()
    }

    @Test func `a store that is not there is made, for its owner alone`() async throws {
        try await backUp(["abel"]).close()
        let other = store.directory + "/new/folder/profiles.sqlite"
        try await restore(to: other)
        #expect(SmallFile.mode(of: other) == 0o600)
        #expect(SmallFile.mode(of: store.directory + "/new") == 0o700)
        let restored = try await ProfileRepository.open(at: other)
        #expect(try await restored.usernames() == ["abel"])
        #expect(try await restored.register("bert").id == 2)
        await restored.close()
    }

    @Test func `a backup of an earlier version is brought up to date on the way`() async throws {
        let earlier = try TemporaryStore(named: "earlier.sqlite")
        let first = Migration.sqlite[0]
        try SmallFile.write([], to: earlier.path)
        try earlier.execute(
            """
            \(String(decoding: first.sql, as: UTF8.self));
            INSERT INTO migrations VALUES (1, '\(first.name)', '\(SHA256.hexadecimal(first.sql.span))', 0);
            INSERT INTO schemas VALUES
                (1, 'standard', '\(ProfileSchema.standard.fingerprint)', '\(ProfileSchema.standard.document())', 0);
            INSERT INTO profiles (id, revision, created_at, updated_at, schema_version, username, phone, address)
                VALUES (7, 1, 0, 0, 1, 'abel', '7876-1241', '12 Main St');
            UPDATE store SET next_profile_id = 8, change_number = 7;
            PRAGMA user_version = 1; PRAGMA application_id = \(0x5052_4F46)
            """)
        try await StoreBackup(at: earlier.path).restore(to: store.path)
        let restored = try await store.open()
        #expect(try await restored.profile(username: "abel")?.id == 7)
        #expect(try await restored.register("bert").id == 8)
        #expect(try await restored.check().isSound)
        await restored.close()
        let status = try ProfileRepository.migrationStatus(at: earlier.path).map(\.isApplied)
        #expect(status.first == true && status.last == false, "the backup stays as it is")
    }

    @Test func `a damaged backup is refused, and the store stays as it is`() async throws {
        let repository = try await backUp((0..<200).map { "user\($0)" })
        var bytes = try #require(SmallFile.bytes(of: backup))
        let root = try store.number("SELECT rootpage FROM sqlite_schema WHERE name = 'profiles_phone'")
        for index in Int(root - 1) * 4_096..<Int(root) * 4_096 { bytes[index] = 0xA5 }
        try SmallFile.write(bytes, to: backup)
        let error = await #expect(throws: ProfileStoreError.self) { try await StoreBackup(at: backup) }
        guard case .corrupt? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await repository.statistics().profiles == 201)
        await repository.close()
    }

    @Test func `a file that is not a store is neither read as a backup nor overwritten by a restore`() async throws {
        try await backUp(["abel"]).close()
        let other = store.directory + "/other.sqlite"
        await #expect(throws: ProfileStoreError.noStore(path: other)) { try await StoreBackup(at: other) }
        try SmallFile.write(String(repeating: "no database ", count: 400), to: other)
        await #expect(throws: ProfileStoreError.notADatabase(path: other)) { try await StoreBackup(at: other) }
        await #expect(throws: ProfileStoreError.notADatabase(path: other)) { try await restore(to: other) }
        #expect(SmallFile.text(of: other)?.hasPrefix("no database") == true)
        unlink(other)
        let foreign = store.directory + "/foreign.sqlite"
        try SmallFile.write([], to: foreign)
        try Connection(DatabasePath(foreign), mode: .readWrite).execute("CREATE TABLE birds (name)")
        let bytes = SmallFile.bytes(of: foreign)
        await #expect(throws: ProfileStoreError.notAStore(path: foreign)) { try await StoreBackup(at: foreign) }
        await #expect(throws: ProfileStoreError.notAStore(path: foreign)) { try await restore(to: foreign) }
        #expect(SmallFile.bytes(of: foreign) == bytes)
        #expect(!store.names().contains { $0.hasPrefix("foreign.sqlite-") })
    }

    @Test func `a store whose pages are damaged is replaced whole`() async throws {
        try await backUp((0..<200).map { "user\($0)" }).close()
        var bytes = try #require(SmallFile.bytes(of: store.path))
        // Damages all pages except the first one, which says that it is a database, and those with the definitions of
        // the tables.
        for start in stride(from: 4_096, to: bytes.count, by: 4_096) {
            let page = start..<min(start + 4_096, bytes.count)
            guard bytes[page].firstRange(of: "CREATE ".utf8) == nil else { continue }
            for index in page { bytes[index] = 0xA5 }
        }
        try SmallFile.write(bytes, to: store.path)
        try await restore()
        let restored = try await store.open()
        #expect(try await restored.statistics().profiles == 200)
        #expect(try await restored.check().isSound)
        await restored.close()
    }

    @Test func `a store with an added trigger is replaced whole, and is refused as a backup`() async throws {
        try await backUp(["abel"]).close()
        let raw = try RawDatabase(store.path)
        try raw.execute("CREATE TRIGGER evil AFTER INSERT ON profiles BEGIN DELETE FROM profiles; END")
        await #expect(throws: ProfileStoreError.self) { try await store.open() }
        let altered = await #expect(throws: ProfileStoreError.self) { try await StoreBackup(at: store.path) }
        guard case .altered(let object)? = altered?.reason else {
            Issue.record("\(String(describing: altered))")
            return
        }
        #expect(object.type == "trigger" && object.name == "evil")
        try await restore()
        let restored = try await store.open()
        #expect(try await restored.usernames() == ["abel"])
        await restored.close()
    }

    @Test func `restoring waits for the write lock, as any writer does`() async throws {
        try await backUp(["abel"]).close()
        let child = try ExerciserProcess("hold", store.path, "nightly job")
        #expect(child.waitForSign())
        let options = store.options { $0.waitLimit = .milliseconds(100) }
        let copy = try await StoreBackup(at: backup, options: options)
        let error = await #expect(throws: ProfileStoreError.self) {
            try await copy.restore(to: store.path, options: options)
        }
        guard case .busy(let holder, _)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holder?.command == "nightly job")
        _ = await child.finish()
        try await copy.restore(to: store.path, options: options)
        let restored = try await store.open()
        #expect(try await restored.usernames() == ["abel"])
        await restored.close()
    }
}
