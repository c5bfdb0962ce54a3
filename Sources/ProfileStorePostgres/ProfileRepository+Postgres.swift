internal import PostgresAccess
internal import PostgresMigrations
public import ProfileStore

// Stores in PostgreSQL databases.
extension ProfileRepository {
    /// Opens a store in a PostgreSQL database.
    ///
    /// The URI is libpq's, `postgresql://user@one,two,three/profiles`: several servers are tried one at a time, and the one
    /// that takes writes is gone by. TLS is as `sslmode` says, `verify-full` where nothing does and the server is another
    /// machine. A password comes from `PGPASSFILE`, `PGPASSWORD` or a service, and never from the URI. Three settings
    /// are our own: `connections=16`, the most that are open at once, from 2 to 1,000; `schema=name`, the schema that holds the tables, so
    /// that a database has room for several stores; and `durability=local`, with which a commit need not be safe on another
    /// machine.
    ///
    /// - Parameters:
    ///   - uri: Where the database is.
    ///   - options: How it is opened and used.
    /// - Returns: The open store; ``/ProfileStore/ProfileRepository/close()`` it in the end.
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
        // Another process may still be creating it, or may have died while creating it.
        if !hasRules {
            guard options.createsMissing else { throw .noStore(path: list.description) }
            try await session.create(options)
        } else if let version = applied.keys.max(), version < Migrator.latest {
            throw .olderStore(path: list.description, version: version, known: Migrator.latest)
        }
        return try await ProfileRepository(PostgresEngine(session, options), options)
    }

    // MARK: Migrating

    /// The migrations that this program knows, oldest first, and whether the store has them.
    ///
    /// - Throws: `noStore`, `newerStore`, `unavailable`, …
    public static func migrationStatus(
        postgres uri: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> [MigrationStatus] {
        try await withSession(uri, options) { connection, applied in
            Migration.all.map { MigrationStatus(name: $0.name, isApplied: applied[$0.version] != nil) }
        }
    }

    /// Applies the migrations that a store lacks, each in one transaction; one that was broken off goes on from there.
    ///
    /// - Returns: The names of those that were applied.
    public static func migrate(
        postgres uri: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> [String] {
        try await withSession(uri, options) { connection, _ in
            try await Migrator.migrate(connection, at: options.now())
        }
    }

    /// Lends a connection to a database that has a store of this program's version or an earlier one.
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

    /// Creates the tables of a new store and puts its first schema in force. Another process can continue an unfinished step.
    func create(_ options: ProfileRepository.Options) async throws(ProfileStoreError) {
        try await read { connection in
            do {
                try await makeTables(connection, at: options.now())
            } catch let error as PostgresError where error.state == .uniqueViolation || error.state == .duplicateTable {
                // Another one has just made the same schema or tables.
                throw PostgresError.changedMeanwhile
            }
            let schema = options.initialSchema
            var isInForce = false
            // Until the connection's time is up.
            while !isInForce {
                try await PostgresEngine.prepare(for: schema, connection)
                isInForce = try await connection.transaction { transaction in
                    let held = try await transaction.run(SchemaTable.hold)
                    guard held.number(0, 0) == 0 else { return true }
                    let indexes = try await transaction.run(SchemaTable.selectIndexes)
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
