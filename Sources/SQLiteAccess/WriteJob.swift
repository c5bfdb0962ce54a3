/// A job for the writer's thread. Exactly one of `fail` and the answer that `body` returns is called, once, by whoever
/// took the job from the queue.
struct WriteJob: Sendable {
    /// Tells the caller what has come of the job; to be called when the lock is given back.
    typealias Answer = @Sendable () -> Void

    let ticket: Int
    let wait: WaitLimit
    /// Whether the body is that of a transaction, which other jobs may share. Otherwise it begins its own.
    let sharesTransaction: Bool
    /// Does the work. Where others share the transaction it may be called again, once all that it wrote is undone.
    let body: @Sendable (borrowing Connection) throws -> Answer
    let fail: @Sendable (any Error) -> Void

    func answer(to error: any Error) -> Answer {
        let fail = fail
        return { fail(error) }
    }
}
