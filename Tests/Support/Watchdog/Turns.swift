internal import Platform
internal import Synchronization

/// Whose turn it is. A few tests run beside each other; those that have to be alone come last, one after another.
///
/// Swift Testing begins all tests at once, with all of their cases. Here they wait for their turn, so that their time
/// does not run out meanwhile, and so that those that block a thread find one (``TestThreads``).
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
