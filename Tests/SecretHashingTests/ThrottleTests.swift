import SecretHashing
import Testing
import Watchdog

@Suite(.watched) struct ThrottleTests {
    private let start: Int64 = 1_700_000_000_000

    @Test func `P9: five attempts are free, then the delay doubles from one second to fifteen minutes`() {
        var state = ThrottleState()
        var now = start
        for _ in 1...5 { #expect(state.admit(at: now) == .admitted) }
        for expected in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900] as [Int64] {
            #expect(state.admit(at: now) == .wait(milliseconds: expected * 1000))
            #expect(state.admit(at: now + expected * 1000 - 1) == .wait(milliseconds: 1))
            now += expected * 1000
            #expect(state.admit(at: now) == .admitted)
        }
        #expect(state.failures == 18)
    }

    @Test func `P9: 200 guesses at the same moment cost five hashes`() {
        var state = ThrottleState()
        let admitted = (0..<200).count { _ in state.admit(at: start) == .admitted }
        #expect(admitted == 5)
    }

    @Test func `P9: a hundred failures in a row lock, however slowly they came`() {
        var state = ThrottleState()
        var now = start
        var admitted = 0
        for _ in 0..<500 {
            if state.admit(at: now) == .admitted { admitted += 1 }
            now += ThrottleState.longestDelay
        }
        #expect(admitted == 100)
        #expect(state.admit(at: .max) == .locked)
        #expect(ThrottleState(failures: .max, blockedUntil: 0).failures == 100)

        state.succeeded()
        #expect(state == ThrottleState())
        #expect(state.admit(at: now) == .admitted)
    }

    @Test func `P9: a success resets, and an attempt that is throttled counts for nothing`() {
        var state = ThrottleState()
        for _ in 1...5 { _ = state.admit(at: start) }
        for _ in 1...50 { #expect(state.admit(at: start) == .wait(milliseconds: 1000)) }
        #expect(state.failures == 5)
        #expect(state.admit(at: start + 1000) == .admitted)
        state.succeeded()
        for _ in 1...5 { #expect(state.admit(at: start + 1001) == .admitted) }
        #expect(state.admit(at: start + 1001) == .wait(milliseconds: 1000))
    }

    @Test func `P9: a restored state goes on where it stopped`() {
        var state = ThrottleState()
        for _ in 1...5 { _ = state.admit(at: start) }
        var restored = ThrottleState(failures: state.failures, blockedUntil: state.blockedUntil)
        #expect(restored == state)
        #expect(restored.admit(at: start + 400) == .wait(milliseconds: 600))
    }

    @Test func `P9: a clock that was set back does not lock out a user for longer than the delay`() {
        var state = ThrottleState(failures: 40, blockedUntil: start)
        let yearBefore = start - 365 * 24 * 3600 * 1000
        #expect(state.admit(at: yearBefore) == .wait(milliseconds: ThrottleState.longestDelay))
        #expect(state.admit(at: yearBefore + ThrottleState.longestDelay) == .admitted)

        var mild = ThrottleState(failures: 5, blockedUntil: start)
        #expect(mild.admit(at: yearBefore) == .wait(milliseconds: 1000))
    }

    @Test func `P9: no stored state and no time of the clock makes the throttle trap`() {
        for failures in [Int.min, -1, 0, 5, 99, Int.max] {
            for blockedUntil in [Int64.min, 0, Int64.max] {
                for now in [Int64.min, -1, 0, Int64.max] {
                    var state = ThrottleState(failures: failures, blockedUntil: blockedUntil)
                    let decision = state.admit(at: now)
                    if case .wait(let milliseconds) = decision {
                        #expect((1...ThrottleState.longestDelay).contains(milliseconds))
                    }
                    #expect((decision == .locked) == (failures == .max))
                }
            }
        }
    }
}
