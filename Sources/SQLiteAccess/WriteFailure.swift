/// Why a job was not run.
package enum WriteRefusal: Error, Hashable, Sendable {
    /// The write lock did not come in time.
    case busy(holder: WriteLock.Holder?, waited: Duration)
    /// As many jobs wait already as may.
    case tooManyWaiting
    /// The writer is closed.
    case closed
    /// The task was cancelled before its turn.
    case cancelled
}

/// An error type that can say all that can go wrong when a ``DatabaseWriter`` writes.
package protocol WriteFailure: SQLiteErrorConvertible, Sendable {
    init(_ refusal: WriteRefusal)
}
