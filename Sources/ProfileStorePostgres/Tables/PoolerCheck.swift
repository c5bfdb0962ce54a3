internal import PostgresAccess

/// Tells a connection pooler that keeps sessions, as PgBouncer's session mode, from one that does not.
enum PoolerCheck {
    private static let selectProcess = "SELECT pg_backend_pid()::bigint"

    /// Requires that the pooler between this process and the server gives no session to two clients.
    ///
    /// A pooler gives the session that was used last to the next transaction. So while another connection is in a
    /// transaction, either that one has this connection's session, or this one gets another. Statements have names that
    /// no other connection uses, so that a session which is exchanged later is noticed too.
    /// - Parameters:
    ///   - connection: Outside of a transaction.
    ///   - process: The server's process that has just served it.
    ///   - pool: Where it comes from.
    /// - Throws: `sharedSession`.
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
