internal import Threads

extension ProfileRepository {
    /// Runs calls with another limit than ``Options/waitLimit``, for example that of a request:
    ///
    /// ```swift
    /// let profile = try await repository.withWaitLimit(.seconds(2)) {
    ///     try await repository.edit("ann", expecting: revision) { $0[.address] = "4 Elm St" }
    /// }
    /// ```
    ///
    /// All calls of `body` share the limit, including calls in its child tasks. A call may wait for the lock of another
    /// writer, a row lock, a connection or an answer of the server. If a call still waits when the limit has passed,
    /// the call fails with `busy`, `unavailable` or `outcomeUnknown`. A call that begins later can still use a lock or
    /// a connection that is free. The computation of a hash is not limited.
    ///
    /// Do not run an import, an export or a stream of changes in `body`: each of them takes many calls.
    ///
    /// - Parameters:
    ///   - limit: The limit, at least 50 ms. If calls of this method are nested, the earliest deadline applies.
    ///   - body: The calls.
    /// - Returns: The value that `body` returns.
    /// - Throws: The error of `body`.
    public func withWaitLimit<Value, Failure>(
        _ limit: Duration, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await CallDeadline.at(min(CallDeadline.orFromNow(limit), CallDeadline.fromNow(limit)), body)
    }
}
