internal import PostgresAccess

/// Finds out whether a connection pooler reserves one session for each client, as PgBouncer does in session mode.
enum PoolerCheck {
    private static let selectProcess = "SELECT pg_backend_pid()::bigint"

    /// Checks that the pooler between this process and the server does not give one session to two clients.
    ///
    /// A pooler that shares sessions gives the most recently used session to the next transaction. So this method opens
    /// a transaction on another connection. If the pooler shares sessions, there are two cases: the other connection
    /// gets the session of `connection`, or `connection` gets another session. Both cases are detected. A pooler may
    /// also give `connection` another session later. That session does not contain the statements that `connection` has
    /// prepared. In this case, the next command also throws `sharedSession`.
    /// - Parameters:
    ///   - connection: A connection that is not in a transaction.
    ///   - process: The process ID of the server process that last served `connection`.
    ///   - pool: The pool of `connection`.
    /// - Throws: `sharedSession` if the pooler shares sessions.
    static func requireOwnSessions(
        _ connection: Connection, servedBy process: Int64, of pool: ConnectionPool
    ) async throws {
        try await pool.withConnection(until: connection.deadline) { other in
            try await other.transaction { transaction in
                let others = try await transaction.run(selectProcess).number(0, 0)
                let own = try await connection.run(selectProcess).number(0, 0)
                guard others != process, own == process else { throw PostgresError.sharedSession }
            }
        }
    }
}
