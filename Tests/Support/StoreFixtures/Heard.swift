internal import Dispatch
internal import Synchronization

/// Counts beeps, and lets a test wait for them or hold their handler back.
package final class Heard: Sendable {
    private let counter = Mutex(0)
    private let arrivals = DispatchSemaphore(value: 0)
    private let gate = DispatchSemaphore(value: 0)

    package init() {}

    package var count: Int { counter.withLock { $0 } }

    /// A handler that counts.
    package var handler: @Sendable () -> Void {
        { [self] in
            counter.withLock { $0 += 1 }
            arrivals.signal()
        }
    }

    /// A handler that first reports its call to ``wait()``, then waits for ``letGo(times:)``, and then counts.
    package var heldHandler: @Sendable () -> Void {
        { [self] in
            arrivals.signal()
            gate.wait()
            counter.withLock { $0 += 1 }
        }
    }

    /// Waits until a handler is called once more. Returns false after 30 seconds without a call.
    package func wait() -> Bool { arrivals.wait(timeout: .now() + 30) == .success }

    package func wait(times: Int) -> Bool { (0..<times).allSatisfy { _ in wait() } }

    package func letGo(times: Int = 1) { for _ in 0..<times { gate.signal() } }
}
