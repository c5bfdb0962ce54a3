import ProfileCore
@testable import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// A store in a file and one in memory are asked the same, in any order. The one in memory says what the answer should
/// be.
@Suite(.onlyOnSQLite("compares a file with memory"), .watched(for: .seconds(600))) struct EngineModelTests {
    @Test func `a store in a file answers as one in memory does, and holds the same in the end`() async throws {
        let seeds = SeededGenerator(printingSeedOf: "a file and memory")
        for round in 0..<rounds(8) {
            let seed = seeds.seed &+ UInt64(round)
            var steps = RandomVerbs(SeededGenerator(seed: seed))
            let store = try TemporaryStore()
            let options = store.options {
                $0.initialSchema = RandomVerbs.schemas[0]
                $0.hashingThreads = 1
                $0.mostChanges = steps.mostChanges
                $0.mostUnknownNames = 3
            }
            let file = try await ProfileRepository.open(at: store.path, options: options)
            let memory = try await ProfileRepository.openInMemory(options: options)
            for step in 0..<200 {
                let verb = steps.next(at: store.clock.timestamp)
                let found = await verb.outcome(on: file)
                let expected = await verb.outcome(on: memory)
                try #require(found == expected, "PROFILES_TEST_SEED=\(seed), step \(step): \(verb.name)")
                store.clock.advance(by: .milliseconds(steps.pause()))
            }
            for verb in steps.everything(at: store.clock.timestamp) {
                let found = await verb.outcome(on: file)
                try #require(found == (await verb.outcome(on: memory)), "PROFILES_TEST_SEED=\(seed): \(verb.name)")
            }
            await file.close()
            await memory.close()
        }
    }
}
