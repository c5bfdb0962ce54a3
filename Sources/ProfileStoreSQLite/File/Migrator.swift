internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import SQLiteMigrations

/// Migrates a store's tables. Each migration runs in one transaction, which also records the migration and its
/// checksum.
enum Migrator {
    /// The latest version that this program knows, and the `user_version` of an up-to-date store.
    static let latest = Migration.sqlite.last?.version ?? 0

    /// Applies the missing migrations, and corrects the counts in the table `store`. The caller holds the write lock
    /// and has no open transaction.
    ///
    /// - Returns: The names of the migrations that were applied.
    static func migrate(
        _ connection: borrowing Connection, at time: Timestamp
    ) throws -> [String] {
        var applied: [String] = []
        let version = Int(try connection.header().userVersion)
        for migration in Migration.sqlite where migration.version > version {
            try connection.writeTransaction {
                try apply(migration, connection, at: time)
                if migration.version == latest { try recount(connection) }
            }
            applied.append(migration.name)
        }
        if applied.isEmpty {
            try connection.writeTransaction { try recount(connection) }
        }
        return applied
    }

    /// Corrects the counts of the table `store`.
    private static func recount(_ connection: borrowing Connection) throws {
        try ThrottleTable.recount(connection)
        try UnjudgedPasswords.recount(connection)
    }

    /// Creates the tables of a new store and adopts its first schema, in one transaction. The caller holds the write
    /// lock and has no open transaction.
    ///
    /// - Returns: False if another process has already created the store.
    static func create(
        _ connection: borrowing Connection, schema: ProfileSchema, at time: Timestamp
    ) throws -> Bool {
        guard try connection.header().userVersion == 0 else { return false }
        try connection.writeTransaction {
            for migration in Migration.sqlite { try apply(migration, connection, at: time) }
            try SchemaTable.adopt(schema, replacing: nil, at: time, connection)
        }
        return true
    }

    /// Compares the checksums of the applied migrations with the checksums that this program contains.
    ///
    /// - Throws: `alteredMigration` for the first migration that differs.
    static func verify(_ connection: borrowing Connection) throws {
        var recorded: [Int: String] = [:]
        var statement = try connection.prepare("SELECT version, checksum FROM migrations")
        while try statement.step() { recorded[Int(statement.integer(at: 0))] = statement.string(at: 1) }
        try Migration.sqlite.verify(recorded)
    }

    private static func apply(
        _ migration: Migration, _ connection: borrowing Connection, at time: Timestamp
    ) throws(SQLiteError) {
        try connection.execute(String(decoding: migration.sql, as: UTF8.self))
        try connection.run(
            "INSERT INTO migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)", migration.version,
            migration.name, migration.checksum, time.millisecondsSince1970)
        // A PRAGMA statement cannot have bound parameters. Both numbers are constants of this program.
        try connection.execute("PRAGMA user_version = \(migration.version)")
        try connection.execute("PRAGMA application_id = \(StoreFile.applicationID)")
    }
}
