/// The state of the writer's thread: the lock and the connection.
///
/// `@unchecked Sendable`: only the writer's single thread uses it.
final class WriteSession: @unchecked Sendable {
    /// The number of frames in the write-ahead log that starts a checkpoint; 16,000 frames of 4 KiB are about 64 MB.
    /// With a lower limit, the two syncs of each checkpoint would cost too much. With a higher limit, the next writer
    /// would wait longer for the checkpoint.
    private static let checkpointFrames = 16_000

    private let path: DatabasePath
    private let command: String
    private let sharing: SharingLimit
    private let open: @Sendable (WaitLimit) throws -> Connection
    private var lock: WriteLock?
    private var connection: Connection?
    private var nextCheckpoint = WriteSession.checkpointFrames

    init(
        _ path: DatabasePath, command: String, sharing: SharingLimit,
        open: @escaping @Sendable (WaitLimit) throws -> Connection
    ) {
        self.path = path
        self.command = command
        self.sharing = sharing
        self.open = open
    }

    func acquireLock() throws(SQLiteError) {
        // Without this check, a new lock file would be created beside a database that no longer exists.
        try connection?.requireInPlace()
        if lock == nil { lock = try WriteLock(path) }
        try lock?.acquire(as: command)
    }

    func releaseLock() { lock?.release() }

    /// Opens the connection if necessary, runs a job, and runs a checkpoint if the log has become long. If the job
    /// shares its transaction, the jobs that `next` returns join it. The wait for locks of other programs ends at the
    /// job's deadline.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - jobsWait: Returns whether other jobs of this process wait.
    ///   - next: Returns the next job that may join; nil if there is none.
    /// - Returns: The closures that resume the callers.
    func perform(
        _ job: WriteJob, whileOthersWait jobsWait: @escaping () -> Bool, joinedBy next: () -> WriteJob?
    ) -> [WriteJob.Answer] {
        // While a job uses the connection, the session does not hold it. After the job, the session keeps the
        // connection only if it is still usable.
        let current: Connection
        if let kept = takeConnection() {
            current = kept
        } else {
            do { current = try open(job.wait) } catch { return [job.answer(to: error)] }
        }
        let terms = current.terms
        terms.lockFile = lock?.file
        terms.othersWait = { [self] in jobsWait() || lock?.isAwaited ?? false }
        // Breaks a reference cycle: the closure holds this session, and the session holds the connection.
        defer { terms.othersWait = nil }
        let answers =
            job.sharesTransaction
            ? current.runTogether(job, within: sharing, joinedBy: next) : [current.runAlone(job)]
        if current.isAutocommit {
            checkpointIfLong(current)
            connection = consume current
        }
        return answers
    }

    /// Empties the log and closes the connection. If another process holds the lock, the log is not emptied here: the
    /// other process empties the log when it closes its own connection.
    func finish() {
        guard let connection = connection.take(), lock?.acquireIfFree(as: command) ?? false else { return }
        // If a reader is active or the disk is full, the log stays. A remaining log is safe, because the log is part of
        // the database.
        _ = try? connection.checkpoint(.truncate)
        lock?.release()
    }

    /// Removes and returns the kept connection. Returns nil if there is no connection, or if its schema has changed. In
    /// these cases, a new connection must be opened.
    private func takeConnection() -> Connection? {
        guard let kept = connection.take() else { return nil }
        guard (try? kept.schemaIsAccepted()) == true else { return nil }
        return kept
    }

    private func checkpointIfLong(_ connection: borrowing Connection) {
        guard connection.walFrames >= nextCheckpoint else {
            // If this process or another process has restarted the log, the usual limit applies again.
            if connection.walFrames < Self.checkpointFrames { nextCheckpoint = Self.checkpointFrames }
            return
        }
        // A passive checkpoint keeps the length of the log file, because overwriting blocks takes less time than
        // allocating new ones. The next commit begins at the start of the file, unless a reader still uses the log. The
        // log is emptied only if it has at least twice ``checkpointFrames``. A failed checkpoint is ignored, because
        // the commits are safe in the log and a later checkpoint can copy them.
        _ = try? connection.checkpoint(connection.walFrames < 2 * Self.checkpointFrames ? .passive : .truncate)
        nextCheckpoint = connection.walFrames + Self.checkpointFrames
    }
}
