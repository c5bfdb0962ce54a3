/// A job for the writer's thread. Exactly one of `run` and `fail` is called, once, by whoever took it from the queue.
struct WriteJob<Failure: WriteFailure>: Sendable {
    let ticket: Int
    let arrived = ContinuousClock.now
    let deadline: ContinuousClock.Instant
    /// Does the work, and returns what tells the caller, to be called when the lock is given back.
    let run: @Sendable (WriteSession<Failure>) -> @Sendable () -> Void
    let fail: @Sendable (Failure) -> Void

    init(
        ticket: Int, waitingAtMost limit: Duration,
        run: @escaping @Sendable (WriteSession<Failure>) -> @Sendable () -> Void,
        fail: @escaping @Sendable (Failure) -> Void
    ) {
        self.ticket = ticket
        // The least is the time that it takes to find a free lock free; the most keeps sums from overflowing.
        deadline = arrived + min(max(limit, .milliseconds(50)), .seconds(1_000_000_000))
        self.run = run
        self.fail = fail
    }
}

/// The jobs that have not begun, in the order in which they came.
struct WriteQueue<Failure: WriteFailure>: Sendable {
    /// What became of a job that came.
    enum Admission {
        case refused
        case queued(startsThread: Bool, watchesDeadline: Bool)
    }

    private var waiting: [WriteJob<Failure>] = []
    private var latestTicket = 0
    private var hasHadJobs = false
    private var isDraining = false
    private var isClosed = false
    /// The earliest time at which somebody looks at the deadlines.
    private var nextLook: ContinuousClock.Instant?

    mutating func nextTicket() -> Int {
        latestTicket += 1
        return latestTicket
    }

    mutating func enqueue(_ job: WriteJob<Failure>, thenClose: Bool) -> Admission {
        if isClosed { return .refused }
        isClosed = thenClose
        // Who never wrote has nothing to close, and asks nobody for the lock.
        if thenClose && !hasHadJobs { return .refused }
        hasHadJobs = true
        waiting.append(job)
        let startsThread = !isDraining
        isDraining = true
        // Deadlines are looked at when the first one comes, so the many jobs that never wait make no timer each.
        let watchesDeadline = nextLook.map { job.deadline < $0 } ?? true
        if watchesDeadline { nextLook = job.deadline }
        return .queued(startsThread: startsThread, watchesDeadline: watchesDeadline)
    }

    mutating func takeFirst() -> WriteJob<Failure>? { waiting.isEmpty ? nil : waiting.removeFirst() }

    mutating func remove(_ ticket: Int) -> WriteJob<Failure>? {
        waiting.firstIndex { $0.ticket == ticket }.map { waiting.remove(at: $0) }
    }

    /// Whether the thread has more to do; if not, the next job starts it again.
    mutating func goesOn() -> Bool {
        isDraining = !waiting.isEmpty
        return isDraining
    }

    /// Takes out the jobs whose deadline has come, and says when to look again, if anyone must.
    mutating func removeExpired(
        at now: ContinuousClock.Instant
    ) -> (expired: [WriteJob<Failure>], next: ContinuousClock.Instant?) {
        let expired = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        // Another look, at a later time, may be on its way already; then this one asks for none.
        if let nextLook, nextLook > now { return (expired, nil) }
        nextLook = waiting.lazy.map(\.deadline).min()
        return (expired, nextLook)
    }
}
