internal import Dispatch
internal import Synchronization
internal import Threads

/// The threads on which tests run.
///
/// Swift's executor has only one thread for each core. A test that waits for a process would block such a thread, and
/// other tests could not use it.
final class TestThreads: TaskExecutor {
    static let shared = TestThreads()

    /// Twice the number of tests that run at the same time, because several tasks of one test may block a thread each.
    private static let count = 2 * Turns.places

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {
        for _ in 0..<Self.count {
            // The threads inherit the signal mask of Swift's threads, because a child process inherits the mask of the
            // thread that starts it.
            do throws(ThreadError) {
                _ = try SystemThread(blockingSignals: false) { Self.shared.work() }
            } catch {
                fatalError("No thread for tests: \(error)")
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    private func work() {
        while true {
            arrivals.wait()
            let job = jobs.withLock { $0.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
