internal import Platform
internal import Synchronization

/// Decides when each test runs. A few tests run at the same time. Tests that must run alone come last, one after
/// another.
///
/// Swift Testing begins all cases of all tests at once. In `take`, the cases wait for their turn. The time limit of a
/// case begins only at its turn. A case that blocks a thread has a free one, because only a few cases run at a time
/// (``TestThreads``).
final class Turns: Sendable {
    static let shared = Turns()

    /// Many tests wait for a process or a timer, so there may be more of them than cores.
    static let places = 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private struct State {
        var runningCount = 0
        var someoneIsAlone = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var waitingToBeAlone: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs a case of a test when its turn has come.
    func take(alone: Bool, _ body: () async throws -> Void) async rethrows {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if alone { state.waitingToBeAlone.append(continuation) } else { state.waiting.append(continuation) }
                Self.giveTurns(&state)
            }
        }
        defer {
            state.withLock { state in
                state.runningCount -= 1
                state.someoneIsAlone = false
                Self.giveTurns(&state)
            }
        }
        try await withTaskExecutorPreference(TestThreads.shared) { try await body() }
    }

    private static func giveTurns(_ state: inout State) {
        while !state.someoneIsAlone, state.runningCount < places, !state.waiting.isEmpty {
            state.runningCount += 1
            state.waiting.removeFirst().resume()
        }
        if state.runningCount == 0, !state.waitingToBeAlone.isEmpty {
            state.runningCount = 1
            state.someoneIsAlone = true
            state.waitingToBeAlone.removeFirst().resume()
        }
    }
}
