internal import Dispatch

/// A timer that calls functions at given instants of the continuous clock.
///
/// The timer has its own dispatch queue, so it has its own thread while it calls a function. It does not use a global
/// queue, because all threads of the global queues may be blocked.
package final class DeadlineTimer: Sendable {
    private let queue: DispatchQueue

    /// Makes a timer.
    ///
    /// - Parameter label: The name of its queue, for debuggers.
    package init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Calls `body` at an instant, or immediately if the instant has passed.
    package func call(at moment: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        let remaining = max(.zero, min(moment - .now, Self.longest)).components
        let nanoseconds = Int(remaining.seconds) * 1_000_000_000 + Int(remaining.attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
    }

    /// The maximum delay. If a delay is longer, its number of nanoseconds could overflow.
    private static let longest = Duration.seconds(1_000_000_000)
}
