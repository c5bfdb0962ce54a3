import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// `ping()`, with which a caller checks that the store answers.
@Suite(.watched) struct PingTests {
    @Test func `an open repository answers a ping, and a closed one throws an error`() async throws {
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
