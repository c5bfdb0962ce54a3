import ProfileCore
@testable import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// R7 and E5: one reader serves every listener of a repository, and outlives a store that does not answer.
@Suite(.watched) struct ChangeFeedTests {
    /// Options under which a listener hears of a commit from the engine alone: an hour is longer than any test.
    private func options(of store: TemporaryStore) -> ProfileRepository.Options {
        store.options {
            $0.watchInterval = .seconds(3_600)
            $0.runtimeDirectory = store.directory + "/sockets"
        }
    }

    @Test func `R7: a thousand listeners ask the store less often than once each`() async throws {
        let store = try TemporaryStore()
        let observed = Observed()
        var options = options(of: store)
        options.observer = observed.observer
        let repository = try await store.open(options)
        try await repository.register("abel")
        let (count, edits) = (1_000, rounds(100))
        let last = Int64(1 + edits)
        let listeners = (0..<count).map { _ in
            Task { () -> Int in
                var seen = 0
                for try await change in await repository.changes.stream(after: 1) {
                    seen += 1
                    if change.number == last { break }
                }
                return seen
            }
        }
        try await waitUntil { repository.feed.waiterCount == count }
        _ = observed.take()
        for number in 1...edits { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        for listener in listeners { #expect(try await listener.value == edits) }
        let reads = observed.take().count { $0.name == .readChanges }
        // The reads are one for each commit, and a few by listeners that did not run for a long time.
        #expect(reads < edits + count / 20, "\(reads) reads")
        await repository.close()
    }

    @Test func `the engine announces a commit once, however many listeners there are`() async throws {
        let (repository, _, _) = try await openMemory()
        let listeners = (0..<5).map { _ in first(repository, after: 0) }
        try await waitUntil { repository.feed.waiterCount == listeners.count }
        let rings = repository.feed.rings
        try await repository.register("abel")
        for listener in listeners { #expect(try await listener.value?.username == "abel") }
        // A commit may be announced twice.
        #expect((1...2).contains(repository.feed.rings - rings))
        await repository.close()
    }

    @Test func `a listener that arrives after the feed was closed ends at once`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(options(of: store))
        await repository.close()
        await repository.feed.waitForClosing()
        guard case .end = await repository.feed.turn(after: 0, havingFoundNothingAt: nil, repository) else {
            Issue.record("the listener goes on")
            return
        }
        #expect(repository.feed.waiterCount == 0)
    }

    @Test func `R7, E5: wherever a listener begins and however slow it is, it gets every change once`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(options(of: store))
        try await repository.register("abel")
        var random = SeededGenerator(printingSeedOf: "listeners of a feed")
        let edits = 700
        let last = Int64(1 + edits)
        func listener() -> Task<Bool, any Error> {
            let seed = random.next()
            let number = Int64.random(in: 0...300, using: &random)
            return Task {
                var random = SeededGenerator(seed: seed)
                let pause = Int.random(in: 0...4, using: &random)
                var next = number + 1
                for try await change in await repository.changes.stream(after: next - 1) {
                    // A listener that begins at a future number gets `missed`, and continues from there.
                    if change.kind == .missed { next = change.number }
                    guard change.number == next else { return false }
                    if change.number == last { return true }
                    next += 1
                    if pause > 1, random.once(in: 100) { try await Task.sleep(for: .milliseconds(pause * pause)) }
                    if pause == 1 { await Task.yield() }
                }
                return false
            }
        }
        var listeners = (0..<20).map { _ in listener() }
        for number in 1...edits {
            _ = try await repository.edit("abel") { $0["address"] = "\(number)" }
            if number.isMultiple(of: 50) { listeners.append(listener()) }
            // Some listeners end early.
            if number.isMultiple(of: 90) { listeners.removeFirst().cancel() }
        }
        for listener in listeners { #expect(try await listener.value) }
        await repository.close()
    }

    // MARK: A store that does not answer

    /// A repository on a store in memory whose reads can be made to fail.
    private func openMemory() async throws -> (ProfileRepository, MemoryStore, Observed) {
        let memory = try MemoryStore()
        let observed = Observed()
        var options = ProfileRepository.Options()
        options.watchInterval = .seconds(3_600)
        options.observer = observed.observer
        return (try await ProfileRepository.open(memory, options: options), memory, observed)
    }

    /// Returns the first change that a listener receives.
    private func first(_ repository: ProfileRepository, after number: Int64?) -> Task<ProfileChange?, any Error> {
        Task {
            var changes = await repository.changes.stream(after: number).makeAsyncIterator()
            return try await changes.next()
        }
    }

    private func failures(_ observed: Observed) -> Int {
        observed.operations.count { operation in
            if case .failed = operation.outcome { operation.name == .readChanges } else { false }
        }
    }

    private static let transient: [ProfileStoreError] = [
        .busy(holder: nil, waited: .zero), .unavailable([.reported("a server")]),
        .outcomeUnknown(.reported("lost")), .notDurable(.noStandby),
    ]

    @Test(arguments: transient)
    func `E5: a store that does not answer for a while ends no listener`(problem: ProfileStoreError) async throws {
        let (repository, memory, observed) = try await openMemory()
        let waiting = (0..<3).map { _ in first(repository, after: 0) }
        try await waitUntil { repository.feed.waiterCount == 3 }
        memory.readingProblem = problem
        try await repository.register("abel")
        try await waitUntil { failures(observed) >= 2 }
        // Two listeners begin meanwhile. One of them starts at the newest change, which it learns from the first
        // answer.
        let (late, fresh) = (first(repository, after: 0), first(repository, after: nil))
        let before = failures(observed)
        try await waitUntil { failures(observed) >= before + 2 }
        memory.readingProblem = nil
        for listener in waiting + [late] { #expect(try await listener.value?.username == "abel") }
        try await waitUntil { repository.feed.waiterCount == 1 }
        try await repository.register("bert")
        #expect(try await fresh.value?.username == "bert")
        await repository.close()
    }

    private static let lasting: [ProfileStoreError] = [
        .corrupt(.noSchema), .displaced(path: "x"), .newerStore(path: "x", version: 2, known: 1), .notPermitted("x"),
    ]

    @Test(arguments: lasting)
    func `a permanent error ends every listener with this error`(problem: ProfileStoreError) async throws {
        let (repository, memory, _) = try await openMemory()
        let listeners = (0..<3).map { _ in first(repository, after: 0) }
        try await waitUntil { repository.feed.waiterCount == 3 }
        memory.readingProblem = problem
        try await repository.register("abel")
        for listener in listeners { await #expect(throws: problem) { try await listener.value } }
        for number in [0, nil] as [Int64?] {
            await #expect(throws: problem) { try await first(repository, after: number).value }
        }
        await repository.close()
    }

    @Test func `listeners of a store that does not answer end when they are cancelled or the repository is closed`()
        async throws
    {
        let (repository, memory, observed) = try await openMemory()
        let listeners = (0..<4).map { _ in first(repository, after: 0) }
        try await waitUntil { repository.feed.waiterCount == 4 }
        memory.readingProblem = .unavailable([.reported("a server")])
        try await repository.register("abel")
        try await waitUntil { failures(observed) >= 1 }
        let late = first(repository, after: 0)
        listeners[0].cancel()
        #expect(try await listeners[0].value == nil)
        late.cancel()
        #expect(try await late.value == nil)
        await repository.close()
        for listener in listeners { #expect(try await listener.value == nil) }
    }
}
