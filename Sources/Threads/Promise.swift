/// A value that any thread can provide and that one task waits for.
///
/// The value may be provided before the wait begins. So a task can pass the promise to other code first and wait later.
/// The promise keeps an early value for the task. ``value(onCancel:)`` also reports a cancellation that came before the
/// wait.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        /// The continuation is removed from this state before it is resumed, so it is resumed only once.
        case awaited(UnsafeContinuation<Value, Never>)
        case fulfilled(Value)
        case delivered
    }

    private let state = Locked(State.open)

    package init() {}

    /// Provides the value. Only the first call has an effect.
    package func fulfill(with value: Value) {
        let waiting = state.withLock { state -> UnsafeContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .fulfilled(value)
                return nil
            case .awaited(let continuation):
                // The promise keeps no copy of the value: from now on, only the task owns the value.
                state = .delivered
                return continuation
            case .fulfilled, .delivered: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// Waits for the value, even if the task is cancelled. Only one task may wait, and only once.
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
    /// - Parameter cancelled: Called if the task is cancelled before or during the wait. The function must make sure
    ///   that the promise is fulfilled: by itself, or later by other code.
    /// - Returns: The value.
    package func value(onCancel cancelled: @Sendable () -> Void) async -> Value {
        await withTaskCancellationHandler(operation: { await value }, onCancel: cancelled)
    }
}

extension Promise where Value == Void {
    /// Fulfills a promise that carries no value.
    package func fulfill() { fulfill(with: ()) }
}
