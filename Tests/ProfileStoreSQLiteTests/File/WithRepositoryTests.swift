import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import RawSQLite
import SQLiteMigrations
import StoreFixtures
import Testing
import Watchdog

/// `withRepository(at:)`, which opens a store for the duration of a body, and the maintenance of a service by `run()`.
@Suite(.watched) struct WithRepositoryTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private struct Complaint: Error, Equatable {}

    private func expectClosed(_ repository: ProfileRepository?) async {
        await #expect(throws: ProfileStoreError.closed) { try await repository?.profile(username: "abel") }
        // Closing the repository empties the write-ahead log.
        #expect(SmallFile.bytes(of: store.path + "-wal") == [])
    }

    @Test func `the body's value comes back, and the store is closed`() async throws {
        var opened: ProfileRepository?
        let id = try await withRepository(at: store.path, options: store.options()) { repository in
            opened = repository
            return try await repository.register("abel").id
        }
        #expect(id == 1)
        await expectClosed(opened)
    }

    @Test func `the store is closed when the body throws, and the error is the body's`() async throws {
        var opened: ProfileRepository?
        await #expect(throws: Complaint()) {
            try await withRepository(at: store.path, options: store.options()) { repository in
                opened = repository
                try await repository.register("abel")
                throw Complaint()
            }
        }
        await expectClosed(opened)
        await #expect(throws: ProfileStoreError.duplicate([.username])) {
            try await withRepository(at: store.path) { _ = try await $0.register("abel") }
        }
    }

    @Test func `the store is closed when the task is cancelled`() async throws {
        let (store, path) = (store, store.path)
        let task = Task {
            try await withRepository(at: path, options: store.options()) { repository in
                try await repository.register("abel")
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(SmallFile.bytes(of: path + "-wal") == [])
        let names = try await withRepository(at: path) { try await $0.usernames() }
        #expect(names == ["abel"])
    }

    @Test func `a store that is not there is an error, and the body does not run`() async throws {
        await #expect(throws: ProfileStoreError.noStore(path: store.path)) {
            try await withRepository(at: store.path) { _ in Issue.record("it ran") }
        }
    }

    @Test func `a service that runs ends by itself once a later version has migrated its store`() async throws {
        let clock = store.clock
        let repository = try await store.open(
            store.options {
                $0.housekeepingInterval = .seconds(600)
                $0.sleep = { try await clock.sleep(for: $0) }
            })
        let running = Task { try await repository.run() }
        await clock.wait(forSleepers: 1)
        let later = Migration.sqlite.count + 1
        try RawDatabase(store.path).execute(
            "ALTER TABLE store ADD COLUMN later INTEGER; PRAGMA user_version = \(later)")
        clock.advance(by: .seconds(600))
        await #expect(
            throws: ProfileStoreError.newerStore(path: store.path, version: later, known: Migration.sqlite.count)
        ) { try await running.value }
        await #expect(throws: ProfileStoreError.closed) { try await repository.profile(username: "abel") }
    }

    @Test func `a service whose store is busy keeps running, and removes expired rows later`() async throws {
        let clock = store.clock
        let observed = Observed()
        let repository = try await store.open(
            store.options {
                $0.waitLimit = .milliseconds(50)
                $0.observer = observed.observer
                $0.sleep = { try await clock.sleep(for: $0) }
            })
        let child = try ExerciserProcess("hold", store.path, "nightly job")
        #expect(child.waitForSign())
        let running = Task { try await repository.run() }
        await clock.wait(forSleepers: 1)
        func rounds() -> [String] { observed.operations.filter { $0.name == .removeExpired }.map(\.line) }
        #expect(rounds() == ["remove_expired failed(busy) 0"])
        _ = await child.finish()
        clock.advance(by: .seconds(600))
        try await waitUntil { rounds().count >= 2 }
        #expect(rounds()[1] == "remove_expired done 0")
        running.cancel()
        try await running.value
    }
}
