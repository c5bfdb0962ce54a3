internal import CSQLite

/// The settings of a connection and its database, as SQLite reports them.
package struct ConnectionSettings: Hashable, Sendable {
    package var sqliteVersion: String
    /// The journal mode: `wal` for a write-ahead log, `delete` for a rollback journal. The mode of a backup is
    /// `delete`. The mode of a new database is `delete` until its first writer opens it.
    package var journalMode: String
    /// SQLite's `synchronous` setting: 0 is off, 1 normal, 2 full, 3 extra.
    package var synchronous: Int
    package var foreignKeys: Bool
    package var trustedSchema: Bool
    package var cellSizeCheck: Bool
    package var defensive: Bool
    /// Whether the last connection to the database runs a checkpoint when it closes. The project turns off this
    /// checkpoint, because it would run without the write lock.
    package var checkpointsOnClose: Bool
    /// The number of frames in the log at which a commit starts an automatic checkpoint; 0 means never.
    package var walAutocheckpoint: Int
    package var loadsExtensions: Bool
    /// Whether `"x"` is read as a string if no column has the name `x`.
    package var doubleQuotedStrings: Bool
    /// The maximum time that SQLite waits for locks of other programs, in milliseconds.
    package var busyTimeout: Int
    /// The maximum number of attached databases.
    package var attachLimit: Int
    /// The page size in bytes.
    package var pageSize: Int

    /// Whether every setting has the value that the project requires.
    package var isAsWanted: Bool {
        synchronous == 2 && foreignKeys && !trustedSchema && cellSizeCheck && defensive && !checkpointsOnClose
            && walAutocheckpoint == 0 && !loadsExtensions && !doubleQuotedStrings && attachLimit == 0
    }
}

