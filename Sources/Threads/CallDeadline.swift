/// The deadline of a call: all that the call does shares it, however many transactions, attempts and retries that takes.
///
/// It belongs to the task, so no function on the way has to hand it on. The outermost call sets it, and every call
/// within keeps to it.
package enum CallDeadline {
    @TaskLocal private static var current: ContinuousClock.Instant?

    /// The shortest time that anything gets, so that what is free is found free when the deadline is near or over.
    package static let leastTime = Duration.milliseconds(50)
    /// A longer time would overflow sums.
    private static let mostTime = Duration.seconds(1_000_000_000)

    /// Returns the deadline of the call that the task runs, or that of a call which begins now and may take `limit`. It is
    /// never nearer than ``leastTime``.
    package static func orFromNow(_ limit: Duration) -> ContinuousClock.Instant {
        guard let current else { return fromNow(limit) }
        return max(current, .now + leastTime)
    }

    /// Returns the deadline of something that begins now and may take `limit`, whatever call it is in.
    package static func fromNow(_ limit: Duration) -> ContinuousClock.Instant {
        .now + min(max(limit, leastTime), mostTime)
    }

    /// Whether the call that the task runs has used up its time.
    package static var isOver: Bool { current.map { $0 <= .now } ?? false }

    /// Runs `body` as one call that may take `limit`. Within another call it has that one's deadline.
    package static func within<Value, Failure>(
        _ limit: Duration, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard current == nil else { return try await body() }
        return try await at(fromNow(limit), body)
    }

    /// Runs `body` with this deadline, or with none for a nil one: then what it does sets deadlines of its own.
    package static func at<Value, Failure>(
        _ deadline: ContinuousClock.Instant?, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await $current.withValue(deadline) {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
