/// How long somebody is ready to wait, and since when.
package struct WaitLimit: Sendable {
    package let start: ContinuousClock.Instant
    package let deadline: ContinuousClock.Instant

    /// Begins now. 50 ms are the least, which it takes to find a free lock free; the most keeps sums from overflowing.
    package init(_ limit: Duration) {
        start = .now
        deadline = start + min(max(limit, .milliseconds(50)), .seconds(1_000_000_000))
    }

    /// What is left, as SQLite counts it.
    var remainingMilliseconds: Int32 {
        let remaining = (deadline - .now).components
        guard remaining.seconds < Int64(Int32.max / 1_000) else { return .max }
        let milliseconds = remaining.seconds * 1_000 + remaining.attoseconds / 1_000_000_000_000_000
        return Int32(max(0, milliseconds))
    }

    /// Runs what may have to wait for locks of SQLite's own; an error that says so then says for how long.
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
