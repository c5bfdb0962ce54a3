internal import Glibc
internal import Migrations
internal import SQLiteAccess

/// How much a store holds.
public struct StoreStatistics: Hashable, Sendable {
    /// All of them, valid or not.
    public let profiles: Int
    /// Profiles that revalidation found invalid.
    public let invalid: Int
    /// Profiles that have a password.
    public let withPassword: Int
    /// Profiles that have a passcode.
    public let withPasscode: Int
    /// The version of the schema in force, from 1.
    public let schemaVersion: Int
    /// Rises with every commit that changes profiles or the schema.
    public let changeNumber: Int64
    /// The size of the database file, in bytes.
    public let fileBytes: Int64
    /// The size of the write-ahead log beside it, in bytes.
    public let walBytes: Int64
}

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

extension ProfileRepository {
    /// Counts what the store holds; reads every row.
    public func statistics() throws(ProfileStoreError) -> StoreStatistics {
        try read { connection throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in
                var statement = try connection.prepare(
                    """
                    SELECT count(*), count(issues), count(password_hash), count(passcode_hash) FROM profiles
                    """)
                _ = try statement.step()
                return StoreStatistics(
                    profiles: Int(statement.integer(at: 0)), invalid: Int(statement.integer(at: 1)),
                    withPassword: Int(statement.integer(at: 2)), withPasscode: Int(statement.integer(at: 3)),
                    schemaVersion: try SchemaTable.versionInForce(connection),
                    changeNumber: try StoreTable.changeNumber(connection),
                    fileBytes: status(ofFileEndingIn: "")?.size ?? 0,
                    walBytes: status(ofFileEndingIn: "-wal")?.size ?? 0)
            }
        }
    }

    /// Reads every page and setting; takes as long as reading the whole file.
    public func check() throws(ProfileStoreError) -> StoreCheck {
        try read { connection throws(ProfileStoreError) in
            let counts = try connection.readTransaction { () throws(ProfileStoreError) in
                try Self.wrongCounts(connection)
            }
            return try ProfileStoreError.wrap { () throws(SQLiteError) in
                let settings = try connection.settings()
                let files = ["", "-wal", "-shm", "-lock"].compactMap { ending in
                    status(ofFileEndingIn: ending).map { StoreCheck.File(path: path + ending, mode: $0.mode) }
                }
                return StoreCheck(
                    integrity: try connection.integrityCheck() + counts,
                    foreignKeys: try connection.foreignKeyCheck().map {
                        "row \($0.rowID ?? 0) of \($0.table) refers to a row of \($0.parentTable) that is not there"
                    },
                    settings: settings.listed, sqliteVersion: settings.sqliteVersion,
                    hasWALResetDefect: settings.hasWALResetDefect,
                    writeLockIsOn: settings.leavesCheckpointsToTheLock, files: files)
            }
        }
    }

    /// What the store counts and has another number of. Migrating counts anew.
    private static func wrongCounts(_ connection: borrowing Connection) throws(ProfileStoreError) -> [String] {
        var wrong: [String] = []
        for count in StoreTable.Count.allCases {
            let total =
                switch count {
                case .unknownThrottles:
                    try ProfileStoreError.wrap { () throws(SQLiteError) in try ThrottleTable.totalUnknown(connection) }
                case .unjudgedPasswords: try UnjudgedPasswords.total(connection)
                }
            let counted = try? StoreTable.count(count, connection)
            if counted != total { wrong.append("\(count.rawValue) should be \(total): migrate the store") }
        }
        return wrong
    }

    /// Copies the store, as it is at one moment, into a new file that opens alone, while others read and write on.
    ///
    /// The copy is made 0600 and holds what the store holds, hashes included. The calling thread is busy meanwhile.
    /// - Throws: `alreadyExists`, `reservedName`, `full`, …
    public func backup(to path: String) throws(ProfileStoreError) {
        // The database itself is there already, as the copying finds.
        guard FilePlaces([self.path]).contains(path) || !FilePlaces(ofStore: self.path).contains(path) else {
            throw .reservedName(path: path)
        }
        try read { connection throws(ProfileStoreError) in
            do throws(SQLiteError) {
                try connection.backup(to: path)
            } catch {
                if error.systemError == EEXIST { throw .alreadyExists(path: path) }
                throw ProfileStoreError(error)
            }
        }
    }

    /// The migrations that this program knows, oldest first, and whether the store has them.
    ///
    /// - Throws: `noStore`, `notADatabase`, `notAStore`, `newerStore`, …
    public static func migrationStatus(
        at path: String
    ) throws(ProfileStoreError) -> [(name: String, isApplied: Bool)] {
        let file = try StoreFile(path, createsFolder: false, options: Options())
        let version = try file.version()
        return Migration.all.map { (name: $0.name, isApplied: $0.version <= version) }
    }

    /// Applies the migrations that a store lacks, each in one transaction.
    ///
    /// - Returns: The names of those that were applied.
    public static func migrate(
        at path: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> [String] {
        let file = try StoreFile(path, createsFolder: false, options: options)
        _ = try file.version()
        let writer = file.writer(options)
        let outcome: Result<[String], ProfileStoreError>
        do throws(ProfileStoreError) {
            let applied = try await writer.write(waitingAtMost: options.waitLimit) {
                connection throws(ProfileStoreError) in
                try Migrator.migrate(connection, at: options.now())
            }
            outcome = .success(applied)
        } catch {
            outcome = .failure(error)
        }
        await writer.close()
        return try outcome.get()
    }

    private func status(ofFileEndingIn ending: String) -> (mode: UInt16, size: Int64)? {
        var status = stat()
        guard stat(file.path.file(endingIn: ending), &status) == 0 else { return nil }
        return (UInt16(truncatingIfNeeded: status.st_mode & 0o7777), Int64(status.st_size))
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
