internal import Synchronization

/// The time that a task has waited for a thread or a lock. It is measured only within ``measuring(_:)``.
package final class WaitingTime: Sendable {
    /// The waiting time of the current task; nil outside ``measuring(_:)``.
    @TaskLocal private static var current: WaitingTime?

    private let sum = Locked(Duration.zero)

    /// The outcome of an operation, its duration, and its waiting time. The waiting time is a part of the duration.
    package struct Measured<Value, Failure: Error> {
        package let outcome: Result<Value, Failure>
        package let duration: Duration
        package let waited: Duration
    }

    /// Runs `body` and measures it.
    package static func measuring<Value, Failure>(
        _ body: () async throws(Failure) -> Value
    ) async -> Measured<Value, Failure> {
        let time = WaitingTime()
        let start = ContinuousClock.now
        let outcome: Result<Value, Failure> = await $current.withValue(time) {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        return Measured(outcome: outcome, duration: .now - start, waited: time.sum.withLock { $0 })
    }

    /// Begins a wait of the current task; returns nil if the time is not measured.
    package static func begin() -> Wait? { current.map { Wait(addingTo: $0) } }

    /// One wait. The wait begins when this object is created, and ends at the first call of `end()`.
    package final class Wait: Sendable {
        private let time: WaitingTime
        private let start = ContinuousClock.now
        private let isOver = Atomic(false)

        fileprivate init(addingTo time: WaitingTime) { self.time = time }

        /// Ends the wait. Later calls do nothing.
        package func end() {
            guard !isOver.exchange(true, ordering: .relaxed) else { return }
            let waited = ContinuousClock.now - start
            time.sum.withLock { $0 += waited }
        }
    }
}
