internal import Dispatch
internal import Synchronization
internal import Threads

/// The threads on which tests run.
///
/// Swift's own are as few as the cores, and a test that waits for a process would keep one from all others.
final class TestThreads: TaskExecutor {
    static let shared = TestThreads()

    /// Twice as many as tests run at once: the tasks of a test may block a thread each.
    private static let count = 2 * Turns.places

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {
        for _ in 0..<Self.count {
            // They take the signals that Swift's threads do, since a process has them from the thread that starts it.
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
