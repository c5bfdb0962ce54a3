import ProfileCore
@testable import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// An engine and the engine in memory get the same random calls. The answers of the engine in memory are the expected ones.
@Suite(.watched(for: .seconds(600))) struct EngineModelTests {
    @Test func `an engine answers as the engine in memory does, and holds the same in the end`() async throws {
        let seeds = SeededGenerator(printingSeedOf: "the model of an engine")
        for round in 0..<rounds(8) {
            let seed = seeds.seed &+ UInt64(round)
            var steps = RandomVerbs(SeededGenerator(seed: seed))
            let store = try TemporaryStore()
            steps.keysExpire = store.engine != .postgres
            let options = store.options {
                $0.initialSchema = RandomVerbs.schemas[0]
                $0.hashingThreads = 1
                // PostgreSQL shortens the log, the list of unknown names and the keys now and then, and not at each write.
                guard store.engine != .postgres else { return }
                $0.mostChanges = steps.mostChanges
                $0.mostUnknownNames = 3
            }
            let real = try await store.open(options)
            let model = try MemoryStore(options.initialSchema, at: store.clock.timestamp)
            let memory = try await ProfileRepository.open(model, options: options)
            var known: Set<Int64> = []
            for step in 0..<200 {
                let verb = steps.next(at: store.clock.timestamp)
                let found = await verb.outcome(on: real)
                // A verb gives ids that follow each other, but PostgreSQL reserves them in blocks. A later block may be
                // used before an earlier one, so a verb that leaves no new profile needs ids above all others.
                if store.engine == .postgres {
                    let ids = try await real.ids()
                    model.giveIDs(from: ids.subtracting(known).min() ?? (ids.max() ?? 0) + 1)
                    known = ids
                }
                let expected = await verb.outcome(on: memory)
                try #require(found == expected, "PROFILES_TEST_SEED=\(seed), step \(step): \(verb.name)")
                store.clock.advance(by: .milliseconds(steps.pause()))
            }
            for verb in steps.everything(at: store.clock.timestamp) {
                let found = await verb.outcome(on: real)
                try #require(found == (await verb.outcome(on: memory)), "PROFILES_TEST_SEED=\(seed): \(verb.name)")
            }
            await real.close()
            await memory.close()
        }
    }
}

extension ProfileRepository {
    fileprivate func ids() async throws -> Set<Int64> {
        Set(try await engine.scan(StoreScan(fields: [], mostRows: .max, mostBytes: .max)).rows.map(\.id))
    }
}
