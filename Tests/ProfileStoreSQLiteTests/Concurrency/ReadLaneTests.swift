import ProfileCore
import ProfileTesting
import SQLiteAccess
import StoreFixtures
import Synchronization
import Testing
import Threads
import Watchdog

@testable import ProfileStore
@testable import ProfileStoreSQLite

/// Long reads that wait for a thread: which reads wait for each other, and for how long.
@Suite(.watched) struct ReadLaneTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private typealias Lane = ReadLanes.Lane

    /// Opens the store with a profile in it, and occupies lanes until the gate is opened.
    private func occupied(
        _ lanes: [Lane], _ change: (inout ProfileRepository.Options) -> Void = { _ in },
        _ body: (ProfileRepository, SQLiteSession) async throws -> Void
    ) async throws {
        let repository = try await store.open(store.options(change))
        try await repository.register("abel")
        let session = try #require(repository.engine as? SQLiteEngine).session
        let gate = Gate()
        for lane in lanes {
            for _ in 0..<lane.threads {
                Task { try? await session.readAtLength(in: lane) { _ in gate.pass() } }
            }
        }
        let count = lanes.reduce(0) { $0 + $1.threads }
        try await waitUntil { gate.isRunning == count }
        do { try await body(repository, session) } catch { Issue.record(error) }
        gate.open(count)
        try await waitUntil { gate.hasFinished == count }
        await repository.close()
    }

    /// A page for which every profile is looked at.
    private static let search = ProfileQuery(text: "be")

    @Test func `E6: a count, a page and statistics wait for no slow search`() async throws {
        try await occupied([.search]) { repository, session async throws in
            #expect(try await repository.count() == 1)
            #expect(try await repository.statistics().profiles == 1)
            #expect(try await repository.rules.revalidate(all: true).checked == 1)
            #expect(try await repository.check().isSound)
        }
    }

    @Test func `E6: a search and a count wait for no check, backup or export`() async throws {
        try await occupied([.file, .pages]) { repository, session async throws in
            #expect(try await repository.profiles(Self.search).profiles.map(\.username) == ["abel"])
            #expect(try await repository.count() == 1)
        }
    }

    @Test func `E6: more reads than may wait are refused at once`() async throws {
        // The limit is the number of threads, because the reads that occupy the threads also wait at first.
        let most = Lane.search.threads
        try await occupied([.search], { $0.mostWaitingReads = most }) { repository, session async throws in
            let waiting = (0..<most).map { _ in Task { try await repository.profiles(Self.search) } }
            try await waitUntil { session.lanes[.search].waiting == most }
            await #expect(throws: ProfileStoreError.busy(holder: nil, waited: .zero)) {
                try await repository.profiles(Self.search)
            }
            for task in waiting { task.cancel() }
        }
    }

    @Test func `E6: a read whose turn does not come leaves at its deadline`() async throws {
        let lanes: [Lane] = [.search, .count, .file]
        try await occupied(lanes, { $0.waitLimit = .milliseconds(200) }) { repository, _ async throws in
            let reads: [@Sendable () async throws -> Void] = [
                { _ = try await repository.profiles(Self.search) }, { _ = try await repository.count() },
                { _ = try await repository.statistics() },
            ]
            for read in reads {
                let start = ContinuousClock.now
                let error = await #expect(throws: ProfileStoreError.self) { try await read() }
                // The deadline is that of the whole call, which may read something else first.
                #expect(.now - start >= .milliseconds(200))
                guard case .busy(holder: nil, _)? = error?.reason else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test(
        "E6: slow reads do not keep a lane beyond their deadline while another read waits",
        arguments: [ReadLanes.Lane.count, .search])
    func slow(in lane: ReadLanes.Lane) async throws {
        let repository = try await store.open()
        for number in 0..<32 { try await repository.register("abel\(number)") }
        let session = try #require(repository.engine as? SQLiteEngine).session
        let tables = (0..<10).map { "profiles AS p\($0)" }.joined(separator: ", ")
        let begun = Begun()
        let start = ContinuousClock.now
        let tasks = (0..<lane.threads).map { _ in
            Task { () -> ProfileStoreError? in
                do throws(ProfileStoreError) {
                    try await CallDeadline.within(.milliseconds(50)) { () throws(ProfileStoreError) in
                        try await session.readAtLength(in: lane) { connection in
                            begun.count.wrappingAdd(1, ordering: .relaxed)
                            // Takes ages.
                            try connection.run("SELECT count(*) FROM \(tables)")
                        }
                    }
                    return nil
                } catch {
                    return error
                }
            }
        }
        // The slow reads go on, because no other read waits.
        try await waitUntil {
            begun.count.load(ordering: .relaxed) == lane.threads && .now - start > .milliseconds(200)
        }
        if lane == .count {
            #expect(try await repository.count() == 32)
        } else {
            #expect(try await repository.profiles(Self.search).profiles.count == 32)
        }
        // One of them has made room, and the others still run.
        #expect(begun.count.load(ordering: .relaxed) == lane.threads)
        for task in tasks { task.cancel() }
        var problems: [ProfileStoreError?] = []
        for task in tasks { problems.append(await task.value) }
        let busy = problems.filter { $0?.code == .busy }
        #expect(!busy.isEmpty && problems.allSatisfy { [.busy, .cancelled].contains($0?.code) }, "\(problems)")
        await repository.close()
    }

    private final class Begun: Sendable {
        let count = Atomic(0)
    }

    @Test func `E6: a read whose task is cancelled leaves the queue at once`() async throws {
        try await occupied([.search]) { repository, session async throws in
            let task = Task { try await repository.profiles(Self.search) }
            try await waitUntil { session.lanes[.search].waiting == 1 }
            task.cancel()
            await #expect(throws: ProfileStoreError.cancelled) { try await task.value }
            #expect(session.lanes[.search].waiting == 0)
        }
    }
}
