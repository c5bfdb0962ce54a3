internal import ProfileStore
internal import SQLiteAccess

/// What a look at a store's health found.
public struct StoreCheck: Hashable, Sendable {
    /// A setting of a connection as SQLite reads it back.
    public struct Setting: Hashable, Sendable {
        /// What SQLite, or this program, calls it.
        public let name: String
        /// As it was read back.
        public let value: String
        /// Whether that is what every connection of ours has.
        public let isAsWanted: Bool
    }

    /// A file of the store.
    public struct File: Hashable, Sendable {
        /// Absolute.
        public let path: String
        /// Permission bits.
        public let mode: UInt16
        /// Whether only its owner can read and write it.
        public var isPrivate: Bool { mode & 0o077 == 0 }
    }

    /// What SQLite finds damaged, and counts of the store that are wrong; empty when all is well.
    public let integrity: [String]
    /// Rows that refer to one that is not there.
    public let foreignKeys: [String]
    /// Of the connection that looked.
    public let settings: [Setting]
    /// Of the library that runs, such as `3.40.1`.
    public let sqliteVersion: String
    /// Whether this SQLite has the WAL-reset defect, which the write lock guards against (3.7.0 to 3.51.2).
    public let hasWALResetDefect: Bool
    /// Whether SQLite leaves every checkpoint to those who hold the write lock; see <doc:Concurrency>.
    public let writeLockIsOn: Bool
    /// Those that are there, of the database, its log, its index and the write lock.
    public let files: [File]

    /// Whether nothing of all this is amiss.
    public var isSound: Bool {
        integrity.isEmpty && foreignKeys.isEmpty && settings.allSatisfy(\.isAsWanted)
            && files.allSatisfy(\.isPrivate) && writeLockIsOn
    }
}

extension StoreCheck {
    /// Looks at all of a store, through a connection of its own.
    init(_ file: StoreFile, _ connection: borrowing Connection) throws {
        let wrongCounts = try connection.readTransaction { try Self.wrongCounts(connection) }
        let settings = try connection.settings()
        integrity = try connection.integrityCheck() + wrongCounts
        foreignKeys = try connection.foreignKeyCheck().map {
            "row \($0.rowID ?? 0) of \($0.table) refers to a row of \($0.parentTable) that is not there"
        }
        self.settings = settings.listed
        sqliteVersion = settings.sqliteVersion
        hasWALResetDefect = settings.hasWALResetDefect
        writeLockIsOn = settings.leavesCheckpointsToTheLock
        files = ["", "-wal", "-shm", "-lock"].compactMap { ending in
            file.status(ofFileEndingIn: ending).map { File(path: file.path.description + ending, mode: $0.mode) }
        }
    }

    /// What the store counts and has another number of. Migrating counts anew.
    private static func wrongCounts(_ connection: borrowing Connection) throws -> [String] {
        var wrong: [String] = []
        for count in StoreTable.Count.allCases {
            let total =
                switch count {
                case .unknownThrottles: try ThrottleTable.totalUnknown(connection)
                case .unjudgedPasswords: try UnjudgedPasswords.total(connection)
                }
            let counted = try? StoreTable.count(count, connection)
            if counted != total { wrong.append("\(count.rawValue) should be \(total): migrate the store") }
        }
        return wrong
    }
}

extension ConnectionSettings {
    /// Whether SQLite makes no checkpoint by itself, which would be one without the write lock.
    fileprivate var leavesCheckpointsToTheLock: Bool { walAutocheckpoint == 0 && !checkpointsOnClose }

    /// From <https://www.sqlite.org/wal.html>, section "The WAL-Reset Bug".
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
