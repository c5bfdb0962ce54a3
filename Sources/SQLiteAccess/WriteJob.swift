/// A job for the writer's thread. The code that takes a job from the queue must either call `fail` once, or run `body`
/// and call the returned answer once.
struct WriteJob: Sendable {
    /// Resumes the caller with the outcome of the job. The closure is called after the lock is released.
    typealias Answer = @Sendable () -> Void

    let ticket: Int
    let wait: WaitLimit
    /// Whether the body runs in a transaction that other jobs may share. Otherwise the body begins its own
    /// transactions.
    let sharesTransaction: Bool
    /// Does the work. If the job shares a transaction and this transaction is rolled back, the closure may be called
    /// again.
    let body: @Sendable (borrowing Connection) throws -> Answer
    let fail: @Sendable (any Error) -> Void

    func answer(to error: any Error) -> Answer {
        let fail = fail
        return { fail(error) }
    }
}
