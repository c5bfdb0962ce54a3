internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// A bulk load into an empty table first drops the indexes, and creates them again at the end. Such a load is three
// times as fast as a load with the indexes.
//
// The load has several steps. During the load, the row of the table `store` says that the store is loading, and no
// other session writes profiles. A second transaction, the guardian, locks the row `loads` of the table `counters`
// during the load. The lock shows other sessions that the load is alive. If a session finds that the store is loading
// and the row `loads` is unlocked, this session creates the indexes and ends the load. One transaction writes all rows
// of the load. So after the load has ended, the store contains either all of these rows or none of them.
//
// During the load, a timeout of the server or an operator may end the guardian. So each step first locks and checks the
// row of `store`. The indexes are dropped and the rows are copied only while the store is loading and has no profile.
// The load ends only when all indexes exist. Only the transaction that writes the rows decides the outcome of the load.
// Later steps do not change the outcome.
extension PostgresSession {
    /// Drops the indexes that would slow `body` down, runs `body`, and creates the indexes again.
    ///
    /// - Parameters:
    ///   - time: The time by the caller's clock.
    ///   - mayBegin: Returns whether the load may begin. During this call, no other session can write profiles.
    ///   - body: Fills the table.
    /// - Returns: The result of `body`; nil if the load may not begin. Also nil if another session assumed that the
    ///   load was dead, and ended the load.
    /// - Throws: The error of `body`, or the error that prevented the load from beginning. Nothing was loaded, unless
    ///   the error is `outcomeUnknown`.
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
                        // This transaction has locked the row `loads`. So if the store is already loading, the process
                        // that began that load has died.
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
                        // The load is ended even if the task is cancelled, because other sessions wait for the end of
                        // the load. If this fails, the next writer ends the load.
                        await Task { try? await endLoad(at: time) }.value
                        guardian.deadline = newDeadline
                    }
                }
            } catch {
                // If the load already has an outcome, an error of the guardian does not change the outcome.
                guard outcome != nil else { throw error }
            }
            return try outcome?.get() ?? nil
        }
    }

    /// Ends a load whose process has died.
    ///
    /// - Returns: False if the process is alive.
    func endDeadLoad() async throws(ProfileStoreError) -> Bool {
        try await lend { guardian in
            try await guardian.transaction { alive in
                let held = try await alive.run([Self.stayingOpen, Command(Self.holdLoads + " SKIP LOCKED")])
                guard !held[1].isEmpty else { return false }
                // If a load has lost its guardian, the load still locks the row of `store` while it copies rows.
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

    /// Creates the indexes again, and then lets other sessions write again.
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
                // A load that seemed dead may still run. But a load drops indexes only while it has locked the row of
                // `store`. So this transaction locks that row before it checks the indexes.
                try await transaction.run(SchemaTable.hold)
                let schema = try await SchemaTable.inForce(transaction).schema
                let names = Self.indexes.map(\.name)
                let there = try await transaction.run(Self.countIndexes, [.texts(names)]).number(0, 0) ?? 0
                let others = try await SchemaTable.indexes(transaction)
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

    /// Creates the indexes of a schema in the transaction that fills the table.
    static func makeIndexes(for schema: ProfileSchema, _ transaction: Transaction) async throws {
        for index in indexes { try await transaction.run(index.sql) }
        for (field, isUnique) in ProfileTable.indexes(of: schema) {
            try await transaction.run(ProfileTable.createIndex(field.column, isUnique: isUnique, concurrently: false))
        }
    }

    /// Creates an index. If another session creates the index at the same time, does nothing.
    private static func make(_ index: (name: String, sql: String), _ connection: Connection) async throws {
        do throws(PostgresError) {
            try await connection.run(index.sql)
        } catch {
            // If two sessions create the same index at the same time, one of them violates a unique index of
            // `pg_class`.
            guard case .refused(.uniqueViolation, _, let constraint, _) = error, constraint != index.name else {
                throw error
            }
        }
    }

    /// The indexes that a load drops in every store. The SQL is the same as in the migrations. The index of ids is not
    /// dropped: new ids always increase, so inserting them into this index costs almost nothing.
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

    /// Drops the indexes if the store is still loading.
    ///
    /// - Returns: False if another session assumed that the load was dead, and ended the load.
    private func dropIndexes() async throws(ProfileStoreError) -> Bool {
        try await lend { connection in
            try await connection.transaction { transaction in
                guard try await transaction.run(SchemaTable.hold).flag(0, 1) else { return false }
                let names = try await Self.indexes.map(\.name) + SchemaTable.indexes(transaction).map(\.name)
                for name in names { try await transaction.run("DROP INDEX IF EXISTS \"\(name)\"") }
                return true
            }
        }
    }

    /// The maximum time for creating all indexes of a bulk load or of a schema.
    static let longestWork = Duration.seconds(3_600)

    /// Calls `body` with a connection. This method runs `body` only once, and the transactions of `body` get no key.
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

/// The store is marked as loading: a bulk load is running, or its process ended before the load was complete. Profiles
/// cannot be written now.
struct LoadGoesOn: Error {}
