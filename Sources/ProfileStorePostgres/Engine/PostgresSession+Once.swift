internal import PostgresAccess
internal import ProfileStore

// Writes whose transaction runs only once.
extension PostgresSession {
    /// Runs a write whose transaction cannot be repeated, because the input of the write can be read only once. `body`
    /// also gets the connection, so it can extend the deadline for work that exceeds the time limit of a call.
    ///
    /// - Returns: Nil if the body rolled the transaction back.
    /// - Throws: `outcomeUnknown` if this method could not find out in time whether the transaction was committed.
    ///   After any other error, the transaction was not committed.
    func writeOnce<Value: Sendable>(
        at time: Timestamp, _ body: (Connection, Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Committed<Value>? {
        try await underWay.run { () throws(ProfileStoreError) in try await writeOnceUnderWay(at: time, body) }
    }

    private func writeOnceUnderWay<Value: Sendable>(
        at time: Timestamp, _ body: (Connection, Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Committed<Value>? {
        let start = ContinuousClock.now
        let key = Self.newKey()
        var made: Value?
        do {
            return try await pool.withConnection(until: newDeadline) { connection in
                do {
                    let preface = [Self.stayingOpen, keeping(key, outcome: "0", at: time)]
                    return try await connection.transaction("BEGIN", preface) { transaction in
                        let outcome = try await body(connection, transaction, key)
                        made = outcome.value
                        guard try await transaction.commit(outcome.last, onQuorumOf: pool.list) else {
                            throw QuorumIsGone(isStored: true)
                        }
                        return Committed(value: outcome.value)
                    }
                } catch let error as ProfileStoreError {
                    return try await proving(connection) { throw error }
                }
            }
        } catch is LoadIsUndone {
            return nil
        } catch {
            guard let made else { throw ProfileStoreError(translating: error, since: start) }
            let problem: ServerFault
            switch error {
            case PostgresError.outcomeUnknown(let words): problem = .reported(words)
            case is QuorumIsGone: problem = .onOneMachine
            default: throw ProfileStoreError(translating: error, since: start)
            }
            // A separate task finds out the outcome, because the outcome is needed even if the caller was cancelled.
            switch await Task(operation: { await fate(of: key, at: time) }).value {
            case .committed: return Committed(value: made)
            case .committedAlone: return Committed(value: made, isOnOneMachine: true)
            case .notCommitted: throw .unavailable([.notCommitted])
            case .unknown: throw .outcomeUnknown(problem)
            }
        }
    }

    /// The outcome of a transaction.
    private enum Fate { case committed, committedAlone, notCommitted, unknown }

    /// Finds out whether the only transaction with this key was committed. If the transaction was not committed, this
    /// call prevents a later commit of the transaction.
    private func fate(of key: String, at time: Timestamp) async -> Fate {
        do throws(ProfileStoreError) {
            return try await repeating { deadline throws in
                do {
                    try await pool.withConnection(until: deadline) { connection in
                        try await keep(key, outcome: Self.nothing, at: time, connection)
                    }
                    return .notCommitted
                } catch let error as PostgresError where KeyedWriteTable.isTaken(error) || Durability.isMissing(error) {
                    guard let kept = try await kept(key, until: deadline) else {
                        throw Durability.isMissing(error) ? error : PostgresError.lost("")
                    }
                    // An earlier attempt of this method may have inserted the key, if the answer to the COMMIT of that
                    // attempt was lost.
                    guard kept.outcome != Self.nothing else { return .notCommitted }
                    guard kept.isSafe else { throw QuorumIsGone(isStored: true) }
                    return .committed
                }
            }
        } catch {
            if error.code == .storedOnOneMachine { return .committedAlone }
            return .unknown
        }
    }

    /// A command that keeps a transaction open while the client sends nothing for some time. Without this command, some
    /// servers would end the transaction.
    static let stayingOpen = Command("SET LOCAL idle_in_transaction_session_timeout = 0")
}
