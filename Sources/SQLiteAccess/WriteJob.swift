/// A job for the writer's thread. The code that takes the job from the queue calls either `fail` or the answer that
/// `body` returns, exactly once.
struct WriteJob: Sendable {
    /// Resumes the caller with the outcome of the job. It is called after the lock is released.
    typealias Answer = @Sendable () -> Void

    let ticket: Int
    let wait: WaitLimit
    /// Whether the body runs in a transaction that other jobs may share. Otherwise the body begins its own
    /// transactions.
    let sharesTransaction: Bool
    /// Does the work. If it shares a transaction that is undone, it may be called again after the rollback.
    let body: @Sendable (borrowing Connection) throws -> Answer
    let fail: @Sendable (any Error) -> Void

    func answer(to error: any Error) -> Answer {
        let fail = fail
        return { fail(error) }
    }
}
