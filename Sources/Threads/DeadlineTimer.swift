internal import Dispatch

/// Calls functions at moments of the clock that deadlines are measured by.
///
/// It has a thread of its own while it calls one: the threads of the global queues may all be blocked.
package final class DeadlineTimer: Sendable {
    private let queue: DispatchQueue

    /// Makes a timer.
    ///
    /// - Parameter label: Names its queue to debuggers.
    package init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Calls `body` once a moment has come; at once if it has passed.
    package func call(at moment: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        let remaining = max(.zero, min(moment - .now, Self.longest)).components
        let nanoseconds = Int(remaining.seconds) * 1_000_000_000 + Int(remaining.attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
    }

    /// A time in nanoseconds must not overflow.
    private static let longest = Duration.seconds(1_000_000_000)
}