extension Connection {
    /// Reads all settings.
    package func settings() throws(SQLiteError) -> ConnectionSettings {
        let inStatements = try isOn(SQLITE_DBCONFIG_DQS_DML)
        let inSchema = try isOn(SQLITE_DBCONFIG_DQS_DDL)
        return ConnectionSettings(
            sqliteVersion: String(cString: sqlite3_libversion()),
            journalMode: try text("PRAGMA journal_mode"),
            synchronous: Int(try integer("PRAGMA synchronous")),
            foreignKeys: try isOn(SQLITE_DBCONFIG_ENABLE_FKEY),
            trustedSchema: try isOn(SQLITE_DBCONFIG_TRUSTED_SCHEMA),
            cellSizeCheck: try integer("PRAGMA cell_size_check") != 0,
            defensive: try isOn(SQLITE_DBCONFIG_DEFENSIVE),
            checkpointsOnClose: try !isOn(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE),
            walAutocheckpoint: Int(try integer("PRAGMA wal_autocheckpoint")),
            loadsExtensions: try isOn(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION),
            doubleQuotedStrings: inStatements || inSchema,
            busyTimeout: Int(try integer("PRAGMA busy_timeout")),
            attachLimit: Int(sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, -1)),
            pageSize: Int(try integer("PRAGMA page_size")))
    }

    /// Switches the database to a write-ahead log if it does not use one yet, and verifies the result.
    ///
    /// The switch writes to the file, so the caller must hold the write lock. New databases and restored backups need
    /// the switch.
    package func enableWriteAheadLog() throws(SQLiteError) {
        let mode = try measuringWait { () throws(SQLiteError) in try text("PRAGMA journal_mode = WAL") }
        guard mode == "wal" else {
            throw SQLiteError(code: .error, message: "the journal mode stays \(mode)", sql: "PRAGMA journal_mode = WAL")
        }
    }

    /// Runs `body` with a rollback journal instead of the write-ahead log. If another connection has the database open,
    /// `body` runs with the log.
    ///
    /// With the journal, a transaction that fills an empty database writes each new page once. With the log, each page
    /// is written twice: to the log, and by the checkpoint to the database file. If the process ends during the
    /// transaction, the next connection with write access rolls the transaction back
    /// (<https://www.sqlite.org/lockingv3.html#rollback>). While the transaction writes, readers on other connections
    /// wait.
    ///
    /// The caller must hold the write lock, and no transaction may be open.
    package func withRollbackJournal<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value {
        guard try leaveWriteAheadLog() else { return try body() }
        // If this switch fails, the database keeps the rollback journal, which is as safe as the log. The next writer
        // that opens the database switches to the log.
        defer { try? enableWriteAheadLog() }
        // With `EXTRA`, SQLite also syncs the folder after it has removed the journal. Without this sync, the removed
        // journal could appear again after a power failure. SQLite would then use the journal to undo the commit.
        try execute("PRAGMA synchronous = EXTRA")
        defer { try? execute("PRAGMA synchronous = FULL") }
        return try body()
    }

    /// Switches from the write-ahead log to a rollback journal. The switch does not wait for other connections.
    ///
    /// - Returns: False if another connection has the database open.
    private func leaveWriteAheadLog() throws(SQLiteError) -> Bool {
        setBusyTimeout(milliseconds: 0)
        defer { setBusyTimeout(milliseconds: Self.busyTimeout) }
        do throws(SQLiteError) {
            return try text("PRAGMA journal_mode = DELETE") == "delete"
        } catch {
            guard .busy ~= error.code else { throw error }
            return false
        }
    }

    /// Applies the settings that every connection must have. The settings do not change the file.
    func configure() throws(SQLiteError) {
        // The limits are set before SQLite reads the schema, because the schema may be hostile. The limits also disable
        // `VACUUM`, because it needs an attached database; see <https://www.sqlite.org/security.html>.
        for (limit, value) in Self.limits { sqlite3_limit(handle, limit, value) }
        setBusyTimeout(milliseconds: Self.busyTimeout)
        for (option, isOn) in Self.options { try set(option, isOn) }
        try measuringWait { () throws(SQLiteError) in
            try execute("PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL")
        }
    }

    func verifySettings() throws(SQLiteError) {
        let settings = try measuringWait { () throws(SQLiteError) in try self.settings() }
        guard settings.isAsWanted else {
            throw SQLiteError(code: .error, message: "settings do not read back as they were set: \(settings)")
        }
    }

    /// The default busy timeout in milliseconds. A connection waits this long for the transaction of a program that
    /// does not use the write lock.
    static let busyTimeout: Int32 = 10_000

    private static let options: [(Int32, Bool)] = [
        (SQLITE_DBCONFIG_DEFENSIVE, true),
        (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (SQLITE_DBCONFIG_ENABLE_FKEY, true),
        (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
        (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false),
        (SQLITE_DBCONFIG_DQS_DML, false),
        (SQLITE_DBCONFIG_DQS_DDL, false),
        (SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    ]

    /// The maximum number of columns in a table.
    package static let mostColumns = 250

    private static let limits: [(Int32, Int32)] = [
        (SQLITE_LIMIT_LENGTH, 16 << 20),
        (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (SQLITE_LIMIT_COLUMN, Int32(mostColumns)),
        (SQLITE_LIMIT_EXPR_DEPTH, 100),
        (SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (SQLITE_LIMIT_VDBE_OP, 100_000),
        (SQLITE_LIMIT_FUNCTION_ARG, 32),
        (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 4_096),
        (SQLITE_LIMIT_VARIABLE_NUMBER, 1_000),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
        (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    private func set(_ option: Int32, _ isOn: Bool) throws(SQLiteError) {
        let status = csqlite_db_config(handle, option, isOn ? 1 : 0, nil)
        guard status == SQLITE_OK else { throw SQLiteError(status: status, database: handle) }
    }

    private func isOn(_ option: Int32) throws(SQLiteError) -> Bool {
        var value: Int32 = 0
        let status = csqlite_db_config(handle, option, -1, &value)
        guard status == SQLITE_OK else { throw SQLiteError(status: status, database: handle) }
        return value != 0
    }

    func integer(_ pragma: String) throws(SQLiteError) -> Int64 {
        var statement = try prepare(pragma)
        return try statement.step() ? statement.integer(at: 0) : 0
    }

    private func text(_ pragma: String) throws(SQLiteError) -> String {
        var statement = try prepare(pragma)
        return try statement.step() ? statement.string(at: 0) ?? "" : ""
    }
}
