internal import PostgresAccess
internal import ProfileCore
internal import PostgresMigrations
public import ProfileStore

// Stores in PostgreSQL databases.
extension ProfileRepository {
    /// Opens a store in a PostgreSQL database.
    ///
    /// The URI has libpq's form, such as `postgresql://user@one,two,three/profiles`. If the URI lists several servers,
    /// they are tried one at a time. The server that accepts writes is used. `sslmode` sets the TLS mode. Its default
    /// is `verify-full` for a server on another machine. A password comes from `PGPASSFILE`, `PGPASSWORD` or a service
    /// file, never from the URI.
    ///
    /// The URI may also contain three settings that libpq does not have:
    ///
    /// - `connections=16`: the maximum number of open connections, from 2 to 1,000.
    /// - `schema=name`: the database schema that contains the tables, so one database can hold several stores.
    /// - `durability=local`: a commit may return before it is safe on another machine, and even before it is safe on
    ///   disk.
    ///
    /// - Parameters:
    ///   - uri: The address of the database.
    ///   - options: The options for opening and using the store.
    /// - Returns: The open store. Call ``/ProfileStore/ProfileRepository/close()`` when you no longer need it.
    /// - Throws: `ProfileStoreError`: `unreadableAddress`, `unavailable`, `notPermitted`, `notDurable`, `noStore`,
    ///   `newerStore`, `olderStore`, …
    public static func open(
        postgres uri: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> ProfileRepository {
        let session = try PostgresSession(uri, options)
        do throws(ProfileStoreError) {
            return try await session.call { () throws(ProfileStoreError) in try await open(session, options) }
        } catch {
            await session.pool.end()
            throw error
        }
    }

    private static func open(
        _ session: PostgresSession, _ options: Options
    ) async throws(ProfileStoreError) -> ProfileRepository {
        let list = session.pool.list
        let (applied, hasRules) = try await session.read { connection in
            try await Durability.require(connection, of: session.pool)
            let applied = try await Migrator.applied(connection)
            guard !applied.isEmpty else { return (applied, false) }
            return (applied, try await connection.run(SchemaTable.selectVersion).number(0, 0) != 0)
        }
        try Migrator.verify(applied, list.description)
        // Another process may still be creating the store, or may have died while creating it.
        if !hasRules {
            guard options.createsMissing else { throw .noStore(path: list.description) }
            try await session.create(options)
        } else if let version = applied.keys.max(), version < Migrator.latest {
            throw .olderStore(path: list.description, version: version, known: Migrator.latest)
        }
        return try await ProfileRepository(PostgresEngine(session, options), options)
    }

    // MARK: Migrating

    /// Returns the migrations that this program knows, oldest first, and whether each is applied to the store.
    ///
    /// - Throws: `noStore`, `newerStore`, `unavailable`, …
    public static func migrationStatus(
        postgres uri: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> [MigrationStatus] {
        try await withSession(uri, options) { connection, applied in
            Migration.postgres.map { MigrationStatus(name: $0.name, isApplied: applied[$0.version] != nil) }
        }
    }

    /// Applies the migrations that a store lacks, each in one transaction. If a call was interrupted, the next call
    /// continues with the first missing migration.
    ///
    /// - Returns: The names of the migrations that it applied.
    public static func migrate(
        postgres uri: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> [String] {
        try await withSession(uri, options) { connection, _ in
            try await Migrator.migrate(connection, at: options.now())
        }
    }

    /// Calls `body` with a connection to a database. Throws `noStore` if the database has no store, and `newerStore` if
    /// a later version of this program has migrated the store.
    private static func withSession<Value: Sendable>(
        _ uri: String, _ options: Options, _ body: (Connection, _ applied: [Int: String]) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        let session = try PostgresSession(uri, options)
        let outcome: Result<Value, ProfileStoreError>
        do throws(ProfileStoreError) {
            outcome = .success(
                try await session.read { connection in
                    let applied = try await Migrator.applied(connection)
                    let place = session.pool.list.description
                    guard !applied.isEmpty else { throw ProfileStoreError.noStore(path: place) }
                    try Migrator.verify(applied, place)
                    return try await body(connection, applied)
                })
        } catch {
            outcome = .failure(error)
        }
        await session.pool.end()
        return try outcome.get()
    }
}

extension PostgresSession {
    init(_ uri: String, _ options: ProfileRepository.Options) throws(ProfileStoreError) {
        let list: ServerList
        do throws(ServerListError) {
            list = try ServerList(uri)
        } catch {
            switch error {
            case .holdsPassword:
                throw .unreadableAddress(.holdsPassword)
            case .unreadable(let words): throw .unreadableAddress(.reported(words))
            }
        }
        do throws(PostgresError) {
            self.init(pool: try ConnectionPool(list, limit: list.connectionLimit ?? 16), options: options)
        } catch {
            throw ProfileStoreError(translating: error, since: .now)
        }
    }

    /// Creates the tables of a new store and puts its first schema in force. If this method is interrupted, another
    /// process can continue the work.
    func create(_ options: ProfileRepository.Options) async throws(ProfileStoreError) {
        try await read { connection in
            do {
                try await makeTables(connection, at: options.now())
            } catch let error as PostgresError where error.state == .uniqueViolation || error.state == .duplicateTable {
                // Another process has just made the same database schema or the same tables.
                throw PostgresError.changedMeanwhile
            }
            let schema = options.initialSchema.placed(after: [])
            var isInForce = false
            // The loop always ends: after the connection's deadline, a command throws.
            while !isInForce {
                try await PostgresEngine.prepare(for: schema, connection)
                isInForce = try await connection.transaction { transaction in
                    let held = try await transaction.run(SchemaTable.hold)
                    guard held.number(0, 0) == 0 else { return true }
                    let indexes = try await SchemaTable.indexes(transaction)
                    guard PostgresEngine.isPrepared(for: schema, indexes) else { return false }
                    try await transaction.run(SchemaTable.putInForce(schema, as: 1, at: options.now()))
                    return true
                }
            }
        }
    }

    private func makeTables(_ connection: Connection, at time: Timestamp) async throws {
        if let name = pool.list.schema { try await connection.run("CREATE SCHEMA IF NOT EXISTS \(name)") }
        _ = try await Migrator.migrate(connection, at: time)
    }
}
