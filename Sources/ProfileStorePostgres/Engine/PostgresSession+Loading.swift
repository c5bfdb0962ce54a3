internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// A bulk load into an empty table goes without its indexes, which are made afterwards: three times as fast.
//
// It takes steps. While it goes on, the store says so, so that nobody else writes profiles; and a transaction beside it, the
// guardian, holds a row, by which others see that it is alive. Whoever finds the store loading and that row free makes the
// indexes and ends the load: its rows are there, all or none, since they come in one transaction.
//
// The guardian may be ended while the load goes on: by a timeout of the server's, or by an operator. So each step looks at the
// store's row, and holds it, before it goes on: the indexes are dropped, and the rows copied, while the store is loading
// and has no profile; and the load is ended once all indexes are there. What came of the load is known by its one
// transaction, and by nothing that comes after it.
extension PostgresSession {
    /// Runs `body` while the table has no indexes but those that cost nothing.
    ///
    /// - Parameters:
    ///   - time: When, by the caller's clock.
    ///   - mayBegin: Called while no other session may write profiles.
    ///   - body: Fills the table.
    /// - Returns: What `body` returns; nil where the load may not begin, or others have taken it for dead before.
    /// - Throws: What `body` throws, and what prevents the load from beginning. Nothing was loaded then.
    func withoutIndexes<Value: Sendable>(
        at time: Timestamp, mayBegin: (Transaction) async throws -> Bool,
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value? {
        try await underWay.run { () throws(ProfileStoreError) in
            var outcome: Result<Value?, ProfileStoreError>?
            do throws(ProfileStoreError) {
                try await lend { guardian in
                    guardian.mayBeCancelled = false
                    try await guardian.transaction { alive in
                        try await alive.run([Self.stayingOpen, Command(Self.holdLoads)])
                        // The process that began an earlier load has died.
                        if try await alive.run(SchemaTable.selectState).flag(0, 1) { try await endLoad(at: time) }
                        let begins = try await prepare(at: time) { transaction, _ in
                            try await transaction.run(SchemaTable.hold)
                            guard try await mayBegin(transaction) else { return Outcome(value: false) }
                            return Outcome(value: true, last: [Command("UPDATE store SET is_loading = true")])
                        }
                        guard begins else {
                            outcome = .success(nil)
                            return
                        }
                        do throws(ProfileStoreError) {
                            outcome = .success(try await dropIndexes() ? try await body() : nil)
                        } catch {
                            outcome = .failure(error)
                        }
                        // Also where the task was cancelled: others wait for it. Where it fails the next writer does it.
                        await Task { try? await endLoad(at: time) }.value
                        guardian.deadline = newDeadline
                    }
                }
            } catch {
                // The end of the guardian says nothing about what it has guarded.
                guard outcome != nil else { throw error }
            }
            return try outcome?.get() ?? nil
        }
    }

    /// Ends a load whose process has died.
    ///
    /// - Returns: False if it lives.
    func endDeadLoad() async throws(ProfileStoreError) -> Bool {
        try await lend { guardian in
            try await guardian.transaction { alive in
                let held = try await alive.run([Self.stayingOpen, Command(Self.holdLoads + " SKIP LOCKED")])
                guard !held[1].isEmpty else { return false }
                // A load whose guardian was ended holds the store's row while it copies.
                let state = try await lend { connection in
                    try await connection.run(SchemaTable.share + " SKIP LOCKED")
                }
                guard !state.isEmpty else { return false }
                if state.flag(0, 1) { try await endLoad(at: options.now()) }
                return true
            }
        }
    }

    private static let holdLoads = "SELECT 1 FROM counters WHERE name = 'loads' FOR UPDATE"

    /// Makes the indexes, the unique ones first, and lets others write again.
    private func endLoad(at time: Timestamp) async throws(ProfileStoreError) {
        var hasEnded = false
        while !hasEnded {
            try await lend { connection in
                connection.mayBeCancelled = false
                connection.deadline = .now + Self.longestWork
                for index in Self.indexes { try await Self.make(index, connection) }
                let schema = try await SchemaTable.inForce(connection).schema
                try await PostgresEngine.prepare(for: schema, isAlone: true, connection)
            }
            hasEnded = try await prepare(at: time) { transaction, _ in
                // A load that was taken for dead drops indexes only while it holds this row.
                try await transaction.run(SchemaTable.hold)
                let schema = try await SchemaTable.inForce(transaction).schema
                let names = Self.indexes.map(\.name)
                let there = try await transaction.run(Self.countIndexes, [.texts(names)]).number(0, 0) ?? 0
                let others = try await transaction.run(SchemaTable.selectIndexes)
                guard there == names.count, PostgresEngine.isPrepared(for: schema, others) else {
                    return Outcome(value: false)
                }
                return Outcome(value: true, last: [Command("UPDATE store SET is_loading = false")])
            }
        }
    }

    private static let countIndexes = """
        SELECT count(*) FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid
        WHERE indrelid = 'profiles'::regclass AND indisvalid AND relname = ANY ($1::text[])
        """

    /// Makes an index, unless another session makes it at the same time.
    private static func make(_ index: (name: String, sql: String), _ connection: Connection) async throws {
        do throws(PostgresError) {
            try await connection.run(index.sql)
        } catch {
            // Two that begin at once meet in the server's own table of names.
            guard case .refused(.uniqueViolation, _, let constraint, _) = error, constraint != index.name else {
                throw error
            }
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

    /// Drops the indexes, if the store is loading still.
    ///
    /// - Returns: False if others have taken the load for dead, and have ended it.
    private func dropIndexes() async throws(ProfileStoreError) -> Bool {
        try await lend { connection in
            try await connection.transaction { transaction in
                guard try await transaction.run(SchemaTable.hold).flag(0, 1) else { return false }
                let there = try await transaction.run(SchemaTable.selectIndexes)
                let names = Self.indexes.map(\.name) + (0..<there.count).compactMap { there.text($0, 0) }
                for name in names { try await transaction.run("DROP INDEX IF EXISTS \"\(name)\"") }
                return true
            }
        }
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

/// A bulk load goes on, or has died: profiles cannot be written now.
struct LoadGoesOn: Error {}
