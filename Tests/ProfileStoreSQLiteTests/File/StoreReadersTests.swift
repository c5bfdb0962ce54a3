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

/// Reading a store without a thread, without a second connection, and as it lies where nothing can be put beside it.
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
    func `where no thread can be had a look-up is answered`() async throws {
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
        // Were the connection another, opening it would fail.
        let names = ["", "-wal", "-shm"]
        for name in names { rename(store.path + name, store.path + name + "-away") }
        defer { for name in names { rename(store.path + name + "-away", store.path + name) } }
        #expect(try readers.read { connection in try ProfileTable.count(connection) } == 1)
    }

    // MARK: As it lies

    /// Removes what is beside the file, as if it had been copied to where nothing can be written, and gives it an old time,
    /// so that any change shows.
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

    /// Registers another profile as another process does, and leaves it in the log, or brings it into the file.
    private func register(_ username: String, leavesLog: Bool) async throws {
        if leavesLog {
            _ = try await ExerciserProcess("create-and-die", store.path, username).finish()
        } else {
            let other = try await store.open()
            try await other.register(username)
            await other.close()
        }
    }

    @Test func `a store that nobody changes is read as it lies, and nothing is put beside it`() async throws {
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

    @Test func `what was read of a file that changed meanwhile is thrown away and read again`() async throws {
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
        // From then on it is read under locks.
        #expect(try session.read { connection in try connection.settings().journalMode } == "wal")
        await repository.close()
    }

    @Test func `an error that came of a change is not told, and one that did not is`() async throws {
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
