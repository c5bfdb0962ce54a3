internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// Writes with an idempotency key of the caller.
extension PostgresSession {
    /// Writes in a transaction with the caller's idempotency key. A repeated call with this key writes nothing and
    /// returns the outcome of the first call.
    ///
    /// - Parameters:
    ///   - request: The key and the request.
    ///   - time: The time by the caller's clock.
    ///   - schema: Returns the schema that is needed to read a stored outcome.
    ///   - body: The function that writes. `body` may run more than once. If `body` throws an error that is the answer
    ///     to the request, this error is stored too.
    /// - Returns: The outcome of the first write with this key, and whether this call made that write.
    /// - Throws: `outcomeUnknown` if the outcome could not be found out in time, `keyReused`, …
    func write<Value: KeyedValue>(
        _ request: KeyedRequest, at time: Timestamp, under schema: () async throws -> ProfileSchema,
        _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> (answer: Result<Value, ProfileStoreError>, isNew: Bool) {
        try await repeating { deadline throws in
            let key = request.key.text
            do {
                let value = try await pool.withConnection(until: deadline) { connection in
                    do {
                        let preface = [
                            KeyedWriteTable.forgetting(key, at: time),
                            keeping(key, of: request.fingerprint, outcome: "null", at: time),
                        ]
                        return try await connection.transaction("BEGIN", preface) { transaction in
                            let own = Self.newKey()
                            let outcome = try await body(transaction, own)
                            let stored = KeyedOutcome(Result<Value, ProfileStoreError>.success(outcome.value)).stored
                            let remember =
                                [KeyedWriteTable.setting(key, outcome: stored)] + forgettingSome(own, at: time)
                            guard try await outcome.commit(transaction, with: remember, onQuorumOf: pool.list) else {
                                throw QuorumIsGone(isStored: true)
                            }
                            return outcome.value
                        }
                    } catch let error as ProfileStoreError where request.isAnswered(by: error) {
                        let refused = KeyedOutcome(Result<Value, ProfileStoreError>.failure(error))
                        try await prove(
                            key, of: request.fingerprint, outcome: refused.stored, at: time, connection)
                        throw error
                    } catch let error as ProfileStoreError {
                        return try await proving(connection) { throw error }
                    }
                }
                return (.success(value), true)
            } catch let error as PostgresError where KeyedWriteTable.isTaken(error) || Durability.isMissing(error) {
                guard let first = try await outcome(of: request, under: schema, until: deadline) else {
                    throw Durability.isMissing(error) ? error : PostgresError.lost("")
                }
                return (first.answer(), false)
            } catch let error as ProfileStoreError where request.isAnswered(by: error) {
                return (.failure(error), false)
            }
        }
    }

    /// Waits until another machine also has the write with this key, and returns the outcome of this write. Returns nil
    /// if no such write was made.
    ///
    /// - Throws: `keyReused`, `storedOnOneMachine`, …
    func outcome(
        of request: KeyedRequest, under schema: () async throws -> ProfileSchema
    ) async throws(ProfileStoreError) -> KeyedOutcome? {
        try await repeating { deadline throws in
            try await outcome(of: request, under: schema, until: deadline)
        }
    }

    private func outcome(
        of request: KeyedRequest, under schema: () async throws -> ProfileSchema,
        until deadline: ContinuousClock.Instant
    ) async throws -> KeyedOutcome? {
        guard let kept = try await kept(request.key.text, until: deadline) else { return nil }
        let outcome = try request.outcome(of: kept.request, stored: kept.outcome, under: try await schema())
        guard kept.isSafe else {
            let isRefusal = if case .refused = outcome { true } else { false }
            throw QuorumIsGone(isStored: !isRefusal)
        }
        return outcome
    }
}
