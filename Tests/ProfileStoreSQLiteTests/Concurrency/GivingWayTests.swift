import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// A batch of an import lets others write before it is at its end.
@Suite(.watched) struct GivingWayTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
    }

    /// A batch that stores a profile, and then looks at the store until it is to give way.
    private struct LookingBatch: ImportBatch {
        let rows: ValidProfiles
        let wantsStoredProfiles = false
        var isOnOneMachine = false
        /// Called after the first steps.
        let begun: @Sendable () -> Void
        /// The number of looks after which the batch ends if it does not have to give way.
        let most: Int
        private(set) var steps = 0
        private(set) var hasGivenWay = false

        init(_ rows: ValidProfiles, most: Int, begun: @escaping @Sendable () -> Void = {}) {
            self.rows = rows
            self.most = most
            self.begun = begun
        }

        mutating func next(after outcome: ImportStep.Outcome) -> ImportStep {
            steps += 1
            if steps == 1 { return .insert(row: 0) }
            if steps == 2 { begun() }
            return hasGivenWay || steps > most ? .end : .look(row: 0, of: rows, besides: nil)
        }

        mutating func giveWay() { hasGivenWay = true }
    }

    private func batch(most: Int, begun: @escaping @Sendable () -> Void = {}) throws -> LookingBatch {
        let profile = try repository.judged(People.draft("abel"))
        return LookingBatch(ValidProfiles(joining: [profile], of: repository.schema), most: most, begun: begun)
    }

    private func store(_ batch: LookingBatch) async throws -> LookingBatch {
        try await repository.engine.store(batch, judgedBy: repository.schema, repository.stamp(nil))
    }

    /// So many looks that the batch gives way before it has made them.
    private static let endless = 20_000_000

    @Test func `I14: a batch gives way to a write of this process`() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let batch = try batch(most: Self.endless) { begin.finish() }
        async let stored = store(batch)
        for await _ in begun {}
        try await repository.register("bert")
        #expect(try await stored.hasGivenWay)
        #expect(try await repository.usernames() == ["abel", "bert"])
        await repository.close()
    }

    @Test func `I14: a batch gives way to a write of another process`() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let batch = try batch(most: Self.endless) { begin.finish() }
        async let stored = store(batch)
        for await _ in begun {}
        #expect(try await ExerciserProcess("create", store.path, "bert").finish().lines == ["created"])
        #expect(try await stored.hasGivenWay)
        #expect(try await repository.usernames() == ["abel", "bert"])
        await repository.close()
    }

    @Test func `a batch is not ended if no other write waits`() async throws {
        let stored = try await store(batch(most: 10_000))
        #expect(!stored.hasGivenWay && stored.steps == 10_001)
        await repository.close()
    }
}
