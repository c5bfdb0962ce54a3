/// The start and the deadline of a wait.
package struct WaitLimit: Sendable {
    package let start: ContinuousClock.Instant
    package let deadline: ContinuousClock.Instant

    /// Begins a wait now. The limit is at least 50 ms, which is enough to take a free lock. The limit is at most
    /// 1,000,000,000 s, because calculations with a longer time could overflow.
    package init(_ limit: Duration) {
        start = .now
        deadline = start + min(max(limit, .milliseconds(50)), .seconds(1_000_000_000))
    }

    /// The remaining time in milliseconds, for SQLite's busy timeout; 0 if the deadline has passed.
    var remainingMilliseconds: Int32 {
        let remaining = (deadline - .now).components
        guard remaining.seconds < Int64(Int32.max / 1_000) else { return .max }
        let milliseconds = remaining.seconds * 1_000 + remaining.attoseconds / 1_000_000_000_000_000
        return Int32(max(0, milliseconds))
    }

    /// Runs `body`, which may have to wait for SQLite's own locks. If `body` throws a `busy` error, the time since
    /// `start` is stored in ``SQLiteError/waited``.
    func measuring<Value: ~Copyable>(
        _ body: () throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            guard ResultCode.busy ~= error.code else { throw error }
            var error = error
            error.waited = .now - start
            throw error
        }
    }
}
