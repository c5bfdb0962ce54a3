internal import Threads

/// A few threads of our own on which hashes are computed, with a bounded queue before them (P11).
///
/// A hash holds a core and some 19 MiB for tens of milliseconds. On Swift's cooperative threads it would keep
/// everything else from running; with a thread each, a burst of log-ins would take all memory.
package final class HashingPool: Sendable {
    private let threads: ThreadPool

    /// Prepares a pool; threads start when there is work for them, and end with the pool.
    ///
    /// - Parameters:
    ///   - threads: how many hashes may run at once, at least one.
    ///   - queueLimit: how many may wait, at least one.
    package init(threads: Int, queueLimit: Int) {
        self.threads = ThreadPool(threads: threads, queueLimit: queueLimit)
    }

    /// How many jobs wait for a thread.
    package var waiting: Int { threads.waiting }

    /// Runs work on one of the threads.
    ///
    /// Cancelling the task drops work that still waits; work that has begun is finished.
    ///
    /// - Throws: `HashingError.busy` at once where the queue is full, `.cancelled`, `.noThread`, or what the work throws.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(HashingError) -> Value
    ) async throws(HashingError) -> Value {
        try await threads.run(work) { refusal in
            switch refusal {
            case .busy, .expired: .busy
            case .cancelled: .cancelled
            case .noThread(let code): .noThread(code: code)
            }
        }
    }
}
