internal import Synchronization

/// A value that one task waits for and any thread gives.
///
/// The value may come before the wait begins. So a task first hands out the promise, then waits, and misses neither the
/// value nor a cancellation in between.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        /// The continuation leaves this state before it is resumed, so it is resumed once.
        case awaited(UnsafeContinuation<Value, Never>)
        case fulfilled(Value)
        case delivered
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Gives the value. Only the first value counts.
    package func fulfill(with value: Value) {
        let waiting = state.withLock { state -> UnsafeContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .fulfilled(value)
                return nil
            case .awaited(let continuation):
                // The value is not kept here: its memory belongs to the task from now on.
                state = .delivered
                return continuation
            case .fulfilled, .delivered: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// Waits for the value, also if the task is cancelled. One task may wait, once.
    package var value: Value {
        get async {
            await withUnsafeContinuation { continuation in
                let known = state.withLock { state -> Value? in
                    if case .fulfilled(let value) = state {
                        state = .delivered
                        return .some(value)
                    }
                    state = .awaited(continuation)
                    return .none
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// Waits for the value.
    ///
    /// - Parameter cancelled: Called if the task is cancelled, or was cancelled before. It fulfills the promise, unless
    ///   the work that fulfills it cannot be taken back any more.
    /// - Returns: The value.
    package func value(onCancel cancelled: @Sendable () -> Void) async -> Value {
        await withTaskCancellationHandler(operation: { await value }, onCancel: cancelled)
    }
}

extension Promise where Value == Void {
    /// Gives the signal that a task waits for.
    package func fulfill() { fulfill(with: ()) }
}
