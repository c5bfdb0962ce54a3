import Dispatch
import Glibc
import Synchronization

/// A few threads of our own on which hashes are computed, with a bounded queue before them (P11).
///
/// A hash holds a core and some 19 MiB for tens of milliseconds. On Swift's cooperative threads it would keep
/// everything else from running; with a thread each, a burst of log-ins would take all memory.
package final class HashingPool: Sendable {
    private let queue: JobQueue

    /// Prepares a pool; threads start when there is work for them, and end with the pool.
    ///
    /// - Parameters:
    ///   - threads: how many hashes may run at once, at least one.
    ///   - queueLimit: how many may wait, at least one.
    package init(threads: Int, queueLimit: Int) {
        queue = JobQueue(threads: max(threads, 1), limit: max(queueLimit, 1))
    }

    deinit { queue.close() }

    /// How many jobs wait for a thread.
    package var waiting: Int { queue.state.withLock { $0.waiting.count } }

    /// Runs work on one of the threads.
    ///
    /// Cancelling the task drops work that still waits; work that has begun is finished.
    ///
    /// - Throws: `HashingError.busy` at once where the queue is full, `.cancelled`, `.noThread`, or what the work throws.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(HashingError) -> Value
    ) async throws(HashingError) -> Value {
        let identifier = queue.makeIdentifier()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, HashingError>, Never>) in
                let job = JobQueue.Job(
                    identifier: identifier,
                    perform: { continuation.resume(returning: Result(catching: work)) },
                    abandon: { continuation.resume(returning: .failure($0)) })
                if let refusal = queue.add(job) { job.abandon(refusal) }
            }
        } onCancel: {
            queue.cancel(identifier)
        }
        return try outcome.get()
    }
}

/// The jobs that wait, and the threads that take them: first come, first served.
private final class JobQueue: Sendable {
    struct Job: Sendable {
        let identifier: Int
        let perform: @Sendable () -> Void
        let abandon: @Sendable (HashingError) -> Void
    }

    struct State {
        var waiting: [Job] = []
        var threads = 0
        var idleThreads = 0
        var isClosed = false
    }

    let state = Mutex(State())
    private let threads: Int
    private let limit: Int
    private let identifiers = Atomic(0)
    /// Signalled once for every job that was added, and once for every thread at the end.
    private let wakeUps = DispatchSemaphore(value: 0)

    init(threads: Int, limit: Int) {
        self.threads = threads
        self.limit = limit
    }

    func makeIdentifier() -> Int {
        identifiers.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Adds a job, or says why not.
    func add(_ job: Job) -> HashingError? {
        let refusal: HashingError? = state.withLock { state in
            // A task that is cancelled from here on calls `cancel` after this lock is free, and finds the job.
            if Task.isCancelled { return .cancelled }
            guard state.waiting.count < limit else { return .busy }
            if state.waiting.count >= state.idleThreads, state.threads < threads {
                let code = startThread()
                if code == 0 {
                    state.threads += 1
                } else if state.threads == 0 {
                    return .noThread(code: code)
                }
            }
            state.waiting.append(job)
            return nil
        }
        if refusal == nil { wakeUps.signal() }
        return refusal
    }

    /// Drops a job, unless a thread has begun it.
    func cancel(_ identifier: Int) {
        let dropped: Job? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.identifier == identifier }) else { return nil }
            return state.waiting.remove(at: index)
        }
        dropped?.abandon(.cancelled)
    }

    /// Lets the threads end. Nobody waits any more: whoever does holds the pool.
    func close() {
        let threads = state.withLock { state in
            state.isClosed = true
            return state.threads
        }
        for _ in 0..<threads { wakeUps.signal() }
    }

    private func startThread() -> Int32 {
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().work()
                return nil
            }, context.toOpaque())
        if code == 0 {
            pthread_detach(thread)
        } else {
            context.release()
        }
        return code
    }

    /// The life of a thread.
    private func work() {
        // Signals belong to the program, which must not find its handler run in the middle of a hash.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        while true {
            state.withLock { $0.idleThreads += 1 }
            wakeUps.wait()
            let (job, isClosed): (Job?, Bool) = state.withLock { state in
                state.idleThreads -= 1
                return (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
            }
            if let job {
                job.perform()
            } else if isClosed {
                return
            }
        }
    }
}
