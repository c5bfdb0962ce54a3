internal import Dispatch
internal import Synchronization

/// A few threads of our own for work that blocks or computes for long, with a queue before them: first come, first
/// served. Swift's cooperative threads would keep everything else from running meanwhile.
///
/// Threads start when there is work for them, are kept for more of it, and end with the pool.
package final class ThreadPool: Sendable {
    private let queue: WorkQueue
    private let deadlines = DeadlineTimer("ThreadPool deadlines")

    /// Prepares a pool.
    ///
    /// - Parameters:
    ///   - threads: The most work that runs at once, at least one.
    ///   - queueLimit: The most work that waits, at least one.
    package init(threads: Int, queueLimit: Int = .max) {
        queue = WorkQueue(threads: max(1, threads), limit: max(1, queueLimit))
    }

    deinit { queue.close() }

    /// Ends the threads once what waits is done, and waits for their end unless that takes longer than `limit`.
    ///
    /// Work must not be added any more.
    package func end(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        queue.close()
        // A task of its own is not cancelled with the one that waits for it, so it sleeps.
        await Task {
            while queue.isBusy, .now < deadline { try? await Task.sleep(for: .milliseconds(1)) }
        }.value
        // An idle thread ends in microseconds. One that is stuck, as in a look-up of a name, is left to itself.
        if !queue.isBusy { queue.join() }
    }

    /// How much work waits for a thread.
    package var waiting: Int { queue.state.withLock { $0.waiting.count } }

    /// Whether nobody waits any more for what runs here: on a thread of a pool, the task that gave it this work was
    /// cancelled; elsewhere, the current task was.
    package static var isCancelled: Bool { Waiter.current?.isCancelled ?? Task.isCancelled }

    /// Runs work on one of the threads.
    ///
    /// Cancelling the task drops work that still waits, and so does its deadline. Work that has begun is finished; it may
    /// ask ``isCancelled``.
    ///
    /// - Parameters:
    ///   - limit: How long the work may wait for a thread; nil for any time.
    ///   - work: What to do.
    /// - Returns: What the work returned.
    /// - Throws: A ``ThreadRefusal`` if the work never began, else what it throws.
    package func run<Value: Sendable>(
        waitingAtMost limit: Duration? = nil, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await run(waitingAtMost: limit, work) { $0 }
    }

    /// Runs work on one of the threads, as above.
    ///
    /// - Parameters:
    ///   - limit: How long the work may wait for a thread; nil for any time.
    ///   - work: What to do.
    ///   - refused: Says in the work's own error that it never began.
    /// - Returns: What the work returned.
    /// - Throws: What `refused` says if the work never began, else what it throws.
    package func run<Value: Sendable, Failure: Error>(
        waitingAtMost limit: Duration? = nil, _ work: @escaping @Sendable () throws(Failure) -> Value,
        refused: @escaping @Sendable (ThreadRefusal) -> Failure
    ) async throws(Failure) -> Value {
        let waiter = Waiter(leavingAfter: limit)
        let wait = WaitingTime.begin()
        let outcome = Promise<Result<Value, Failure>>()
        let job = WorkQueue.Job(
            waiter: waiter,
            perform: {
                wait?.end()
                outcome.fulfill(with: Result(catching: work))
            },
            refuse: {
                wait?.end()
                outcome.fulfill(with: .failure(refused($0)))
            })
        // The queue refuses the work of a task that was cancelled before: an idle thread might begin it at once.
        if Task.isCancelled { waiter.cancel() }
        do throws(ThreadRefusal) {
            if let look = try queue.add(job) { watchDeadlines(at: look) }
        } catch {
            job.refuse(error)
        }
        return try await outcome.value {
            waiter.cancel()
            queue.cancel(waiter)
        }.get()
    }

    /// Has work done on one of the threads, without waiting for it.
    ///
    /// - Throws: `busy` or `noThread`, if it will not be done.
    package func start(_ work: @escaping @Sendable () -> Void) throws(ThreadRefusal) {
        _ = try queue.add(WorkQueue.Job(waiter: nil, perform: work, refuse: { _ in }))
    }

    private func watchDeadlines(at moment: ContinuousClock.Instant) {
        deadlines.call(at: moment) { [weak self] in
            guard let self else { return }
            if let next = queue.refuseExpired(at: .now) { watchDeadlines(at: next) }
        }
    }
}

/// Why work was not begun.
package enum ThreadRefusal: Error, Hashable, Sendable {
    /// As much work waits already as may.
    case busy
    /// The work's turn had not come when its time to wait was over.
    case expired(waited: Duration)
    /// The task was cancelled before its turn came.
    case cancelled
    /// The pool has no thread, and none could be started; the code is `pthread_create`'s.
    case noThread(code: Int32)
}

/// The task that waits for work.
private final class Waiter: Sendable {
    /// Whose work runs on this thread.
    @TaskLocal static var current: Waiter?

    let start: ContinuousClock.Instant
    /// When its work leaves the queue; nil for never.
    let deadline: ContinuousClock.Instant?
    private let cancellation = Atomic(false)

