internal import PostgresAccess
internal import PostgresMigrations
internal import ProfileCore
internal import ProfileStore

/// Migrates a database's tables. Each migration runs in one transaction, which also records the name and the checksum
/// of the migration.
enum Migrator {
    /// The newest version that this program knows.
    static let latest = Migration.postgres.last?.version ?? 0

    /// Returns the checksums of the applied migrations, by version. Empty if the database has no store.
    static func applied(_ connection: Connection) async throws -> [Int: String] {
        let isThere = try await connection.run("SELECT to_regclass('migrations') IS NOT NULL").flag(0, 0)
        guard isThere else { return [:] }
        let rows = try await connection.run("SELECT version, checksum FROM migrations")
        var applied: [Int: String] = [:]
        for row in 0..<rows.count { applied[rows.count(row, 0)] = rows.text(row, 1) }
        return applied
    }

    /// Compares the applied migrations with the migrations of this program.
    static func verify(_ applied: [Int: String], _ place: String) throws(ProfileStoreError) {
        try Migration.postgres.verify(applied)
        if let version = applied.keys.max(), version > latest {
            throw .newerStore(path: place, version: version, known: latest)
        }
    }

    /// Applies the missing migrations. Two migrations never run at the same time: the second migration waits for the
    /// lock on the table `keyed_writes`. In an empty database, it waits when it creates the first table.
    ///
    /// - Returns: The names of the migrations that were applied.
    static func migrate(_ connection: Connection, at time: Timestamp) async throws -> [String] {
        var names: [String] = []
        for migration in Migration.postgres {
            let isApplied = try await connection.transaction { transaction in
                if migration.version > 1 {
                    try await transaction.run(KeyedWriteTable.lock)
                    try await transaction.run(SchemaTable.hold)
                }
                let isThere = try await transaction.run("SELECT to_regclass('migrations') IS NOT NULL").flag(0, 0)
                if isThere {
                    let rows = try await transaction.run(
                        "SELECT 1 FROM migrations WHERE version = $1", [.number(Int64(migration.version))])
                    guard rows.isEmpty else { return false }
                }
                for statement in migration.statements { try await transaction.run(statement) }
                try await transaction.run(
                    "INSERT INTO migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)",
                    [
                        .number(Int64(migration.version)), .text(migration.name), .text(migration.checksum),
                        .number(time.millisecondsSince1970),
                    ])
                return true
            }
            if isApplied { names.append(migration.name) }
        }
        return names
    }
}

extension Migration {
    /// The SQL statements of the migration. Each statement ends with a semicolon at the end of a line, and no other
    /// line ends with a semicolon.
    var statements: [String] {
        let lines = String(decoding: sql, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("--") }
        var statements: [String] = []
        var current = ""
        for line in lines {
            current += line + "\n"
            if line.hasSuffix(";") {
                statements.append(current)
                current = ""
            }
        }
        return statements
    }
}
