import FaultVFS
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

/// The syncs and the outcomes of changes that wait at the same time.
@Suite(.watched) struct SharedCommitTests {
    private typealias Change = @Sendable (ProfileRepository) async throws -> Int64

    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        #expect(fault_vfs_register() == 0)
        store = try TemporaryStore()
        repository = try await store.open(store.options { $0.vfs = "fault" })
        // The first commit begins the log.
        try await repository.register("abel")
    }

    /// How many syncs there were while `body` ran.
    private func syncs(_ body: () async throws -> Void) async throws -> Int64 {
        fault_vfs_arm(store.path, FAULT_VFS_SYNC, .max, 0)
        try await body()
        let count = fault_vfs_calls(store.path)
        fault_vfs_disarm(store.path)
        return count
    }

    /// Makes changes, and lets them go on when all of them wait.
    private func together(_ changes: [Change]) async throws -> [Result<Int64, any Error>] {
        let repository = repository
        var lock = try WriteLock(DatabasePath(store.path))
        try lock.acquire(as: "test")
        let tasks = changes.map { change in Task.immediate { try await change(repository) } }
        lock.release()
        var outcomes: [Result<Int64, any Error>] = []
        for task in tasks { outcomes.append(await task.result) }
        return outcomes
    }

    /// Registers a name, and gives its profile's id.
    private func registering(_ name: String) -> Change {
        { try await $0.register(name).id }
    }

    @Test func `H9: a change that is alone costs one sync`() async throws {
        let count = try await syncs {
            for number in 0..<5 { try await repository.register("user\(number)") }
            _ = try await repository.edit("abel") { $0["address"] = "2" }
            try await repository.remove("user0")
        }
        #expect(count == 7)
        await repository.close()
    }

    /// How many changes share a sync depends on the timing.
    @Test func `E2, H9: 64 tasks that register at once get their own answers, and share syncs`() async throws {
        let names = (0..<64).map { "user\($0 % 48)" }
        var outcomes: [Result<Int64, any Error>] = []
        let count = try await syncs { outcomes = try await together(names.map { registering($0) }) }
        #expect(count < 48)
        for (index, outcome) in outcomes.enumerated() {
            // The tasks came in this order.
            if index < 48 {
                #expect(try outcome.get() == Int64(index) + 2)
            } else {
                #expect(throws: ProfileStoreError.duplicate([.username])) { try outcome.get() }
            }
        }
        await repository.close()
        // The content after the store is opened again.
        let reopened = try await store.open()
        #expect(try await reopened.usernames() == ["abel"] + names[..<48])
        #expect(try await reopened.changes.latestNumber == 49)
        #expect(try await reopened.check().isSound)
        await reopened.close()
    }

    @Test func `E2, H9: changes of all kinds share a commit and see those before them`() async throws {
        let changes: [Change] = [
            registering("bert"),
            { try await $0.edit("abel") { $0["address"] = "2" }.revision },
            { try await $0.edit("abel", expecting: 1) { $0["address"] = "3" }.revision },
            registering("BERT"),
            { repository in
                try await repository.unlock("abel")
                return 0
            },
            registering("carl"),
        ]
        let outcomes = try await together(changes)
        #expect(outcomes.map { try? $0.get() } == [2, 2, nil, nil, 0, 3])
        #expect(throws: ProfileStoreError.staleRevision(expected: 1, current: 2)) { try outcomes[2].get() }
        #expect(throws: ProfileStoreError.duplicate([.username])) { try outcomes[3].get() }
        #expect(try await repository.usernames() == ["abel", "bert", "carl"])
        await repository.close()
    }

    @Test func `H9: where the commit that many share fails, each registers alone`() async throws {
        let names = (0..<8).map { "user\($0)" }
        fault_vfs_arm(store.path, FAULT_VFS_SYNC, 0, 1)
        let outcomes = try await together(names.map { registering($0) })
        #expect(fault_vfs_disarm(store.path) == 1)
        // If the commit belonged to one change alone, this change gets the error.
        let registered = zip(names, outcomes).filter { (try? $0.1.get()) != nil }.map(\.0)
        #expect(registered.count >= 7)
        #expect(try await repository.usernames() == ["abel"] + registered)
        #expect(try await repository.check().isSound)
        await repository.close()
    }

    @Test func `rules that are adopted between two changes apply to the changes after them`() async throws {
        let wider = try People.standard(and: People.uniqueEmail)
        let changes: [Change] = [
            registering("bert"),
            { Int64(try await $0.rules.adopt(wider)) },
            registering("carl"),
        ]
        let outcomes = try await together(changes)
        #expect(try outcomes[0].get() == 2)
        #expect(try outcomes[1].get() == 2)
        #expect(throws: ProfileStoreError.schemaChanged(version: 2)) { try outcomes[2].get() }
        #expect(try await repository.register("carl", ["email": "a@b.c"]).schemaVersion == 2)
        await repository.close()
    }
}
