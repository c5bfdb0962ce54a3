/// The jobs that have not begun, in the order in which they came; nothing here takes longer the more of them there are,
/// but looking at their deadlines.
struct WriteQueue: Sendable {
    typealias Job = WriteJob
    /// Tells who closes that it is done.
    typealias Closing = @Sendable () -> Void

    /// What became of a job that came.
    enum Admission {
        case refused(WriteRefusal)
        case queued(startsThread: Bool, watchesDeadline: Bool)
    }

    /// What the writer's thread does next.
    enum Step {
        case takeLock
        case close(Closing)
    }

    /// More would only wait in vain, and memory has an end.
    static let mostWaiting = 10_000

    private let limit: Int
    private var waiting: [Int: Job] = [:]
    /// Tickets, first come first. Those of jobs that have left stay until their turn, or until they are the most.
    private var order: [Int] = []
    /// Where in `order` the first one is.
    private var head = 0
    private var latestTicket = 0
    private var hasRun = false
    private var isDraining = false
    /// Whether the thread waits for the lock, so that somebody else seems to have it.
    private var awaitsLock = false
    private var isClosed = false
    private var closing: Closing?
    /// The earliest time at which somebody looks at the deadlines.
    private var nextLook: ContinuousClock.Instant?

    init(limit: Int = Self.mostWaiting) { self.limit = limit }

    /// How many tickets it keeps, of jobs that wait and of those that have left.
    var rememberedTickets: Int { order.count }

    /// Whether a job waits for its turn.
    var hasWaiting: Bool { !waiting.isEmpty }

    // MARK: Coming and leaving

    mutating func nextTicket() -> Int {
        latestTicket += 1
        return latestTicket
    }

    mutating func enqueue(_ job: Job) -> Admission {
        if isClosed { return .refused(.closed) }
        guard waiting.count < limit else { return .refused(.tooManyWaiting) }
        waiting[job.ticket] = job
        order.append(job.ticket)
        // Deadlines are looked at when the first one comes, so the many jobs that never wait make no timer each.
        let watchesDeadline = nextLook.map { job.wait.deadline < $0 } ?? true
        if watchesDeadline { nextLook = job.wait.deadline }
        return .queued(startsThread: startThread(), watchesDeadline: watchesDeadline)
    }

    mutating func remove(_ ticket: Int) -> Job? {
        let job = waiting.removeValue(forKey: ticket)
        forgetThoseWhoLeft()
        return job
    }

    /// Takes out the jobs whose deadline has come, and says when to look again, if anyone must.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> (expired: [Job], next: ContinuousClock.Instant?) {
        let expired = order[head...].compactMap { waiting[$0] }.filter { $0.wait.deadline <= now }
        for job in expired { waiting[job.ticket] = nil }
        forgetThoseWhoLeft()
        // Another look, at a later time, may be on its way already; then this one asks for none.
        if let nextLook, nextLook > now { return (expired, nil) }
        // Each look sees all jobs, so that there are at most 200 a second.
        nextLook = waiting.values.lazy.map(\.wait.deadline).min().map { max($0, now + .milliseconds(5)) }
        return (expired, nextLook)
    }

    // MARK: The thread

    /// What the thread is to do; nil where there is nothing, and the next job starts it again.
    mutating func nextStep() -> Step? {
        if !waiting.isEmpty {
            awaitsLock = true
            return .takeLock
        }
        if let closing = closing.take() { return .close(closing) }
        isDraining = false
        return nil
    }

    /// The job whose turn it is now that the lock is there, or cannot be had. While it was waited for, everyone may have
    /// left.
    mutating func takeFirst() -> Job? {
        awaitsLock = false
        defer { forgetThoseWhoLeft() }
        guard let first = firstTicket(), let job = waiting.removeValue(forKey: first) else { return nil }
        head += 1
        hasRun = true
        return job
    }

    /// The job whose turn is next, if it may share the transaction of the one before it.
    mutating func takeFirstThatShares() -> Job? {
        guard let first = firstTicket(), waiting[first]?.sharesTransaction == true else { return nil }
        return takeFirst()
    }

    /// Takes out everything, since no thread could be started; the next job tries again.
    mutating func removeAll() -> (jobs: [Job], closing: Closing?) {
        defer {
            waiting = [:]
            forgetThoseWhoLeft()
            isDraining = false
        }
        return (order[head...].compactMap { waiting[$0] }, closing.take())
    }

    // MARK: Closing

    /// Refuses what comes from now on.
    ///
    /// - Returns: Whether `closing` is called when the jobs that wait have come to their end, and whether the thread has
    ///   to be started for that. If not there is nothing to do: no job ever ran, or another process holds the lock.
    mutating func close(_ closing: @escaping Closing) -> (isQueued: Bool, startsThread: Bool) {
        defer { isClosed = true }
        let hasWork = hasRun || !waiting.isEmpty
        guard !isClosed, hasWork, !(awaitsLock && waiting.isEmpty) else { return (false, false) }
        self.closing = closing
        return (true, startThread())
    }

    /// Who closes while everyone who waited for another's lock has left: there is no lock for closing either.
    mutating func takeClosingInVain() -> Closing? {
        awaitsLock && waiting.isEmpty ? closing.take() : nil
    }

    private mutating func startThread() -> Bool {
        defer { isDraining = true }
        return !isDraining
    }

    /// The ticket of the job that came first, of those that still wait.
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
