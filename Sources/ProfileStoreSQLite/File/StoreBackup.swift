public import ProfileStore
internal import SQLiteAccess
internal import Threads

/// A backup that is ready to be restored: a private copy that was checked and migrated to this program's version.
///
/// Moving a backup over a store's file is not safe. After a process was killed, the write-ahead log of the old file may
/// remain. SQLite would replay that log into the new file. So a restore replaces the contents of the store through
/// SQLite.
///
/// ```swift
/// let backup = try await StoreBackup(at: "backup.sqlite")
/// try await backup.restore(to: "profiles.sqlite")
/// ```
public final class StoreBackup: Sendable {
    /// The number of profiles in the backup.
    public let profiles: Int
    private let copy: PrivateCopy

    /// Copies a backup, or any other store, into a private temporary database without a name. Then checks and migrates
    /// the copy.
    ///
    /// The copy needs as much disk space as the backup. The copy is in SQLite's folder for temporary files
    /// (`SQLITE_TMPDIR`, else `TMPDIR`, else `/var/tmp`).
    ///
    /// - Throws: `corrupt` with a description of the damage, `noStore`, `notADatabase`, `notAStore`, `newerStore`,
    ///   `full`, …
    public init(at path: String, options: ProfileRepository.Options = .init()) async throws(ProfileStoreError) {
        (copy, profiles) = try await Self.blocking {
            let file = try StoreFile(path, createsFolder: false, options: options)
            let look = try file.inspect()
            _ = try file.version(of: look.state)
            let copy = try Connection.temporary()
            try StoreReaders(file, look).read { backup in try backup.copyContents(to: copy) }
            if let damage = try copy.damage() { throw ProfileStoreError.corrupt(damage) }
            try Migrator.verify(copy)
            _ = try Migrator.migrate(copy, at: options.now())
            _ = try SchemaTable.inForce(copy)
            // All sessions, resets and devices are removed from the copy. Otherwise a session or reset that ended after
            // the backup was made would become valid again.
            try copy.writeTransaction { try TokenTable.removeAllOfProfiles(copy) }
            let profiles = try ProfileTable.count(copy)
            return (PrivateCopy(copy), profiles)
        }
    }

    /// Replaces the contents of a store with the backup, in one transaction under the write lock. If the store does not
    /// exist, it is created.
    ///
    /// - A caller that reads the store during the restore sees either all old contents or all new contents.
    /// - New profile ids, change numbers and schema versions continue after the highest numbers in the backup and in
    ///   the old store, so no number is used twice. If damage makes the numbers of the old store unreadable, new
    ///   numbers continue after those in the backup. The old store may then have used the same numbers.
    /// - A caller that watches the store is told that it has missed changes.
    /// - Sessions and resets end, and known devices are removed.
    /// - The store gets the access tokens of the backup. If tokens were revoked after the backup was made, revoke them
    ///   again.
    ///
    /// - Throws: `notAStore` and `newerStore`, which leave the file unchanged; `corrupt` and `notADatabase` if the
    ///   store is so damaged that SQLite cannot write to it; `busy`, `full`, …
    public func restore(
        to path: String, options: ProfileRepository.Options = .init()
    ) async throws(ProfileStoreError) {
        var options = options
        options.createsMissing = true
        let now = options.now()
        let file = try StoreFile.resolve(path, createsFolder: true, options)
        let isNew = try ProfileStoreError.translating {
            switch try file.inspect().state {
            case .missing: return true
            case .empty, .store: break
            case let state: _ = try file.version(of: state)
            }
            return false
        }
        let writer = file.writer(options, verifiesLayout: false)
        try await writer.writeAndClose(waitingAtMost: options.waitLimit) { store in
            _ = try StoreLayout.knownVersion(store)
            let counts = try StoreCounts.known(in: store)
            try file.making(isNew: isNew, store) { store in
                try self.copy.lend { copy in
                    try counts?.carryOver(to: copy, at: now)
                    try copy.copyContents(to: store)
                }
            }
        }
        Beeper(file.path, directory: options.runtimeDirectory).beep(Beeper.changes)
    }

    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await ThreadPool(threads: 1).run(body)
        } catch {
            throw ProfileStoreError(translating: error)
        }
    }
}

extension Connection {
    /// Checks every page and every index of the database, and every reference between its rows. Returns the first
    /// damage; nil if there is none.
    func damage() throws(SQLiteError) -> StoreDamage? {
        if let finding = try integrityCheck(limit: 1).first { return .reported(finding) }
        return try foreignKeyCheck().first.map { .danglingRow(table: $0.table) }
    }
}

/// The connection of the temporary copy.
///
/// `@unchecked Sendable`: under the mutex, only one thread at a time uses the connection, and the connection cannot
/// leave `lend`.
private final class PrivateCopy: @unchecked Sendable {
    private let connection: Connection
    private let turn = Locked(())

    init(_ connection: consuming Connection) { self.connection = connection }

    func lend<Value>(_ body: (borrowing Connection) throws -> Value) throws -> Value {
        try turn.withLock { _ in try body(connection) }
    }
}

/// The counters of a store: numbers that the store increments, and that clients may keep.
private struct StoreCounts {
    let nextProfileID: Int64
    let changeNumber: Int64
    let schemaVersion: Int
    let schemaFingerprint: String

    /// Reads the numbers of a store. Returns nil if the numbers are unknown, because the store has no tables yet, is
    /// damaged or was altered.
    ///
    /// SQLite may report a single failed read (`EIO`) as damage. So the store counts as damaged only if a second attempt
    /// also fails.
    static func known(in store: borrowing Connection) throws(ProfileStoreError) -> StoreCounts? {
        for _ in 0..<2 {
            do throws(ProfileStoreError) {
                return try ProfileStoreError.translating {
                    try StoreLayout.verify(store)
                    return try StoreCounts(read: store)
                }
            } catch {
                // If the error does not mean damage, the numbers of the store may still be readable later. A restore
                // without these numbers would use numbers twice.
                guard error.kind == .broken || error.kind == .notFound, error.code != .inputOutput,
                    error.code != .cannotOpen
                else { throw error }
            }
        }
        return nil
    }

    private init(read connection: borrowing Connection) throws {
        nextProfileID = try StoreTable.nextID(connection)
        changeNumber = try StoreTable.changeNumber(connection)
        (schemaVersion, schemaFingerprint) = try SchemaTable.nameInForce(connection)
    }

    /// Changes the numbers of `copy`, in one transaction. New numbers of `copy` then continue after the numbers of both
    /// stores.
    func carryOver(to copy: borrowing Connection, at time: Timestamp) throws {
        let other = try StoreCounts(read: copy)
        try copy.writeTransaction {
            try StoreTable.setNextID(max(nextProfileID, other.nextProfileID), copy)
            try ChangeTable.beginAnew(after: max(changeNumber, other.changeNumber), copy)
            // Two different schemas must not have the same version number. Otherwise a client of the old store would
            // not notice that the schema has changed.
            guard (schemaVersion, schemaFingerprint) != (other.schemaVersion, other.schemaFingerprint) else { return }
            let later = try ProfileStoreError.number(
                after: max(schemaVersion, other.schemaVersion), "the version of the schema")
            try SchemaTable.adoptAgain(other.schemaVersion, as: later, at: time, copy)
        }
    }
}
