import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import RawSQLite
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

/// What an observer receives from a store in a file: the time that operations wait for locks, and the operations that
/// only files have.
@Suite(.watched) struct ObservedFileTests {
    private let store: TemporaryStore
    private let observed = Observed()
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(observedBy: observed, registering: ["abel"]) {
            $0.waitLimit = .milliseconds(500)
        }
    }

    private func hold() throws -> ExerciserProcess {
        let child = try ExerciserProcess("hold", store.path, "nightly job")
        #expect(child.waitForSign())
        return child
    }

    @Test func `a change has waited for as long as another process held the write lock`() async throws {
        let patient = try await store.open(observedBy: observed)
        let child = try hold()
        let change = Task { try await patient.register("bert") }
        try await WaitingWriters.wait(for: store.path + "-lock")
        // The change waits at least as long as these look-ups take.
        let start = ContinuousClock.now
        for _ in 0..<100 { _ = try await repository.profile(username: "abel") }
        let held = ContinuousClock.now - start
        _ = await child.finish()
        _ = try await change.value
        let operation = try #require(observed.take().last { $0.name == .register })
        #expect(operation.line == "register done 1")
        #expect(operation.waited >= held && operation.waited < operation.duration)
        await patient.close()
    }

    @Test func `a change whose wait times out is observed as busy, with the time that it waited`() async throws {
        let child = try hold()
        _ = try? await repository.register("bert")
        let operation = try #require(observed.take().last)
        #expect(operation.line == "register failed(busy) 0")
        #expect(operation.waited >= .milliseconds(400) && operation.waited <= operation.duration)
        _ = await child.finish()
    }

    @Test func `a change that is cancelled while it waits is observed as cancelled`() async throws {
        let child = try hold()
        let repository = repository
        let change = Task { try await repository.register("bert") }
        try await WaitingWriters.wait(for: store.path + "-lock")
        change.cancel()
        _ = await change.result
        let operation = try #require(observed.take().last)
        #expect(operation.line == "register cancelled 0" && operation.waited > .zero)
        _ = await child.finish()
    }

    @Test func `another program's lock is waited for too`() async throws {
        let other = try store.connect()
        try other.execute("BEGIN IMMEDIATE")
        _ = try? await repository.register("bert")
        let operation = try #require(observed.take().last)
        #expect(operation.line == "register failed(busy) 0")
        #expect(operation.waited >= .milliseconds(100), "SQLite's own steps")
        try other.execute("ROLLBACK")
    }

    @Test func `an observer gets a check and a backup`() async throws {
        _ = try await repository.check()
        try await repository.backup(to: store.directory + "/backup.sqlite")
        _ = try? await repository.backup(to: store.directory + "/backup.sqlite")
        #expect(
            observed.take().map(\.line) == ["check done 0", "back_up done 0", "back_up failed(already_exists) 0"])
        #expect(repository.path == store.path)
    }

    @Test func `an observer gets the failure of an operation on a damaged store`() async throws {
        try RawDatabase(store.path).execute("DELETE FROM store")
        _ = try? await repository.changes.latestNumber
        #expect(observed.take().map(\.line) == ["read_changes failed(corrupt) 0"])
    }
}
