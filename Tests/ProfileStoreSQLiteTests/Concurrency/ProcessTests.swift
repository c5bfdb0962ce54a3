import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Several processes at one store. `PROFILES_TEST_LONG=1` gives them ten seconds each.
@Suite(.serialized, .watched(for: .seconds(300))) struct ProcessTests {
    private let store: TemporaryStore

    init() async throws {
        store = try TemporaryStore()
        let repository = try await store.open()
        try await repository.register("shared", ["address": "0", "password_hash": People.weakHash])
        await repository.close()
    }

    /// The count that each child printed. If a child met an error, its count is -1.
    private func counts(_ children: [ExerciserProcess]) async -> [Int] {
        var counts: [Int] = []
        for child in children {
            let outcome = await child.finish()
            #expect(outcome.code == 0, "\(outcome.lines)")
            #expect(outcome.lines.count == 1, "\(outcome.lines)")
            counts.append(outcome.lines.first.flatMap { Int($0) } ?? -1)
        }
        return counts
    }

    /// Every acknowledged profile is there, and no other.
    private func expectProfiles(_ prefixes: [String], _ counts: [Int]) async throws {
        let repository = try await ProfileRepository.open(at: store.path)
        var expected: Set<String> = ["shared"]
        for (prefix, count) in zip(prefixes, counts) {
            for number in 0..<max(0, count) { expected.insert("\(prefix)\(number)") }
        }
        let found = try await repository.usernames()
        #expect(found.count == expected.count)
        #expect(Set(found) == expected)
        #expect(try store.number("SELECT next_profile_id - 1 FROM store") == Int64(expected.count))
        let check = try await repository.check()
        #expect(check.isSound, "\(check)")
        await repository.close()
    }

    @Test func `R4: of eight processes that register and edit at once, none is busy and nothing is lost`() async throws
    {
        let prefixes = ["a", "b", "c", "d", "e", "f", "g", "h"]
        let seconds = Length.seconds(2, long: 10)
        let children = try prefixes.map { try ExerciserProcess("register-and-edit", store.path, $0, seconds) }
        let counts = await counts(children)
        #expect(counts.allSatisfy { $0 > 0 }, "everyone has had a turn: \(counts)")
        let edits = counts.reduce(0, +)
        let repository = try await ProfileRepository.open(at: store.path)
        let shared = try #require(try await repository.profile(username: "shared"))
        #expect(shared[.address] == String(edits))
        #expect(shared.revision == Int64(edits) + 1)
        await repository.close()
        try await expectProfiles(prefixes, counts)
    }

    @Test func `writers lose nothing while others open, close and so checkpoint all the time`() async throws {
        let seconds = Length.seconds(2, long: 20)
        let writers = ["a", "b"]
        let closers = ["x", "y", "z"]
        let children =
            try writers.map { try ExerciserProcess("register-and-edit", store.path, $0, seconds) }
            + closers.map { try ExerciserProcess("reopen", store.path, $0, seconds) }
        let reader = try ExerciserProcess("open", store.path, seconds)
        let counts = await counts(children)
        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
        #expect(await self.counts([reader]).allSatisfy { $0 > 0 })
        try await expectProfiles(writers + closers, counts)
    }

    @Test func `S7: a store can be opened at any moment of an adoption`() async throws {
        let seconds = Length.seconds(2, long: 10)
        let adopter = try ExerciserProcess("adopt", store.path, seconds)
        let others = try [
            ExerciserProcess("open", store.path, seconds), ExerciserProcess("open", store.path, seconds),
            ExerciserProcess("reopen", store.path, "x", seconds),
        ]
        let adopted = await counts([adopter])
        let counts = await counts(others)
        #expect(counts.allSatisfy { $0 > 0 })
        try await expectProfiles(["x"], [counts[2]])
        #expect(try store.number("SELECT count(*) FROM schemas") == Int64(adopted[0] + 1))
    }

    @Test func `a writer that is killed gives the lock back, and what it committed is there`() async throws {
        let child = try ExerciserProcess("register-and-edit", store.path, "a", "60")
        let repository = try await store.open()
        try await waitUntil { try await repository.profile(username: "a20") != nil }
        child.kill()
        #expect(await child.finish().code == 128 + SIGKILL)
        try await repository.register("after")
        let there = try await repository.usernames()
        #expect(there.starts(with: ["shared", "a0", "a1", "a2"]))
        #expect(try await repository.check().isSound)
        await repository.close()
    }

    @Test func `E2, H9: all acknowledged changes of 64 tasks are there after their process is killed`() async throws {
        for round in 0..<8 {
            let store = try TemporaryStore()
            await (try store.open()).close()
            let child = try ExerciserProcess("register-together", store.path, "64")
            var answered: [String] = []
            // In each round the process makes more changes before it is killed.
            while answered.count < 150 + 37 * round, let line = child.nextLine() { answered.append(line) }
            child.kill()
            let outcome = await child.finish()
            #expect(outcome.code == 128 + SIGKILL)
            answered = (answered + outcome.lines).filter { $0.hasSuffix(".") }.map { String($0.dropLast()) }
            #expect(answered.count >= 150)

            let repository = try await store.open()
            let there = Set(try await repository.usernames())
            #expect(Set(answered).subtracting(there).isEmpty, "round \(round)")
            // Each of the 64 tasks may have had one more change under way.
            #expect(there.count <= answered.count + 64)
            #expect(try await repository.check().isSound)
            await repository.close()
        }
    }
}
