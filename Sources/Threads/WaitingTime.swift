internal import Synchronization

/// How long a task has waited for its turn, be it for a thread or for a lock. It is added up only where somebody wants to
/// know.
package final class WaitingTime: Sendable {
    /// That of what the task does now; nil where nobody wants to know.
    @TaskLocal private static var current: WaitingTime?

    private let sum = Mutex(Duration.zero)

    /// What came of something, how long it took, and how much of that was waiting.
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

    /// Begins a wait of the current task; nil where nobody wants to know.
    package static func begin() -> Wait? { current.map { Wait(addingTo: $0) } }

    /// One wait, from when it is made to its first end.
    package final class Wait: Sendable {
        private let time: WaitingTime
        private let start = ContinuousClock.now
        private let isOver = Atomic(false)

        fileprivate init(addingTo time: WaitingTime) { self.time = time }

        /// Ends it. Ending it again does nothing.
        package func end() {
            guard !isOver.exchange(true, ordering: .relaxed) else { return }
            let waited = ContinuousClock.now - start
            time.sum.withLock { $0 += waited }
        }
    }
}
