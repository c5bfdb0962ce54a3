internal import Threads

/// A pool of a few threads that compute hashes, with a bounded queue (P11).
///
/// A hash uses a core and about 19 MiB for tens of milliseconds. If hashes were computed on Swift's cooperative
/// threads, they would block all other tasks. If each hash had its own thread, many simultaneous logins would use all
/// memory.
package final class HashingPool: Sendable {
    private let threads: ThreadPool

    /// Creates a pool. The threads of the pool start when there is work, and they end with the pool.
    ///
    /// - Parameters:
    ///   - threads: The maximum number of hashes that run at the same time, at least one.
    ///   - queueLimit: The maximum number of waiting jobs, at least one.
    package init(threads: Int, queueLimit: Int) {
        self.threads = ThreadPool(threads: threads, queueLimit: queueLimit)
    }

    /// The number of jobs that wait for a thread.
    package var waiting: Int { threads.waiting }

    /// Runs work on one of the threads.
    ///
    /// If the task is cancelled, waiting work is dropped. Work that has already begun is completed.
    ///
    /// - Throws: `HashingError.busy` immediately if the queue is full, `.cancelled`, `.noThread`, or the error of the
    ///   work.
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
