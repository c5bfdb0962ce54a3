import PostgresProxy
import ProfileStore
import StoreFixtures
import Testing
import Watchdog

/// E5: a stream of changes goes on, whatever happens to the connections to the server.
@Suite(.onlyWithPostgres, .watched(for: .seconds(300))) struct FeedTests {
    @Test(arguments: ["frozen", "cut"])
    func `E5: changes go on after the server has not answered for longer than a call waits`(
        fault: String
    ) async throws {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let observed = Observed()
        let repository = try await store.open(through: proxy) {
            $0.waitLimit = .seconds(1)
            $0.observer = observed.observer
        }
        let other = try await store.open()
        try await other.register("one")
        let changes = Task {
            var names: [String] = []
            for try await change in await repository.changes.stream(after: 0) {
                names.append(change.username ?? "")
                if names.count == 3 { break }
            }
            return names
        }
        try await waitUntil { observed.operations.contains { $0.name == .readChanges && $0.rows == 1 } }
        if fault == "frozen" { proxy.freeze() } else { proxy.follow { _ in .cut(.beforeForwarding) } }
        try await other.register("two")
        // The read fails more than once, so the test covers the pause between two reads too.
        try await waitUntil {
            observed.operations.count { operation in
                if case .failed = operation.outcome { operation.name == .readChanges } else { false }
            } >= 2
        }
        if fault == "frozen" { proxy.thaw() } else { proxy.follow { _ in .forward } }
        try await other.register("three")
        #expect(try await changes.value == ["one", "two", "three"])
        await repository.close()
        await other.close()
    }
}
