/// The deadline of a call. All transactions of the call, and all their retries, share it.
///
/// The deadline is a task-local value, so functions need not pass it as a parameter. The outermost call sets it, and
/// nested calls keep it.
package enum CallDeadline {
    @TaskLocal private static var current: ContinuousClock.Instant?

    /// The minimum timeout of every wait. Even if the deadline is near or has passed, a caller can still take a free
    /// resource.
    package static let leastTime = Duration.milliseconds(50)
    /// The maximum time of a call. A longer time could overflow when it is added to an instant.
    private static let mostTime = Duration.seconds(1_000_000_000)

    /// Returns the deadline of the current call. If the current call has no deadline, returns the current time plus
    /// `limit`. The deadline is always at least ``leastTime`` from now.
    package static func orFromNow(_ limit: Duration) -> ContinuousClock.Instant {
        guard let current else { return fromNow(limit) }
        return max(current, .now + leastTime)
    }

    /// Returns the current time plus `limit`. The deadline of the current call is ignored.
    package static func fromNow(_ limit: Duration) -> ContinuousClock.Instant {
        .now + min(max(limit, leastTime), mostTime)
    }

    /// Whether the deadline of the current call has passed; false if there is none.
    package static var isOver: Bool { current.map { $0 <= .now } ?? false }

    /// Runs `body` as a call with the time limit `limit`. If `body` runs inside another call, the deadline of the other
    /// call stays in force.
    package static func within<Value, Failure>(
        _ limit: Duration, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard current == nil else { return try await body() }
        return try await at(fromNow(limit), body)
    }

    /// Runs `body` with this deadline. If the deadline is nil, `body` has no deadline, and each call in `body` sets its
    /// own deadline.
    package static func at<Value, Failure>(
        _ deadline: ContinuousClock.Instant?, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await $current.withValue(deadline) {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
