internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// A bulk load into an empty table goes without its indexes, which are made afterwards: three times as fast.
//
// It takes steps. While it goes on, the store says so, so that nobody else writes profiles; and a transaction beside it
// holds a row, by which others see that it is alive. Whoever finds the store loading and that row free makes the indexes and
// ends the load: its rows are there, all or none, since they come in one transaction.
extension PostgresSession {
    /// Runs `body` while the table has no indexes but those that cost nothing.
    ///
    /// - Parameters:
    ///   - time: When, by the caller's clock.
    ///   - mayBegin: Asked while nobody else may write profiles.
    ///   - body: Fills the table.
    /// - Returns: What `body` returns; nil where the load may not begin.
    /// - Throws: What `body` throws, and what other writes throw.
    func withoutIndexes<Value: Sendable>(
        at time: Timestamp, mayBegin: (Transaction) async throws -> Bool,
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value? {
        try await underWay.run { () throws(ProfileStoreError) in
            try await lend { guardian in
                guardian.mayBeCancelled = false
                return try await guardian.transaction { alive in
                    try await alive.run(Self.holdLoads)
                    // Whoever has begun a load before has died.
                    if try await alive.run(SchemaTable.selectState).flag(0, 1) { try await endLoad(at: time) }
                    let begins = try await write(at: time) { transaction, _ in
                        try await transaction.run(SchemaTable.hold)
                        guard try await mayBegin(transaction) else { return Outcome(value: false) }
                        return Outcome(value: true, last: [Command("UPDATE store SET is_loading = true")])
                    }
                    guard begins else { return nil }
                    let outcome: Result<Value, ProfileStoreError>
                    do throws(ProfileStoreError) {
                        try await lend { connection in try await Self.dropIndexes(connection) }
                        outcome = .success(try await body())
                    } catch {
                        outcome = .failure(error)
                    }
                    // Also where the task was cancelled: others wait for it.
                    try await Task { await Result(of: endLoad, time) }.value.get()
                    guardian.deadline = newDeadline
                    return try outcome.get()
                }
            }
        }
    }

    /// Ends a load whose process has died.
    ///
    /// - Returns: False if it lives.
    func endDeadLoad() async throws(ProfileStoreError) -> Bool {
        try await lend { guardian in
            try await guardian.transaction { alive in
                guard try await !alive.run(Self.holdLoads + " SKIP LOCKED").isEmpty else { return false }
                if try await alive.run(SchemaTable.selectState).flag(0, 1) { try await endLoad(at: options.now()) }
                return true
            }
        }
    }

    private static let holdLoads = "SELECT 1 FROM counters WHERE name = 'loads' FOR UPDATE"

    /// Makes the indexes, the unique ones first, and lets others write again.
    private func endLoad(at time: Timestamp) async throws(ProfileStoreError) {
        try await lend { connection in
            connection.mayBeCancelled = false
            connection.deadline = .now + Self.longestWork
            for index in Self.indexes { try await connection.run(index.sql) }
            let schema = try await SchemaTable.inForce(connection).schema
            try await PostgresEngine.prepare(for: schema, isAlone: true, connection)
        }
        try await write(at: time) { transaction, _ in
            Outcome(value: (), last: [Command("UPDATE store SET is_loading = false")])
        }
    }

    /// The indexes that hold every row, as the migrations make them. The one of ids costs nothing, since they rise.
    private static let indexes = [
        (
            name: "profiles_username",
            sql: "CREATE UNIQUE INDEX IF NOT EXISTS profiles_username ON profiles (username$key)"
        ),
        (
            name: "profiles_passwords",
            sql: """
            CREATE INDEX IF NOT EXISTS profiles_passwords ON profiles (password_is_judged, password_schema_version)
            WHERE password_hash IS NOT NULL
            """
        ),
    ]

    private static func dropIndexes(_ connection: Connection) async throws {
        let there = try await connection.run(SchemaTable.selectIndexes)
        let names = indexes.map(\.name) + (0..<there.count).compactMap { there.text($0, 0) }
        for name in names { try await connection.run("DROP INDEX IF EXISTS \"\(name)\"") }
    }

    /// How long making an index may take.
    static let longestWork = Duration.seconds(3_600)

    /// Lends a connection for what is neither a read that may be repeated nor a transaction with a key.
    private func lend<Value: Sendable>(
        _ body: (Connection) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        let start = ContinuousClock.now
        do {
            return try await pool.withConnection(until: newDeadline, body)
        } catch {
            throw ProfileStoreError(translating: error, since: start)
        }
    }
}

extension Result where Success == Void, Failure == ProfileStoreError {
    /// What comes of an attempt, to be handed from task to task.
    fileprivate init(of attempt: (Timestamp) async throws(ProfileStoreError) -> Void, _ time: Timestamp) async {
        do throws(ProfileStoreError) { self = .success(try await attempt(time)) } catch { self = .failure(error) }
    }
}

/// A bulk load goes on, or has died: profiles cannot be written now.
struct LoadGoesOn: Error {}
