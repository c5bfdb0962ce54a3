import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import SQLiteAccess
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileStoreSQLite

/// Look-ups that start no thread and open no second connection, and stores that are read in SQLite's immutable mode.
@Suite(.watched) struct StoreReadersTests {
    private let store: TemporaryStore

    /// A store with one profile and an empty log.
    init() async throws {
        store = try TemporaryStore()
        let repository = try await store.open(registering: ["abel"])
        await repository.close()
    }

    // MARK: Threads and connections

    @Test func `a look-up starts no thread`() async throws {
        let child = try await ExerciserProcess("look-up", store.path, "abel").finish()
        #expect(child.lines == ["id 1", "threads 1"])
    }

    @Test(.unsanitized)
    func `a look-up is answered when no thread can be started`() async throws {
        let child = try await ExerciserProcess(
            "look-up-without-threads", store.path, "abel", environment: ["MALLOC_ARENA_MAX": "1"]
        ).finish()
        #expect(child.lines == ["id 1", "threads 1"])
        #expect(child.code == 0)
    }

    @Test func `opening and a look-up go through one connection under locks`() throws {
        let file = try StoreFile(store.path, createsFolder: false, options: store.options())
        let look = try file.inspect()
        let readers = StoreReaders(file, look)
        // The files are moved away, so opening a second connection would fail.
        let names = ["", "-wal", "-shm"]
        for name in names { rename(store.path + name, store.path + name + "-away") }
        defer { for name in names { rename(store.path + name + "-away", store.path + name) } }
        #expect(try readers.read { connection in try ProfileTable.count(connection) } == 1)
    }

    // MARK: Immutable mode

    /// Removes the log, the shared memory and the lock file, as if the store had been copied to a read-only folder. The
    /// store's file gets an old modification time, so any change of the file is noticed.
    private func lieAlone() {
        for ending in ["-wal", "-shm", "-lock"] { unlink(store.path + ending) }
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 5), timespec(tv_sec: 1_000_000, tv_nsec: 5)]
        utimensat(AT_FDCWD, store.path, &times, 0)
    }

    private func openAsItLies() async throws -> ProfileRepository {
        try await ProfileRepository.open(at: store.path, options: store.options { $0.readsAsItLies = true })
    }

    private func session(_ repository: ProfileRepository) throws -> SQLiteSession {
        try #require(repository.engine as? SQLiteEngine).session
    }

    /// Registers a profile from outside the repository under test. With `leavesLog`, a process dies and leaves the
    /// profile in the write-ahead log; otherwise the profile is in the store's file.
    private func register(_ username: String, leavesLog: Bool) async throws {
        if leavesLog {
            _ = try await ExerciserProcess("create-and-die", store.path, username).finish()
        } else {
            let other = try await store.open()
            try await other.register(username)
            await other.close()
        }
    }

    @Test func `a store that does not change is read in immutable mode, and no file is created beside it`() async throws
    {
        lieAlone()
        let repository = try await openAsItLies()
        #expect(try await repository.profile(username: "abel")?.id == 1)
        #expect(try await repository.statistics().profiles == 1)
        #expect(try await repository.check().isSound)
        #expect(store.names() == ["profiles.sqlite"])
        try await repository.backup(to: store.directory + "/backup")
        #expect(try await StoreBackup(at: store.path, options: store.options { $0.readsAsItLies = true }).profiles == 1)
        #expect(store.names() == ["backup", "profiles.sqlite"])
        await repository.close()
        #expect(store.names() == ["backup", "profiles.sqlite"])
    }

    @Test func `a store with a log is read under locks`() async throws {
        try await register("bert", leavesLog: true)
        let repository = try await openAsItLies()
        #expect(try await repository.profile(username: "bert") != nil)
        await repository.close()
    }

    @Test(arguments: [true, false])
    func `a change between two look-ups is seen by the second`(leavesLog: Bool) async throws {
        lieAlone()
        let repository = try await openAsItLies()
        #expect(try await repository.profile(username: "bert") == nil)
        try await register("bert", leavesLog: leavesLog)
        #expect(try await repository.profile(username: "bert") != nil)
        #expect(try await repository.statistics().profiles == 2)
        #expect(store.names().contains("profiles.sqlite-shm"))
        await repository.close()
    }

    @Test func `if the file changes during a read, the result is discarded and the read runs again`() async throws {
        lieAlone()
        let repository = try await openAsItLies()
        let session = try session(repository)
        let (file, undone, runs) = (store.path, Tally(), Tally())
        let count = try await session.readAtLength(in: .count) {
            undone.add()
        } _: { connection in
            runs.add()
            if runs.count == 1 {
                let other = try Connection(DatabasePath(file), mode: .readWrite)
                try other.execute("DELETE FROM profiles")
            }
            return try ProfileTable.count(connection)
        }
        #expect(count == 0)
        #expect((runs.count, undone.count) == (2, 1))
        // After the change, the session reads under locks.
        #expect(try session.read { connection in try connection.settings().journalMode } == "wal")
        await repository.close()
    }

    @Test func `an error during a change of the file is discarded, and any other error is thrown`() async throws {
        lieAlone()
        let repository = try await openAsItLies()
        let session = try session(repository)
        #expect(throws: ProfileStoreError.corrupt(.slowSchema)) {
            try session.read { _ in throw ProfileStoreError.corrupt(.slowSchema) }
        }
        let (file, runs) = (store.path, Tally())
        let value = try session.read { _ in
            runs.add()
            guard runs.count == 1 else { return "whole" }
            try Connection(DatabasePath(file), mode: .readWrite).execute("DELETE FROM profiles")
            throw ProfileStoreError.corrupt(.slowSchema)
        }
        #expect(value == "whole")
        await repository.close()
    }
}

private final class Tally: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
