import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import RawSQLite
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

/// What an observer is told of a store in a file: how long others keep it waiting, and what is the file's own.
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
        // Meanwhile it waits at least as long as all this takes.
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

    @Test func `a change that waited in vain is told of as busy, and has only waited`() async throws {
        let child = try hold()
        _ = try? await repository.register("bert")
        let operation = try #require(observed.take().last)
        #expect(operation.line == "register failed(busy) 0")
        #expect(operation.waited >= .milliseconds(400) && operation.waited <= operation.duration)
        _ = await child.finish()
    }

    @Test func `a change that is cancelled while it waits is told of as cancelled`() async throws {
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

    @Test func `a check and a backup are told of`() async throws {
        _ = try await repository.check()
        try await repository.backup(to: store.directory + "/backup.sqlite")
        _ = try? await repository.backup(to: store.directory + "/backup.sqlite")
        #expect(
            observed.take().map(\.line) == ["check done 0", "back_up done 0", "back_up failed(already_exists) 0"])
        #expect(repository.path == store.path)
    }

    @Test func `a store that is damaged is told of`() async throws {
        try RawDatabase(store.path).execute("DELETE FROM store")
        _ = try? await repository.changes.latestNumber
        #expect(observed.take().map(\.line) == ["read_changes failed(corrupt) 0"])
    }
}
