import Platform
import PowerLoss
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// What a store contains after a system call has failed. Each call fails in turn, once or from then on.
@Suite(.watched(for: .seconds(600)), .unsanitized) struct CallFaultTests {
    @Test(arguments: StoreScenario.some(oneIn: 3))
    func `after a failed call the store opens, and holds what it held before the step or after it`(
        scenario: StoreScenario
    ) async throws {
        let store = try scenario.makeFolder()
        let rounds = try TemporaryFolder("call-faults")
        let base = try CrashImage(Disk(store.directory), losing: .nothing)
        let loop = try FaultLoop(in: rounds.path)
        let run = try RecordedRun([["DiskExerciser", "run", store.directory] + scenario.steps], in: store.directory)
        let states = try await PowerLossCheck(scenario.testDescription, run)
        var generator = SeededGenerator(printingSeedOf: "failing calls while \(scenario.testDescription)")
        var faults = 0
        var unnoticed = 0
        for fault in FaultLoop.Fault.allCases {
            for once in [true, false] {
                let step = Length.isLong ? scenario.stepBetweenFaults : fault == .error ? 71 : 37
                var after = Length.isLong ? 0 : Int.random(in: 0..<step, using: &generator)
                while true {
                    let folder = "\(rounds.path)/\(fault.rawValue)-\(once)-\(after)"
                    try #require(mkdir(folder, 0o700) == 0)
                    defer { SmallFile.removeAll(folder) }
                    try base.write(to: folder)
                    let outcome = try loop.run(scenario.steps, in: folder, fault, after: after, once: once)
                    guard outcome.failures > 0 else { break }
                    faults += 1
                    if outcome.error == nil { unnoticed += 1 }
                    let place =
                        "\(scenario.testDescription), \(fault)\(once ? " once" : "") after \(after): \(outcome.shortened)"
                    try await verify(folder, outcome, states, place)
                    after += step
                }
            }
        }
        print("\(scenario.testDescription): \(faults) faults, \(unnoticed) without an error")
    }

    private func verify(
        _ folder: String, _ outcome: FaultLoop.Outcome, _ states: PowerLossCheck, _ place: String
    ) async throws {
        let contents: FolderContents
        do {
            contents = try await FolderContents(of: folder)
        } catch {
            Issue.record("\(place): \(error)")
            return
        }
        for part in states.parts.union(contents.parts.keys) {
            // A process whose calls all fail cannot remove its temporary files.
            if FolderContents.isTemporary(part), outcome.error != nil { continue }
            let found = contents.parts[part].map(FolderContents.comparable)
            let allowed = states.states(of: part, afterSteps: outcome.finished, nextHasBegun: outcome.error != nil)
            guard !allowed.contains(found) else { continue }
            Issue.record("\(place): \(part) holds \(found?.prefix(1_500) ?? "nothing: it is not there")")
        }
        do { try await FolderUse.registerOneMore(in: folder) } catch { Issue.record("\(place): then \(error)") }
    }
}

extension FaultLoop.Outcome {
    fileprivate var shortened: String { "\(failures) failed, step \(finished), \(error?.prefix(300) ?? "no error")" }
}
