import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// A sign of life.
@Suite(.watched) struct PingTests {
    @Test func `a store that is there answers, and one that was closed says so`() async throws {
        let store = try TemporaryStore()
        let observed = Observed()
        let repository = try await store.open(observedBy: observed)
        try await repository.ping()
        #expect(observed.operations.map(\.name) == [.ping])
        #expect(observed.take().map(\.outcome) == [.done])
        await repository.close()
        await #expect(throws: ProfileStoreError.closed) { try await repository.ping() }
        #expect(observed.take().map(\.outcome) == [.failed(code: "closed")])
    }
}
