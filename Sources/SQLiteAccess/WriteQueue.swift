/// The queue of jobs that have not begun, in the order of their arrival. On average, every operation takes constant
/// time, with two exceptions: checking the deadlines and removing all jobs take linear time.
struct WriteQueue: Sendable {
    typealias Job = WriteJob
    /// Resumes the task that called `close()`.
    typealias Closing = @Sendable () -> Void

    /// The outcome of adding a job.
    enum Admission {
        case refused(WriteRefusal)
        case queued(startsThread: Bool, watchesDeadline: Bool)
    }

    /// The next step of the writer's thread.
    enum Step {
        case takeLock
        case close(Closing)
    }

    /// The default limit of waiting jobs. If more jobs waited, most of them would miss their deadlines. The limit also
    /// saves memory.
    static let mostWaiting = 10_000

    private let limit: Int
    private var waiting: [Int: Job] = [:]
    /// The tickets in the order of arrival. If a job has left the queue, its ticket may stay here. Such a ticket is
    /// skipped when it becomes the first ticket. If more than about half of the tickets have no waiting job, the
    /// tickets without a job are removed.
    private var order: [Int] = []
    /// All tickets of `order` before this index have been used or skipped.
    private var head = 0
    private var latestTicket = 0
    private var hasRun = false
    private var isDraining = false
    /// Whether the writer's thread waits for the lock. If so, another process probably holds the lock.
    private var awaitsLock = false
    private var isClosed = false
    private var closing: Closing?
    /// The time of the next check of the deadlines; nil if none is scheduled.
    private var nextLook: ContinuousClock.Instant?

    init(limit: Int = Self.mostWaiting) { self.limit = limit }

    /// The number of tickets in memory: tickets of waiting jobs, and tickets of jobs that have left the queue.
    var rememberedTickets: Int { order.count }

    /// Whether a job is waiting.
    var hasWaiting: Bool { !waiting.isEmpty }

    // MARK: Adding and removing jobs

    mutating func nextTicket() -> Int {
        latestTicket += 1
        return latestTicket
    }

    mutating func enqueue(_ job: Job) -> Admission {
        if isClosed { return .refused(.closed) }
        guard waiting.count < limit else { return .refused(.tooManyWaiting) }
        waiting[job.ticket] = job
        order.append(job.ticket)
        // One timer is set for the earliest deadline. So most jobs do not need a timer of their own.
        let watchesDeadline = nextLook.map { job.wait.deadline < $0 } ?? true
        if watchesDeadline { nextLook = job.wait.deadline }
        return .queued(startsThread: startThread(), watchesDeadline: watchesDeadline)
    }

    mutating func remove(_ ticket: Int) -> Job? {
        let job = waiting.removeValue(forKey: ticket)
        forgetThoseWhoLeft()
        return job
    }

    /// Removes the jobs whose deadline has passed. Also returns the time at which the caller must check again; nil if
    /// the caller need not schedule a check.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> (expired: [Job], next: ContinuousClock.Instant?) {
        let expired = order[head...].compactMap { waiting[$0] }.filter { $0.wait.deadline <= now }
        for job in expired { waiting[job.ticket] = nil }
        forgetThoseWhoLeft()
        // If another check is already scheduled for a later time, this check does not schedule one.
        if let nextLook, nextLook > now { return (expired, nil) }
        // Each check visits all jobs, so a check schedules the next one at least 5 ms later.
        nextLook = waiting.values.lazy.map(\.wait.deadline).min().map { max($0, now + .milliseconds(5)) }
        return (expired, nextLook)
    }

    // MARK: The thread

    /// Returns the next step of the writer's thread; nil if there is nothing to do. After nil, the thread ends its
    /// work, and the next job starts the thread again.
    mutating func nextStep() -> Step? {
        if !waiting.isEmpty {
            awaitsLock = true
            return .takeLock
        }
        if let closing = closing.take() { return .close(closing) }
        isDraining = false
        return nil
    }

    /// Removes and returns the first job, after the thread has taken the lock or failed to take it. Returns nil if all
    /// jobs have left while the thread waited for the lock.
    mutating func takeFirst() -> Job? {
        awaitsLock = false
        defer { forgetThoseWhoLeft() }
        guard let first = firstTicket(), let job = waiting.removeValue(forKey: first) else { return nil }
        head += 1
        hasRun = true
        return job
    }

    /// Removes and returns the first job if it may share the transaction of the job before it; otherwise returns nil.
    mutating func takeFirstThatShares() -> Job? {
        guard let first = firstTicket(), waiting[first]?.sharesTransaction == true else { return nil }
        return takeFirst()
    }

    /// Removes all jobs, because no thread could be started. When the next job is added, the caller is told to start a
    /// thread again.
    mutating func removeAll() -> (jobs: [Job], closing: Closing?) {
        defer {
            waiting = [:]
            forgetThoseWhoLeft()
            isDraining = false
        }
        return (order[head...].compactMap { waiting[$0] }, closing.take())
    }

    // MARK: Closing

    /// Refuses all later jobs.
    ///
    /// - Returns: Whether `closing` will be called after the waiting jobs have finished, and whether the caller must
    ///   start the thread for this call. `closing` is not called in three cases. First: the queue is already closed.
    ///   Second: no job ever ran, and no job waits. Third: all jobs have left the queue, but the thread still waits for
    ///   the lock because another process holds it.
    mutating func close(_ closing: @escaping Closing) -> (isQueued: Bool, startsThread: Bool) {
        defer { isClosed = true }
        let hasWork = hasRun || !waiting.isEmpty
        guard !isClosed, hasWork, !(awaitsLock && waiting.isEmpty) else { return (false, false) }
        self.closing = closing
        return (true, startThread())
    }

    /// If the thread still waits for the lock but all jobs have left, removes and returns the closing function. In this
    /// case, `close()` returns without emptying the log, because another process holds the lock.
    mutating func takeClosingInVain() -> Closing? {
        awaitsLock && waiting.isEmpty ? closing.take() : nil
    }

    private mutating func startThread() -> Bool {
        defer { isDraining = true }
        return !isDraining
    }

    /// Returns the ticket of the first job that is still waiting.
    private mutating func firstTicket() -> Int? {
        while head < order.count, waiting[order[head]] == nil { head += 1 }
        return head < order.count ? order[head] : nil
    }

    private mutating func forgetThoseWhoLeft() {
        guard order.count > 2 * waiting.count + 64 else { return }
        order = order[head...].filter { waiting[$0] != nil }
        head = 0
    }
}
