import PowerLoss
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// What a store holds after a power failure at any moment of anything that changes it.
@Suite(.watched(for: .seconds(300)), .unsanitized) struct PowerLossTests {
    @Test(arguments: StoreScenario.some(oneIn: 1))
    func `after a power failure nothing acknowledged is missing, and nothing is half there`(
        scenario: StoreScenario
    ) async throws {
        let store = try scenario.makeFolder()
        let run = try RecordedRun([["DiskExerciser", "run", store.directory] + scenario.steps], in: store.directory)
        var check = try await PowerLossCheck(scenario.testDescription, run)
        var generator = SeededGenerator(printingSeedOf: "power loss while \(scenario.testDescription)")
        try await check.cutPower(&generator, atMost: scenario.mostImages, each: Length.isLong ? 12 : 2)
        print("\(scenario.testDescription): \(check.counts)")
        for finding in check.findings { Issue.record("\(finding)") }
        if let states = scenario.states { #expect(check.states(of: "profiles.sqlite").count == states) }
    }

    @Test(arguments: RecordedRun.Synced.allCases) func `a sync that is left out is found`(
        synced: RecordedRun.Synced
    ) async throws {
        let store = try TemporaryStore(engine: .sqlite)
        let run = try RecordedRun(
            [["DiskExerciser", "run", store.directory, "create", "register:abel", "close"]], in: store.directory)
        var check = try await PowerLossCheck("without syncs of \(synced)", run.leavingOutSyncs(of: synced))
        var generator = SeededGenerator(printingSeedOf: "power loss without syncs of \(synced)")
        try await check.cutPower(&generator, atMost: 60, each: 2)
        #expect(!check.findings.isEmpty)
    }
}

extension StoreScenario {
    /// About how many disk images a test checks; nil for all possible ones.
    fileprivate var mostImages: Int? { Length.isLong ? (stepBetweenFaults == 1 ? nil : 1_000) : 15 }
}
