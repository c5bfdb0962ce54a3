/// A transaction on a connection: begun with the first commands, in one round trip with them.
///
/// It is not handed to other tasks: whoever has the connection has it.
package final class Transaction {
    private let connection: Connection
    /// What is still to be sent before anything else.
    private var preface: [Command]
    /// The last commands, which were sent with the `COMMIT`.
    fileprivate private(set) var isCommitted = false

    fileprivate init(_ connection: Connection, _ preface: [Command]) {
        self.connection = connection
        self.preface = preface
    }

    /// Runs commands one after another, all in one round trip; the first that fails ends them, and the transaction.
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

    /// Runs the transaction's last commands, commits it, and asks questions behind the `COMMIT`, all in one round trip.
    ///
    /// - Parameters:
    ///   - commands: The last commands.
    ///   - questions: Queries that the server runs after the commit. They see what was committed, and the settings as they
    ///     are then.
    /// - Returns: The rows of the commands, then those of the questions.
    /// - Throws: `outcomeUnknown`, of which nobody knows whether it was committed; another error, after which it was not.
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
    /// Runs `body` in a transaction, and commits it unless `body` has done so. When `body` throws it is rolled back.
    ///
    /// - Parameters:
    ///   - begin: The statement that begins it, such as `BEGIN ISOLATION LEVEL REPEATABLE READ`.
    ///   - preface: Commands that go with it.
    ///   - body: What is done.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or a ``PostgresError``.
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
