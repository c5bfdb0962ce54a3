internal import Synchronization
internal import Threads

/// The one writer of a process: jobs queue here, first come, first served, and each runs under the ``WriteLock``.
///
/// The writer has a thread of its own that blocks for the lock, so that callers can leave at their deadline. A caller
/// who leaves has not written and never will: the job is out of the queue. The lock goes back after every commit, so that
/// other processes get their turn; jobs that wait at the same time may share one.
package final class DatabaseWriter: Sendable {
    private let path: DatabasePath
    private let jobs = Mutex(WriteQueue())
    private let session: WriteSession
    private let thread = ThreadPool(threads: 1)
    private let deadlines = DeadlineTimer("DatabaseWriter deadlines")

    /// Makes a writer, without opening anything yet.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - command: What this process calls itself to those who wait for it, such as `profiles import`.
    ///   - sharing: How many jobs may share a transaction.
    ///   - open: Opens the connection, and may create or migrate the database: it runs with the first job, on the
    ///     writer's thread, under the lock, and waits for other programs' locks as long as that job does. If it throws,
    ///     the job fails and the next one tries again.
    package init(
        _ path: DatabasePath, command: String, sharing: SharingLimit = .usual,
        open: @escaping @Sendable (WaitLimit) throws -> Connection
    ) {
        self.path = path
        session = WriteSession(path, command: command, sharing: sharing, open: open)
    }

    /// Runs `body` on the writer's thread with the lock held. It begins its own transactions, and shares them with nobody.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for the job to begin, and for locks of SQLite's own that other programs hold; at least
    ///     50 ms. Once begun it is waited for.
    ///   - body: What to do; a transaction that it leaves open is rolled back.
    /// - Returns: What `body` returned, once it is done and the lock is given back.
    /// - Throws: A ``WriteRefusal``, or the error of the lock file, if the job never began; else what opening or `body`
    ///   threw.
    package func write<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws -> Value {
        try await perform(sharingTransaction: false, waitingAtMost: limit, body)
    }

    /// Runs `body` on the writer's thread in a write transaction, which it may share with the bodies that wait at the same
    /// time, each with an outcome of its own.
    ///
    /// - Parameters:
    ///   - limit: As for ``write(waitingAtMost:_:)``.
    ///   - body: What to do within the transaction. It should take little time, and has no effect but on the connection and
    ///     its result: where the commit fails for all, it runs again, alone.
    /// - Returns: What `body` returned, once it is committed and the lock is given back.
    /// - Throws: As ``write(waitingAtMost:_:)``, or the error of the commit. Then nothing of it is written.
    package func writeTransaction<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws -> Value {
        try await perform(sharingTransaction: true, waitingAtMost: limit, body)
    }

    /// Lets the jobs that wait come to their end, empties the write-ahead log, and closes the connection.
    ///
    /// It does not wait for the lock: while another process holds it, the log is that one's to empty when it closes.
    /// Later jobs are refused as `closed`. Closing again does nothing.
    package func close() async {
        let closed = Promise<Void>()
        let (isQueued, startsThread) = jobs.withLock { $0.close { closed.fulfill() } }
        if startsThread { startThread() }
        if isQueued { await closed.value }
    }

    // MARK: The queue

    private func perform<Value: Sendable>(
        sharingTransaction: Bool, waitingAtMost limit: Duration,
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws -> Value {
        let ticket = jobs.withLock { $0.nextTicket() }
        let wait = WaitingTime.begin()
        let outcome = Promise<Result<Value, any Error>>()
        enqueue(
            WriteJob(ticket: ticket, wait: WaitLimit(limit), sharesTransaction: sharingTransaction) { connection in
                wait?.end()
                let value = try body(connection)
                return { outcome.fulfill(with: .success(value)) }
            } fail: { error in
                wait?.end()
                outcome.fulfill(with: .failure(error))
            })
        return try await outcome.value { abandon(ticket) }.get()
    }

    private func enqueue(_ job: WriteJob) {
        switch jobs.withLock({ $0.enqueue(job) }) {
        case .refused(let refusal): job.fail(refusal)
        case .queued(let startsThread, let watchesDeadline):
            if startsThread { startThread() }
            if watchesDeadline { watch(job.wait.deadline) }
        }
    }

    private func abandon(_ ticket: Int) {
        let (job, closing) = jobs.withLock { ($0.remove(ticket), $0.takeClosingInVain()) }
        job?.fail(WriteRefusal.cancelled)
        closing?()
    }

    private func startThread() {
        do throws(ThreadRefusal) {
            try thread.start { self.drain() }
        } catch {
            // Without a thread nobody else would ever take what waits.
            let (waiting, closing) = jobs.withLock { $0.removeAll() }
            for job in waiting { job.fail(WriteRefusal(error)) }
            closing?()
        }
    }

    /// On the writer's thread, which it keeps as long as there are jobs.
    private func drain() {
        while let step = jobs.withLock({ $0.nextStep() }) {
            switch step {
            case .takeLock: for answer in performNext() { answer() }
            case .close(let closing):
                session.finish()
                closing()
            }
        }
    }

    /// Runs the job whose turn it is, and those that share its transaction.
    ///
    /// - Returns: What tells the callers. The jobs are gone by then: what they hold on to is not to outlive its outcome on
    ///   this thread.
    private func performNext() -> [WriteJob.Answer] {
        do throws(SQLiteError) {
            try session.acquireLock()
        } catch {
            return jobs.withLock { $0.takeFirst() }.map { [$0.answer(to: error)] } ?? []
        }
        defer { session.releaseLock() }
        // While the lock was waited for, everyone may have left.
        guard let job = jobs.withLock({ $0.takeFirst() }) else { return [] }
        return session.perform(job) { [self] in
            jobs.withLock { $0.hasWaiting }
        } joinedBy: {
            jobs.withLock { $0.takeFirstThatShares() }
        }
    }

    // MARK: Deadlines

    private func watch(_ deadline: ContinuousClock.Instant) {
        deadlines.call(at: deadline) { [weak self] in self?.refuseExpired() }
    }

    private func refuseExpired() {
        let now = ContinuousClock.now
        let (expired, next, closing) = jobs.withLock { jobs in
            let (expired, next) = jobs.removeExpired(at: now)
            return (expired, next, jobs.takeClosingInVain())
        }
        if !expired.isEmpty {
            let holder = WriteLock.holder(path)
            for job in expired { job.fail(WriteRefusal.busy(holder: holder, waited: now - job.wait.start)) }
        }
        closing?()
        if let next { watch(next) }
    }
}
