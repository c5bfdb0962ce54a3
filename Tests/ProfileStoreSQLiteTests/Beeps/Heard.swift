import Dispatch
import Synchronization

/// Counts beeps, and lets a test wait for them or hold their handler back.
final class Heard: Sendable {
    private let counter = Mutex(0)
    private let arrivals = DispatchSemaphore(value: 0)
    private let gate = DispatchSemaphore(value: 0)

    var count: Int { counter.withLock { $0 } }

    /// A handler that counts.
    var handler: @Sendable () -> Void {
        { [self] in
            counter.withLock { $0 += 1 }
            arrivals.signal()
        }
    }

    /// A handler that says that it is called, then stays until it is let go, then counts.
    var heldHandler: @Sendable () -> Void {
        { [self] in
            arrivals.signal()
            gate.wait()
            counter.withLock { $0 += 1 }
        }
    }

    /// Waits until a handler was called once more; false when that does not happen.
    func wait() -> Bool { arrivals.wait(timeout: .now() + 30) == .success }

    func wait(times: Int) -> Bool { (0..<times).allSatisfy { _ in wait() } }

    func letGo(times: Int = 1) { for _ in 0..<times { gate.signal() } }
}
