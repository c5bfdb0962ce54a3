import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct MaintenanceTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
    }

    // MARK: Statistics

    @Test func `statistics count what is there`() async throws {
        let empty = try await repository.statistics()
        #expect(empty.profiles == 0)
        #expect(empty.schemaVersion == 1)
        for name in ["abel", "bert", "carl"] { try await repository.register(name) }
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        try await repository.rules.adopt(
            try People.standard(replacing: #""required":true,"minLength":3"#, with: #""minLength":3"#))
        var draft = People.draft("dora")
        draft.passwordHash = nil
        _ = try await repository.register(repository.judged(draft))
        try store.execute("UPDATE profiles SET phone = '1' WHERE id = 2")
        _ = try await repository.rules.revalidate(all: true)
        let statistics = try await repository.statistics()
        #expect(statistics.profiles == 4)
        #expect(statistics.invalid == 1)
        #expect(statistics.withPassword == 3)
        #expect(statistics.withPasscode == 1)
        #expect(statistics.schemaVersion == 2)
        #expect(statistics.changeNumber > empty.changeNumber)
        #expect(statistics.walBytes > 0)
        await repository.close()
        let closed = try await store.open()
        #expect(try await closed.statistics().walBytes == 0)
        #expect(try await closed.statistics().fileBytes > 4_096)
    }

    // MARK: The check

    @Test func `a store in use is sound, and says which settings it has`() async throws {
        try await repository.register("abel")
        let check = try await repository.check()
        #expect(check.integrity == [])
        #expect(check.danglingRows == [])
        #expect(check.settings.allSatisfy { $0.isAsWanted })
        #expect(Set(check.settings.map(\.name)).isSuperset(of: ["journal_mode", "synchronous", "wal_autocheckpoint"]))
        #expect(check.writeLockIsOn)
        #expect(check.sqliteVersion.split(separator: ".").count == 3)
        #expect(Set(check.files.map(\.path)) == Set(["", "-wal", "-shm", "-lock"].map { store.path + $0 }))
        #expect(check.isSound)
    }

    @Test(arguments: ["", "-wal", "-lock"]) func `files that others may read are found`(ending: String) async throws {
        try await repository.register("abel")
        chmod(store.path + ending, 0o644)
        let check = try await repository.check()
        #expect(check.files.filter { !$0.isPrivate }.map(\.path) == [store.path + ending])
        #expect(check.files.filter { !$0.isPrivate }.map(\.mode) == [0o644])
        #expect(!check.isSound)
    }

    @Test func `damage that is found while the store is open has a typed error`() async throws {
        for number in 0..<200 { try await repository.register("user\(number)") }
        await repository.close()
        let root = try store.number("SELECT rootpage FROM sqlite_schema WHERE name = 'profiles_phone'")
        var bytes = try #require(SmallFile.bytes(of: store.path))
        let start = Int(root - 1) * 4_096
        for index in start..<(start + 4_096) { bytes[index] = 0xA5 }
        try SmallFile.write(bytes, to: store.path)
        let reopened = try await store.open()
        // The table itself is whole.
        #expect(try await reopened.profile(username: "user7") != nil)
        do throws(ProfileStoreError) {
            #expect(try await !reopened.check().isSound)
        } catch {
            guard case .corrupt = error.reason else {
                Issue.record("\(error)")
                return
            }
        }
        await #expect {
            try await reopened.profiles(ProfileQuery([ProfileQuery.Condition(.phone, .equals("78761241"))]))
        } throws: { error in
            (error as? ProfileStoreError)?.code == .corrupt
        }
        await reopened.close()
    }

    // MARK: Backups

    @Test func `a backup opens alone and has the content of its moment, while the store changes`() async throws {
        for number in 0..<20 { try await repository.register("user\(number)") }
        try await repository.passcodes.create(Secret("parislondon"), for: "user3")
        let other = store.directory + "/backup.sqlite"
        try await repository.backup(to: other)
        try await repository.register("later")
        #expect(SmallFile.mode(of: other) == 0o600)
        #expect(!store.names().contains { $0.hasPrefix("backup.sqlite-") })

        let backup = try await ProfileRepository.open(at: other)
        var query = ProfileQuery(limit: 1_000)
        query.after = nil
        let expected = try await repository.profiles(query).profiles.filter { $0.username != "later" }
        #expect(try await backup.profiles(query).profiles == expected)
        #expect(try await backup.statistics().withPasscode == 1)
        #expect(try await backup.check().isSound, "a backup that nobody has written to yet is sound")
        _ = try await backup.passcodes.validate(Secret("parislondon"), for: "user3")
        #expect(try await backup.register("other").id == 21)
        await backup.close()
    }

    @Test func `a backup overwrites nothing`() async throws {
        let other = store.directory + "/there"
        try SmallFile.write("precious", to: other)
        await #expect(throws: ProfileStoreError.alreadyExists(path: other)) { try await repository.backup(to: other) }
        await #expect(throws: ProfileStoreError.alreadyExists(path: store.path)) {
            try await repository.backup(to: store.path)
        }
        #expect(SmallFile.bytes(of: other) == Array("precious".utf8))
        #expect(symlink(store.directory + "/target", store.directory + "/link") == 0)
        await #expect(throws: ProfileStoreError.self) { try await repository.backup(to: store.directory + "/link") }
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.backup(to: store.directory + "/no/where")
        }
        guard case .cannotOpen(_, code: ENOENT)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(store.names().filter { !$0.hasPrefix("profiles.sqlite") } == ["link", "there"])
        #expect(try await repository.statistics().profiles == 0)
    }
}
