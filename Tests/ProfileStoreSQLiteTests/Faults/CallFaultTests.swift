import Platform
import PowerLoss
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// What a store holds after a call of the system has failed: each call in turn, once or from then on.
@Suite(.watched(for: .seconds(600)), .unsanitized) struct CallFaultTests {
    @Test(arguments: StoreScenario.all)
    func `after a failed call the store opens, and holds what it held before the step or after it`(
        scenario: StoreScenario
    ) async throws {
        let store = try scenario.makeFolder()
        let rounds = try TemporaryFolder("call-faults")
        let base = try CrashImage(Disk(store.directory), losing: .nothing)
        let loop = try FaultLoop(in: rounds.path)
        let states = try await expectedStates(scenario, base, loop, rounds.path)
        var generator = SeededGenerator(printingSeedOf: "failing calls while \(scenario.testDescription)")
        var faults = 0
        var unnoticed = 0
        for fault in FaultLoop.Fault.allCases {
            for once in [true, false] {
                let step = Length.isLong ? 1 : fault == .error ? 61 : 31
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
                    let place = "\(scenario.testDescription), \(fault)\(once ? " once" : "") after \(after): \(outcome)"
                    try await verify(folder, outcome, states, scenario, place)
                    after += step
                }
            }
        }
        print("\(scenario.testDescription): \(faults) faults, \(unnoticed) without an error")
    }

    private func verify(
        _ folder: String, _ outcome: FaultLoop.Outcome, _ states: [FolderContents], _ scenario: StoreScenario,
        _ place: String
    ) async throws {
        let contents: FolderContents
        do {
            contents = try await FolderContents(of: folder).comparable
        } catch {
            Issue.record("\(place): \(error)")
            return
        }
        let allowed = outcome.error == nil ? [states[states.count - 1]] : states[outcome.finished...].prefix(2)
        guard !allowed.contains(contents) else { return }
        // A part of the files may be ahead of another.
        for (part, text) in contents.parts where !allowed.contains(where: { $0.parts[part] == text }) {
            let known = states.lastIndex { $0.parts[part] == text }
            Issue.record("\(place): \(part) holds \(known.map(String.init) ?? "no state"): \(text.prefix(1_500))")
        }
        for part in Set(allowed.flatMap { $0.parts.keys }) where contents.parts[part] == nil {
            if allowed.allSatisfy({ $0.parts[part] != nil }) { Issue.record("\(place): \(part) is not there") }
        }
    }

    /// The contents before the first step and after each.
    private func expectedStates(
        _ scenario: StoreScenario, _ base: CrashImage, _ loop: FaultLoop, _ parent: String
    ) async throws -> [FolderContents] {
        var states: [FolderContents] = []
        for count in 0...scenario.steps.count {
            let folder = "\(parent)/state-\(count)"
            try #require(mkdir(folder, 0o700) == 0)
            defer { SmallFile.removeAll(folder) }
            try base.write(to: folder)
            let outcome = try loop.run(
                Array(scenario.steps.prefix(count)), in: folder, .error, after: .max,
                once: true)
            try #require(outcome.error == nil, "\(outcome)")
            states.append(try await FolderContents(of: folder).comparable)
        }
        return states
    }
}
