internal import Dispatch
internal import Synchronization

/// A pool of a few dedicated threads with a first-in, first-out queue. It is for work that blocks or computes for a
/// long time. On Swift's cooperative threads, such work would keep other tasks from running.
///
/// If new work finds no idle thread, the pool starts a thread, up to the maximum number. The threads end with the pool.
package final class ThreadPool: Sendable {
    private let queue: WorkQueue
    private let deadlines = DeadlineTimer("ThreadPool deadlines")

    /// Makes a pool without threads.
    ///
    /// - Parameters:
    ///   - threads: The maximum number of threads, at least one.
    ///   - queueLimit: The maximum number of waiting jobs, at least one.
    package init(threads: Int, queueLimit: Int = .max) {
        queue = WorkQueue(threads: max(1, threads), limit: max(1, queueLimit))
    }

    deinit { queue.close() }

    /// Lets the threads finish the waiting work and then end. Waits at most `limit` until the threads have ended.
    ///
    /// No work may be added afterwards.
    package func end(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        queue.close()
        // The loop runs in a separate task, which is not cancelled with the calling task. In a cancelled task, `sleep`
        // would return immediately.
        await Task {
            while queue.isBusy, .now < deadline { try? await Task.sleep(for: .milliseconds(1)) }
        }.value
        // An idle thread ends within microseconds. A thread that is stuck, for example in a name lookup, is not joined.
        if !queue.isBusy { queue.join() }
    }

    /// The number of jobs that wait for a thread.
    package var waiting: Int { queue.state.withLock { $0.waiting.count } }

    /// Whether the current work was cancelled. On a thread of a pool, the value is true if the task that submitted the
    /// work was cancelled. On any other thread, the value is true if the current task was cancelled.
    package static var isCancelled: Bool { Waiter.current?.isCancelled ?? Task.isCancelled }

    /// Runs work on one of the threads.
    ///
    /// If the task is cancelled or `limit` expires before a thread begins the work, the work is dropped. Work that has
    /// begun runs to its end; it may check ``isCancelled``.
    ///
    /// - Parameters:
    ///   - limit: The maximum time that the work may wait for a thread; nil for no limit.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: A ``ThreadRefusal`` if no thread began the work; otherwise the error that the work throws.
    package func run<Value: Sendable>(
        waitingAtMost limit: Duration? = nil, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await run(waitingAtMost: limit, work) { $0 }
    }

    /// Runs work on one of the threads. All errors have the same type as the errors of the work.
    ///
    /// - Parameters:
    ///   - limit: The maximum time that the work may wait for a thread; nil for no limit.
    ///   - work: The work.
    ///   - refused: If the work never began, converts the refusal to the error type of the work.
    /// - Returns: The result of the work.
    /// - Throws: The error from `refused` if no thread began the work; otherwise the error that the work throws.
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
        // If the task is already cancelled, the queue must refuse the work. Otherwise an idle thread could begin it
        // immediately.
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

    /// Submits work to the pool, without waiting for it.
    ///
    /// - Throws: `busy` or `noThread` if the work will not run.
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

/// The reason why no thread began the work.
package enum ThreadRefusal: Error, Hashable, Sendable {
    /// The queue is full.
    case busy
    /// The time limit passed while the work was still waiting.
    case expired(waited: Duration)
    /// The task was cancelled before a thread began its work.
    case cancelled
    /// The pool has no thread, and no thread could be started. `code` is the result of `pthread_create`.
    case noThread(code: Int32)
}

/// The task that waits for the result of a job.
private final class Waiter: Sendable {
    /// The task whose work runs on this thread.
    @TaskLocal static var current: Waiter?

    let start: ContinuousClock.Instant
    /// The time at which the work is removed from the queue if it still waits; nil for no time limit.
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

/// The queue of waiting work, with the threads that perform it.
private final class WorkQueue: Sendable {
    struct Job: Sendable {
        /// The task that waits for the result of the job; nil if there is none.
        let waiter: Waiter?
        let perform: @Sendable () -> Void
        let refuse: @Sendable (ThreadRefusal) -> Void

        func hasExpired(at now: ContinuousClock.Instant) -> Bool { waiter?.deadline.map { $0 <= now } ?? false }
    }

    struct State {
        var waiting: [Job] = []
        var threads = 0
        /// The number of threads without a job, including threads that have just been started.
        var idleThreads = 0
        /// The started threads, for joining them.
        var started: [SystemThread] = []
        var isClosed = false
        /// The time of the next check of the deadlines; nil if none is scheduled.
        var nextLook: ContinuousClock.Instant?
    }

    let state = Locked(State())
    private let threads: Int
    private let limit: Int
    /// Signalled once for each added job, and once for each thread when the queue closes.
    private let wakeUps = DispatchSemaphore(value: 0)

    init(threads: Int, limit: Int) {
        self.threads = threads
        self.limit = limit
    }

    /// Adds a job, or throws if it cannot be added.
    ///
    /// - Returns: The time of the deadline check that the caller must schedule. Nil if no check is needed, or if an
    ///   earlier check is already scheduled.
    func add(_ job: Job) throws(ThreadRefusal) -> ContinuousClock.Instant? {
        let look = try state.withLock { state throws(ThreadRefusal) -> ContinuousClock.Instant? in
            // If the task is cancelled after this check, `cancel` waits for the lock and then finds the job in the
            // queue.
            if let waiter = job.waiter, waiter.isCancelled { throw .cancelled }
            guard state.waiting.count < limit else { throw .busy }
            if state.waiting.count >= state.idleThreads, state.threads < threads {
                do throws(ThreadError) {
                    state.started.append(try startThread())
                    state.threads += 1
                    state.idleThreads += 1
                } catch {
                    // If the pool already has a thread, the job waits for it.
                    guard state.threads > 0 else { throw .noThread(code: error.code) }
                }
            }
            state.waiting.append(job)
            // If an idle thread will take the job now, the job needs no timer.
            guard let deadline = job.waiter?.deadline, state.waiting.count > state.idleThreads,
                state.nextLook.map({ deadline < $0 }) ?? true
            else { return nil }
            state.nextLook = deadline
            return deadline
        }
        wakeUps.signal()
        return look
    }

    /// Refuses the jobs whose deadline has passed.
    ///
    /// - Returns: The time of the next deadline check that the caller must schedule. Nil if the caller need not
    ///   schedule a check.
    func refuseExpired(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let (expired, next) = state.withLock { state -> ([Job], ContinuousClock.Instant?) in
            let expired = state.waiting.filter { $0.hasExpired(at: now) }
            if !expired.isEmpty { state.waiting.removeAll { $0.hasExpired(at: now) } }
            // Another check may already be scheduled for a later time.
            if let nextLook = state.nextLook, nextLook > now { return (expired, nil) }
            // Each check visits all jobs, so the checks are at least 5 ms apart: at most 200 per second.
            state.nextLook = state.waiting.lazy.compactMap { $0.waiter?.deadline }.min().map {
                max($0, now + .milliseconds(5))
            }
            return (expired, state.nextLook)
        }
        for job in expired { job.refuse(.expired(waited: now - (job.waiter?.start ?? now))) }
        return next
    }

    /// Removes a task's job from the queue, unless a thread has begun it.
    func cancel(_ waiter: Waiter) {
        let dropped: Job? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.waiter === waiter }) else { return nil }
            return state.waiting.remove(at: index)
        }
        dropped?.refuse(.cancelled)
    }

    /// Lets the threads end after they have done the waiting jobs. When the pool is released, no task waits for these
    /// jobs, because a waiting task keeps the pool alive.
    func close() {
        let threads = state.withLock { state in
            state.isClosed = true
            return state.threads
        }
        for _ in 0..<threads { wakeUps.signal() }
    }

    /// Whether a thread is working or a job is waiting.
    var isBusy: Bool { state.withLock { !$0.waiting.isEmpty || $0.threads > $0.idleThreads } }

    /// Waits until the threads of a closed queue have ended.
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

    /// Performs jobs on a thread until the queue is closed and empty.
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
                // Threads that have ended are still counted as idle. Otherwise `isBusy` would stay true.
                state.withLock { $0.idleThreads += 1 }
                return
            }
            state.withLock { $0.idleThreads += 1 }
        }
    }
}
