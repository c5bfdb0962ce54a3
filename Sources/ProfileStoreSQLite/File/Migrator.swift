internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import SQLiteMigrations
internal import SecretHashing

/// Brings a store's tables up to date: each migration in one transaction with its record and checksum.
enum Migrator {
    /// The version that this program knows; SQLite's `user_version`.
    static let latest = Migration.all.last?.version ?? 0

    /// Applies what is missing, and counts anew what the store counts. The caller holds the write lock and no transaction.
    ///
    /// - Returns: The names of the migrations that were applied.
    static func migrate(
        _ connection: borrowing Connection, at time: Timestamp
    ) throws -> [String] {
        var applied: [String] = []
        let settings = try connection.settings()
        for migration in Migration.all where migration.version > Int(settings.userVersion) {
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

    /// Makes the counts right, whatever they were.
    private static func recount(_ connection: borrowing Connection) throws {
        try ThrottleTable.recount(connection)
        try UnjudgedPasswords.recount(connection)
    }

    /// Makes the tables of a new store and puts its first schema in force, in one transaction, unless another process
    /// has done so since the store was missed. The caller holds the write lock and no transaction.
    static func create(
        _ connection: borrowing Connection, schema: ProfileSchema, at time: Timestamp
    ) throws -> Bool {
        let settings = try connection.settings()
        guard settings.userVersion == 0 else { return false }
        try connection.writeTransaction {
            for migration in Migration.all { try apply(migration, connection, at: time) }
            try SchemaTable.adopt(schema, replacing: nil, at: time, connection)
        }
        return true
    }

    /// Compares what was applied with what this program knows.
    static func verify(_ connection: borrowing Connection) throws {
        var recorded: [Int: String] = [:]
        var statement = try connection.prepare("SELECT version, checksum FROM migrations")
        while try statement.step() { recorded[Int(statement.integer(at: 0))] = statement.string(at: 1) }
        for migration in Migration.all {
            guard let checksum = recorded[migration.version] else { continue }
            guard checksum == migration.checksum else { throw ProfileStoreError.alteredMigration(name: migration.name) }
        }
    }

    private static func apply(
        _ migration: Migration, _ connection: borrowing Connection, at time: Timestamp
    ) throws(SQLiteError) {
        try connection.execute(String(decoding: migration.sql, as: UTF8.self))
        var statement = try connection.prepare(
            "INSERT INTO migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)")
        try statement.bind(Int64(migration.version), at: 1)
        try statement.bind(migration.name, at: 2)
        try statement.bind(migration.checksum, at: 3)
        try statement.bind(time.millisecondsSince1970, at: 4)
        try statement.run()
        // PRAGMA takes no bound values; both are our own numbers.
        try connection.execute("PRAGMA user_version = \(migration.version)")
        try connection.execute("PRAGMA application_id = \(StoreFile.applicationID)")
    }
}

extension Migration {
    var checksum: String { SHA256.hexadecimal(sql.span) }
}
