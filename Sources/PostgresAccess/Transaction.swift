/// A transaction on a connection. Its `BEGIN` and its first commands are sent in one round trip.
///
/// Only the task that borrowed the connection may use it.
package final class Transaction {
    private let connection: Connection
    /// The commands that are sent before the next commands of the caller.
    private var preface: [Command]
    /// Whether the server has confirmed the `COMMIT`.
    fileprivate private(set) var isCommitted = false

    fileprivate init(_ connection: Connection, _ preface: [Command]) {
        self.connection = connection
        self.preface = preface
    }

    /// Runs commands in order, in one round trip. If a command fails, the server skips the commands after it, and the
    /// transaction has failed.
    @discardableResult
    package func run(_ commands: [Command]) async throws(PostgresError) -> [Rows] {
        let preface = preface
        self.preface = []
        return Array(try await connection.run(preface + commands).dropFirst(preface.count))
    }

    /// Runs one command.
    @discardableResult
    package func run(_ sql: String, _ values: Values = []) async throws(PostgresError) -> Rows {
        try await run([Command(sql, values)])[0]
    }

    /// Runs the last commands of the transaction, then `COMMIT`, and then queries. All of them are sent in one round
    /// trip.
    ///
    /// - Parameters:
    ///   - commands: The last commands.
    ///   - questions: Queries that the server runs after the commit. They see the data and the settings after the
    ///     commit.
    /// - Returns: The rows of the commands, followed by the rows of the queries.
    /// - Throws: `outcomeUnknown` if it is unknown whether the transaction was committed. If any other error is thrown,
    ///   the transaction was not committed.
    @discardableResult
    package func commit(
        _ commands: [Command] = [], thenAsking questions: [Command] = []
    ) async throws(PostgresError) -> [Rows] {
        let all = preface + commands + [Command("COMMIT")]
        let first = preface.count
        preface = []
        let rows = try await connection.commit(all, thenAsking: questions)
        isCommitted = true
        return Array(rows[first..<all.count - 1] + rows[all.count...])
    }

    fileprivate func rollBack() async throws(PostgresError) {
        guard !connection.isBroken, connection.isInTransaction else { return }
        try await connection.run("ROLLBACK")
    }
}

extension Connection {
    /// Runs `body` in a transaction. If `body` does not commit the transaction, it is committed afterwards. If `body`
    /// throws, the transaction is rolled back.
    ///
    /// - Parameters:
    ///   - begin: The statement that begins the transaction, such as `BEGIN ISOLATION LEVEL REPEATABLE READ`.
    ///   - preface: Commands to send together with `begin`.
    ///   - body: The work of the transaction.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or a ``PostgresError``.
    @discardableResult
    package func transaction<Value>(
        _ begin: String = "BEGIN", _ preface: [Command] = [], _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let transaction = Transaction(self, [Command(begin)] + preface)
        do {
            let value = try await body(transaction)
            if !transaction.isCommitted { try await transaction.commit() }
            return value
        } catch {
            try? await transaction.rollBack()
            throw error
        }
    }
}
