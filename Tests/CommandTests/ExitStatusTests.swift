import ProfileStore
import Testing
import Threads
import Watchdog

@testable import profiles

/// The exit codes of errors that are hard to cause in a real process.
@Suite(.watched) struct ExitStatusTests {
    @Test(
        "an unknown outcome, a write on one machine, and an unavailable or busy store have exit codes",
        arguments: [
            (.outcomeUnknown(.reported("no answer")), 70, "it is not known whether the write was stored: no answer"),
            (.storedOnOneMachine, 74, "The write was stored, but on one machine only"),
            (.unavailable([.noAnswer(server: "a server")]), 69, "nothing was written"),
            (.busy(holder: nil, waited: .seconds(3)), 75, "no answer within 3 s"),
            (.busy(holder: nil, waited: .zero), 75, "no answer in time"),
        ] as [(ProfileStoreError, Int32, String)])
    func status(error: ProfileStoreError, status: Int32, text: String) throws {
        let failure = try #require(CommandFailure(error as any Error))
        #expect(failure.status.rawValue == status)
        #expect(failure.lines.first?.contains(text) == true, "\(failure.lines)")
        // The messages of 70 and 74 say what to do, so that no program repeats a write that was stored.
        #expect(failure.lines.contains { $0.hasPrefix("Look up the result") } == (status == 70))
        #expect(failure.lines.contains { $0.hasPrefix("Do not repeat it") } == (status == 74))
    }

    @Test func `an error within a write of many profiles does not say that nothing was written`() {
        let stopped = CommandFailure(.cancelled, after: "3 profiles edited")
        #expect(stopped.status.rawValue == 130)
        #expect(stopped.lines == ["Interrupted: 3 profiles edited, and then it stopped"])
        let busy = CommandFailure(.busy(holder: nil, waited: .seconds(3)), after: "3 profiles edited")
        #expect(busy.status.rawValue == 75 && busy.lines.first == "3 profiles edited, and then it stopped")
        #expect(CommandFailure(.cancelled, after: nil).lines == ["Interrupted; nothing was written"])
    }

    @Test func `--wait limits a whole command if the command asks for it, and otherwise each call`() async throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        var options = StoreOptions.plain(database: "\(workplace.folder)/store.sqlite")
        options.wait = 5
        let start = ContinuousClock.now
        let deadlines = try await options.withStore("edit", inOneCall: true) { _ in
            // Both calls of the work have the deadline that was set before the store was opened.
            let first = CallDeadline.orFromNow(.seconds(60))
            return (first, CallDeadline.orFromNow(.seconds(60)))
        }
        #expect(deadlines.0 == deadlines.1)
        #expect(deadlines.0 > start && deadlines.0 < .now + .seconds(5))
        let other = try await options.withStore("import") { _ in CallDeadline.orFromNow(.seconds(60)) }
        #expect(other > start + .seconds(59))
    }
}
