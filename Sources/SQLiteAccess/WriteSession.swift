/// What the writer's thread owns: the lock and the connection.
///
/// `@unchecked Sendable`: only the writer's one thread touches it.
final class WriteSession: @unchecked Sendable {
    /// Frames in the write-ahead log (of 4 KiB, so 64 MB) from which a checkpoint is worth its two syncs. More would
    /// keep the next writer waiting for longer.
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
        // Else a lock file would be made anew beside a database that is gone.
        try connection?.requireInPlace()
        if lock == nil { lock = try WriteLock(path) }
        try lock?.acquire(as: command)
    }

    func releaseLock() { lock?.release() }

    /// Opens if need be, runs a job, and checkpoints if the log has become long. A job that shares its transaction is
    /// joined by those that `next` gives. Locks of other programs are waited for as long as the job waits.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - jobsWait: Whether other jobs of this process wait.
    ///   - next: The next job that may join.
    /// - Returns: What tells the callers.
    func perform(
        _ job: WriteJob, whileOthersWait jobsWait: @escaping () -> Bool, joinedBy next: () -> WriteJob?
    ) -> [WriteJob.Answer] {
        // The connection is out of its place while it is used, and comes back if it is still of use.
        let current: Connection
        if let kept = takeConnection() {
            current = kept
        } else {
            do { current = try open(job.wait) } catch { return [job.answer(to: error)] }
        }
        let terms = current.terms
        terms.lockFile = lock?.file
        terms.othersWait = { [self] in jobsWait() || lock?.isAwaited ?? false }
        // It holds this session, which holds the connection.
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

    /// Closes, and empties the log unless another process has the lock: whoever has it empties the log when it closes.
    func finish() {
        guard let connection = connection.take(), lock?.acquireIfFree(as: command) ?? false else { return }
        // With a reader about, or on a full disk, the log stays as it is: it is part of the database.
        _ = try? connection.checkpoint(.truncate)
        lock?.release()
    }

    /// The connection that was kept, unless it is to be opened again because the schema has changed since.
    private func takeConnection() -> Connection? {
        guard let kept = connection.take() else { return nil }
        guard (try? kept.schemaIsAccepted()) == true else { return nil }
        return kept
    }

    private func checkpointIfLong(_ connection: borrowing Connection) {
        guard connection.walFrames >= nextCheckpoint else {
            // The log began anew since, by this process or another.
            if connection.walFrames < Self.checkpointFrames { nextCheckpoint = Self.checkpointFrames }
            return
        }
        // What it could not do, the next one can. The commits are safe in the log.
        let isEmpty = (try? connection.checkpoint(.truncate))?.isComplete ?? false
        nextCheckpoint = isEmpty ? Self.checkpointFrames : connection.walFrames + Self.checkpointFrames
    }
}
