import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// As swift-service-lifecycle declares it.
private protocol Service: Sendable {
    @concurrent func run() async throws
}

extension ProfileRepository: Service {}

/// What `run()` does, and how it ends.
@Suite(.watched) struct LifeTests {
    private let store: TemporaryStore
    private let observed = Observed()
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(observedBy: observed, registering: ["abel"]) { [clock = store.clock] in
            $0.housekeepingInterval = .seconds(3_600)
            $0.sleep = { try await clock.sleep(for: $0) }
        }
    }

    private func sessions() throws -> Int { try store.engine == .sqlite ? store.rows("tokens").count : 0 }

    private var rounds: Int { observed.operations.count { $0.name == .removeExpired && $0.rows == 0 } }

    @Test func `run removes expired rows at once and in each interval, until its task is cancelled`() async throws {
        _ = try await repository.sessions.start(vouchingFor: "abel")
        store.clock.advance(by: .seconds(86_400))
        let repository = repository
        let running = Task { try await repository.run() }
        await store.clock.wait(forSleepers: 1)
        #expect(rounds == 1 && removed == [1])
        _ = try await repository.sessions.start(vouchingFor: "abel")
        store.clock.advance(by: .seconds(3_599))
        #expect(rounds == 1)
        store.clock.advance(by: .seconds(1))
        try await waitUntil { rounds >= 2 }
        await store.clock.wait(forSleepers: 1)
        // The second session has expired, an hour after its last use.
        #expect(removed == [1, 1])
        #expect(try sessions() == 0)
        running.cancel()
        try await running.value
    }

    private var removed: [Int] { observed.operations.filter { $0.name == .removeExpired && $0.rows > 0 }.map(\.rows) }

    @Test func `run closes the repository when its task is cancelled, and later calls say so`() async throws {
        let repository = repository
        let service: any Service = repository
        let running = Task { try await service.run() }
        await store.clock.wait(forSleepers: 1)
        running.cancel()
        try await running.value
        await #expect(throws: ProfileStoreError.closed) { try await repository.profile(username: "abel") }
        await #expect(throws: ProfileStoreError.closed) { try await repository.profiles(ProfileQuery()) }
        await #expect(throws: ProfileStoreError.closed) { try await repository.count() }
        await #expect(throws: ProfileStoreError.closed) { try await repository.register("bert") }
        await #expect(throws: ProfileStoreError.closed) { try await repository.changes.latestNumber }
        await #expect(throws: CredentialError.store(.closed)) {
            try await repository.passwords.validate(People.secret, for: "abel")
        }
        let again = try await store.open(store.options())
        #expect(try await again.usernames() == ["abel"])
        await again.close()
    }

    @Test func `run closes the repository at once if its task is already cancelled`() async throws {
        let repository = repository
        let running = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await repository.run()
        }
        try await running.value
        await #expect(throws: ProfileStoreError.closed) { try await repository.profile(username: "abel") }
    }

    @Test func `run ends when another caller closes the repository`() async throws {
        let repository = repository
        let running = Task { try await repository.run() }
        await store.clock.wait(forSleepers: 1)
        await repository.close()
        try await running.value
        #expect(store.clock.sleeperCount == 0)
        try await repository.run()
    }

    @Test func `writes that are running when run is cancelled finish`() async throws {
        let repository = repository
        let running = Task { try await repository.run() }
        await store.clock.wait(forSleepers: 1)
        let writes = (0..<20).map { number in
            Task.immediate { try await repository.register("user\(number)") }
        }
        running.cancel()
        try await running.value
        for write in writes { _ = try await write.value }
        let again = try await store.open(store.options())
        #expect(try await again.usernames().count == 21)
        await again.close()
    }
}
