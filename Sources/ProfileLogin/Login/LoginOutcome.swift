internal import Synchronization

/// The outcome of one attempt to log in: the first that it is decided by, and no other.
final class LoginOutcome: Sendable {
    typealias Value = Result<LoggedInProfile, LoginError>

    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case decided(Value)
    }

    private let state = Mutex(State.open)

    /// Decides it, unless it is decided already.
    func decide(_ value: Value) {
        let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .decided: return nil
            case .open:
                state = .decided(value)
                return nil
            case .awaited(let continuation):
                state = .decided(value)
                return continuation
            }
        }
        waiting?.resume(returning: value)
    }

    /// What it was decided by, now or later; one task may wait.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let known: Value? = state.withLock { state in
                    if case .decided(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
