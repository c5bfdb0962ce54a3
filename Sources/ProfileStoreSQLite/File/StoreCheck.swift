internal import ProfileStore
internal import SQLiteAccess

/// The result of checking a store: damage, connection settings and file permissions.
public struct StoreCheck: Hashable, Sendable {
    /// A setting of a connection, with the value that SQLite reports.
    public struct Setting: Hashable, Sendable {
        /// The name of the setting in SQLite or in this program.
        public let name: String
        /// The value that SQLite reports.
        public let value: String
        /// Whether the value equals the value that this program sets on its connections.
        public let isAsWanted: Bool
    }

    /// A stored count that differs from the number of rows. `migrate(at:options:)` corrects the count, even if no
    /// migration is missing.
    public struct WrongCount: Hashable, Sendable {
        /// The name of the count.
        public let name: String
        /// The number of rows.
        public let rows: Int64
    }

    /// A row that refers to a missing row.
    public struct DanglingRow: Hashable, Sendable {
        /// The table of the row.
        public let table: String
        /// The row id; nil in a table without row ids.
        public let id: Int64?
        /// The table of the missing row.
        public let parentTable: String
    }

    /// A file of the store.
    public struct File: Hashable, Sendable {
        /// The absolute path.
        public let path: String
        /// The permission bits.
        public let mode: UInt16
        /// Whether only the owner of the file can read and write it.
        public var isPrivate: Bool { mode & 0o077 == 0 }
    }

    /// The damage that SQLite reports, in SQLite's own words. Empty if SQLite reports none.
    public let integrity: [String]
    /// The wrong counts in the table `store`.
    public let wrongCounts: [WrongCount]
    /// The rows that refer to missing rows.
    public let danglingRows: [DanglingRow]
    /// The settings of the connection that made the check.
    public let settings: [Setting]
    /// The version of the SQLite library in use, such as `3.40.1`.
    public let sqliteVersion: String
    /// Whether this version of SQLite has the WAL-reset defect (3.7.0 to 3.51.2). The write lock protects the store
    /// against this defect.
    public let hasWALResetDefect: Bool
    /// Whether SQLite's automatic checkpoints are off. If true, only a holder of the write lock makes checkpoints; see
    /// <doc:Concurrency>.
    public let writeLockIsOn: Bool
    /// The files that exist. A store has up to four files: the database, its write-ahead log, the log's index and the
    /// lock file.
    public let files: [File]

    /// Whether the store is undamaged, every setting has the intended value, every file is private, and `writeLockIsOn`
    /// is true.
    public var isSound: Bool {
        integrity.isEmpty && wrongCounts.isEmpty && danglingRows.isEmpty && settings.allSatisfy(\.isAsWanted)
            && files.allSatisfy(\.isPrivate) && writeLockIsOn
    }
}

extension StoreCheck {
    /// Checks the whole store through `connection`.
    init(_ file: StoreFile, _ connection: borrowing Connection) throws {
        wrongCounts = try connection.readTransaction { try Self.wrongCounts(connection) }
        let settings = try connection.settings()
        integrity = try connection.integrityCheck()
        danglingRows = try connection.foreignKeyCheck().map {
            DanglingRow(table: $0.table, id: $0.rowID, parentTable: $0.parentTable)
        }
        self.settings = settings.listed
        sqliteVersion = settings.sqliteVersion
        hasWALResetDefect = settings.hasWALResetDefect
        writeLockIsOn = settings.leavesCheckpointsToTheLock
        files = ["", "-wal", "-shm", "-lock"].compactMap { ending in
            file.status(ofFileEndingIn: ending).map { File(path: file.path.description + ending, mode: $0.mode) }
        }
    }

    private static func wrongCounts(_ connection: borrowing Connection) throws -> [WrongCount] {
        var wrong: [WrongCount] = []
        for count in StoreTable.Count.allCases {
            let total =
                switch count {
                case .unknownThrottles: try ThrottleTable.totalUnknown(connection)
                case .unjudgedPasswords: try UnjudgedPasswords.total(connection)
                }
            let counted = try? StoreTable.count(count, connection)
            if counted != total { wrong.append(WrongCount(name: count.rawValue, rows: total)) }
        }
        return wrong
    }
}

extension ConnectionSettings {
    /// Whether SQLite's automatic checkpoints are off. An automatic checkpoint would run without the write lock.
    fileprivate var leavesCheckpointsToTheLock: Bool { walAutocheckpoint == 0 && !checkpointsOnClose }

    /// Whether the version is older than 3.51.3; see <https://www.sqlite.org/wal.html>, section "The WAL-Reset Bug".
    fileprivate var hasWALResetDefect: Bool {
        let parts = sqliteVersion.split(separator: ".").compactMap { Int($0) }
        guard parts.count >= 3 else { return true }
        return (parts[0], parts[1], parts[2]) < (3, 51, 3)
    }

    fileprivate var listed: [StoreCheck.Setting] {
        [
            setting("journal_mode", journalMode, journalMode == "wal" || journalMode == "delete"),
            setting("synchronous", synchronous == 2 ? "full" : String(synchronous), synchronous == 2),
            setting("foreign_keys", foreignKeys ? "on" : "off", foreignKeys),
            setting("trusted_schema", trustedSchema ? "on" : "off", !trustedSchema),
            setting("cell_size_check", cellSizeCheck ? "on" : "off", cellSizeCheck),
            setting("defensive", defensive ? "on" : "off", defensive),
            setting("wal_autocheckpoint", String(walAutocheckpoint), walAutocheckpoint == 0),
            setting("checkpoint_on_close", checkpointsOnClose ? "on" : "off", !checkpointsOnClose),
            setting("load_extension", loadsExtensions ? "on" : "off", !loadsExtensions),
        ]
    }

    private func setting(_ name: String, _ value: String, _ isAsWanted: Bool) -> StoreCheck.Setting {
        StoreCheck.Setting(name: name, value: value, isAsWanted: isAsWanted)
    }
}
