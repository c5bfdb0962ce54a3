internal import Threads

/// The single writer of a process. The writer queues jobs in the order of their arrival and runs each job under the
/// ``WriteLock``.
///
/// Only the writer's thread waits for the lock, so a caller can stop waiting at its deadline. The caller's job then
/// leaves the queue and never runs. The writer releases the lock after every commit, so other processes can take it.
/// Jobs that wait at the same time may share one commit.
package final class DatabaseWriter: Sendable {
    private let path: DatabasePath
    private let jobs = Locked(WriteQueue())
    private let session: WriteSession
    private let thread = ThreadPool(threads: 1)
    private let deadlines = DeadlineTimer("DatabaseWriter deadlines")

    /// Makes a writer. The writer opens its connection when it runs the first job.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - command: The name that this process shows to waiting processes, such as `profiles import`.
    ///   - sharing: The limits of a transaction that several jobs share.
    ///   - open: Opens the connection, and may create or migrate the database. If the writer has no usable connection,
    ///     it calls this closure before the next job. The call is made on the writer's thread while the writer holds
    ///     the lock. The closure may wait for locks of other programs until the wait limit of the job. If the closure
    ///     throws, the job fails, and the writer calls the closure again before the next job.
    package init(
        _ path: DatabasePath, command: String, sharing: SharingLimit = .usual,
        open: @escaping @Sendable (WaitLimit) throws -> Connection
    ) {
        self.path = path
        session = WriteSession(path, command: command, sharing: sharing, open: open)
    }

    /// Runs `body` on the writer's thread with the lock held. The body begins its own transactions, and no other job
    /// shares them.
    ///
    /// - Parameters:
    ///   - limit: The maximum time until the job begins, at least 50 ms. After the job has begun, it may wait until the
    ///     same deadline for SQLite's own locks, if other programs hold them. If the job has begun, this method always
    ///     waits for its end.
    ///   - body: The work. If `body` leaves a transaction open, the transaction is rolled back.
    /// - Returns: The result of `body`, after the lock is released.
    /// - Throws: If the job never began, a ``WriteRefusal`` or the error of the lock file. Otherwise the error of
    ///   `open` or `body`.
    package func write<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws -> Value {
        try await perform(sharingTransaction: false, waitingAtMost: limit, body)
    }

    /// Runs `body` on the writer's thread in a write transaction. The closures of other waiting jobs may share the
    /// transaction. Each closure has its own result or error.
    ///
    /// - Parameters:
    ///   - limit: The same as in ``write(waitingAtMost:_:)``.
    ///   - body: The work within the transaction. The work should be short. It must not change anything except the
    ///     database and the result: if a shared commit fails, the body runs again in a transaction of its own.
    /// - Returns: The result of `body`, after the commit and the release of the lock.
    /// - Throws: The errors of ``write(waitingAtMost:_:)``, or the error of the commit. In each case, no changes by
    ///   `body` are stored.
    package func writeTransaction<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws -> Value {
        try await perform(sharingTransaction: true, waitingAtMost: limit, body)
    }

    /// Waits until all queued jobs have finished, then empties the write-ahead log and closes the connection.
    ///
    /// The log can be emptied only with the lock, but this method does not wait for the lock. If another process holds
    /// the lock, that process empties the log when it closes its own writer. Later jobs are refused with `closed`.
    /// Closing again does nothing.
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
            // Without a thread, the waiting jobs would wait for ever.
            let (waiting, closing) = jobs.withLock { $0.removeAll() }
            for job in waiting { job.fail(WriteRefusal(error)) }
            closing?()
        }
    }

    /// Performs jobs on the writer's thread until the queue is empty.
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

    /// Runs the next job and the jobs that share its transaction.
    ///
    /// - Returns: The closures that resume the callers. These closures must be called only after this function has
    ///   returned and released the jobs. Otherwise the caller of a job could resume while this thread still holds a
    ///   reference to a value of the job.
    private func performNext() -> [WriteJob.Answer] {
        do throws(SQLiteError) {
            try session.acquireLock()
        } catch {
            return jobs.withLock { $0.takeFirst() }.map { [$0.answer(to: error)] } ?? []
        }
        defer { session.releaseLock() }
        // All callers may have given up while the thread waited for the lock.
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
