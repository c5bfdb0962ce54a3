import PowerLoss
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// What a store holds after a power failure at any moment of anything that changes it.
@Suite(.watched(for: .seconds(300)), .unsanitized) struct PowerLossTests {
    @Test(arguments: StoreScenario.all)
    func `after a power failure nothing acknowledged is missing, and nothing is half there`(
        scenario: StoreScenario
    ) async throws {
        let store = try scenario.makeFolder()
        let run = try RecordedRun([["DiskExerciser", "run", store.directory] + scenario.steps], in: store.directory)
        var check = try await PowerLossCheck(scenario.testDescription, run)
        var generator = SeededGenerator(printingSeedOf: "power loss while \(scenario.testDescription)")
        try await check.cutPower(&generator, atMost: Length.isLong ? nil : 20, each: Length.isLong ? 8 : 2)
        print(
            "\(scenario.testDescription): \(check.moments) moments, \(check.images) images of \(run.events.count) events, "
            + "\(check.states(of: "profiles.sqlite").count) states")
        if let states = scenario.states { #expect(check.states(of: "profiles.sqlite").count == states) }
    }
}