    init(leavingAfter limit: Duration?) {
        let now = ContinuousClock.now
        start = now
        deadline = limit.map { now + min(max($0, .zero), .seconds(1_000_000_000)) }
    }

    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    func cancel() { cancellation.store(true, ordering: .relaxed) }
}

/// The work that waits, and the threads that take it.
private final class WorkQueue: Sendable {
    struct Job: Sendable {
        /// Nil where no task waits for it.
        let waiter: Waiter?
        let perform: @Sendable () -> Void
        let refuse: @Sendable (ThreadRefusal) -> Void

        func hasExpired(at now: ContinuousClock.Instant) -> Bool { waiter?.deadline.map { $0 <= now } ?? false }
    }

    struct State {
        var waiting: [Job] = []
        var threads = 0
        /// Those that have no job, also those that were started a moment ago.
        var idleThreads = 0
        /// Those that can be joined.
        var started: [SystemThread] = []
        var isClosed = false
        /// The earliest moment at which somebody looks at the deadlines.
        var nextLook: ContinuousClock.Instant?
    }

    let state = Mutex(State())
    private let threads: Int
    private let limit: Int
    /// Signalled once for every job that was added, and once for every thread at the end.
    private let wakeUps = DispatchSemaphore(value: 0)

    init(threads: Int, limit: Int) {
        self.threads = threads
        self.limit = limit
    }

    /// Adds a job, or says why not.
    ///
    /// - Returns: When to look at the deadlines, if no earlier look is to come.
    func add(_ job: Job) throws(ThreadRefusal) -> ContinuousClock.Instant? {
        let look = try state.withLock { state throws(ThreadRefusal) -> ContinuousClock.Instant? in
            // A task that is cancelled from here on calls `cancel` after this lock is free, and finds the job.
            if let waiter = job.waiter, waiter.isCancelled { throw .cancelled }
            guard state.waiting.count < limit else { throw .busy }
            if state.waiting.count >= state.idleThreads, state.threads < threads {
                do throws(ThreadError) {
                    state.started.append(try startThread())
                    state.threads += 1
                    state.idleThreads += 1
                } catch {
                    // Where there is a thread already, the job waits for that one.
                    guard state.threads > 0 else { throw .noThread(code: error.code) }
                }
            }
            state.waiting.append(job)
            // A job that an idle thread is about to take needs no timer.
            guard let deadline = job.waiter?.deadline, state.waiting.count > state.idleThreads,
                state.nextLook.map({ deadline < $0 }) ?? true
            else { return nil }
            state.nextLook = deadline
            return deadline
        }
        wakeUps.signal()
        return look
    }

    /// Refuses the jobs whose deadline has come.
    ///
    /// - Returns: When to look again, if anybody must.
    func refuseExpired(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let (expired, next) = state.withLock { state -> ([Job], ContinuousClock.Instant?) in
            let expired = state.waiting.filter { $0.hasExpired(at: now) }
            if !expired.isEmpty { state.waiting.removeAll { $0.hasExpired(at: now) } }
            // Another look, at a later moment, may be on its way already.
            if let nextLook = state.nextLook, nextLook > now { return (expired, nil) }
            // Each look sees all jobs, so there are at most 200 a second.
            state.nextLook = state.waiting.lazy.compactMap { $0.waiter?.deadline }.min().map {
                max($0, now + .milliseconds(5))
            }
            return (expired, state.nextLook)
        }
        for job in expired { job.refuse(.expired(waited: now - (job.waiter?.start ?? now))) }
        return next
    }

    /// Drops a task's job, unless a thread has begun it.
    func cancel(_ waiter: Waiter) {
        let dropped: Job? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.waiter === waiter }) else { return nil }
            return state.waiting.remove(at: index)
        }
        dropped?.refuse(.cancelled)
    }

    /// Lets the threads end once they have done what waits, for which no task does: whoever waits holds the pool.
    func close() {
        let threads = state.withLock { state in
            state.isClosed = true
            return state.threads
        }
        for _ in 0..<threads { wakeUps.signal() }
    }

    /// Whether a thread works, or is to.
    var isBusy: Bool { state.withLock { !$0.waiting.isEmpty || $0.threads > $0.idleThreads } }

    /// Waits for the end of the threads of a closed queue.
    func join() {
        let started = state.withLock { state in
            defer { state.started = [] }
            return state.started
        }
        for thread in started { thread.join() }
    }

    private func startThread() throws(ThreadError) -> SystemThread {
        try SystemThread(blockingSignals: true) { self.work() }
    }

    /// The life of a thread.
    private func work() {
        while true {
            wakeUps.wait()
            let (job, isClosed): (Job?, Bool) = state.withLock { state in
                state.idleThreads -= 1
                return (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
            }
            if let job {
                Waiter.$current.withValue(job.waiter) { job.perform() }
            } else if isClosed {
                // Whoever counts the busy ones counts it as idle.
                state.withLock { $0.idleThreads += 1 }
                return
            }
            state.withLock { $0.idleThreads += 1 }
        }
    }
}
