internal import Dispatch
internal import Synchronization

/// Blocks the callers of `pass()` until the test calls `open(_:)`. Counts the blocked calls and the finished calls.
package final class Gate: Sendable {
    private let running = Atomic(0)
    private let finished = Atomic(0)
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func pass() {
        running.wrappingAdd(1, ordering: .sequentiallyConsistent)
        semaphore.wait()
        running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        finished.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    package func open(_ count: Int) {
        for _ in 0..<count { semaphore.signal() }
    }

    package var isRunning: Int { running.load(ordering: .sequentiallyConsistent) }
    package var hasFinished: Int { finished.load(ordering: .sequentiallyConsistent) }
}
