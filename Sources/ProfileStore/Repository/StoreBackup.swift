internal import ProfileCore
internal import SQLiteAccess

/// A backup on its way into a store: copied, found sound, and brought up to date.
///
/// A backup that is moved over a store is not safe: where a process was killed, a write-ahead log of the old file may lie
/// beside it, which SQLite would replay into the new one. So the contents of the store are replaced through SQLite.
///
/// ```swift
/// let backup = try StoreBackup(at: "backup.sqlite")
/// try await backup.restore(to: "profiles.sqlite")
/// ```
public final class StoreBackup: Sendable {
    /// The profiles that it holds.
    public let profiles: Int
    /// One connection, to the copy, which is lent to one thread at a time.
    private let copy: ReaderPool

    /// Copies a backup, or any other store, into a private database that has no name, and looks at all of it there.
    ///
    /// The copy takes as much room in SQLite's folder for temporary files (`SQLITE_TMPDIR`, else `TMPDIR`, else
    /// `/var/tmp`). The calling thread is busy meanwhile.
    ///
    /// - Throws: `corrupt` with what is damaged, `noStore`, `notADatabase`, `notAStore`, `newerStore`, `full`, …
    public init(at path: String, options: ProfileRepository.Options = .init()) throws(ProfileStoreError) {
        let file = try StoreFile(path, createsFolder: false, vfs: options.vfs)
        _ = try file.version()
        copy = ReaderPool(count: 1) { () throws(SQLiteError) in
            let copy = try Connection.temporary()
            try file.openForReading().copyContents(to: copy)
            return copy
        }
        profiles = try copy.read { copy throws(ProfileStoreError) in
            try Self.requireSound(copy)
            try Migrator.verify(copy)
            _ = try Migrator.migrate(copy, at: options.now())
            _ = try SchemaTable.inForce(copy)
            return try ProfileStoreError.wrap { () throws(SQLiteError) in try ProfileTable.count(copy) }
        }
    }

    /// Puts it in the place of all that a store holds, in one transaction under the write lock; a store that is not there
    /// is made.
    ///
    /// Whoever reads the store meanwhile sees the old contents or the new. What is known by its number stays known by it:
    /// ids of profiles, changes and schema versions go on from the higher of both, so that none is given a second time,
    /// and those who watch the store are told that they have missed changes.
    ///
    /// - Throws: `notAStore` and `newerStore`, which leave the file as it is; `corrupt` and `notADatabase` where
    ///   so little is left of the store that SQLite cannot write into it; `busy`, `full`, …
    public func restore(
        to path: String, options: ProfileRepository.Options = .init()
    ) async throws(ProfileStoreError) {
        let file = try StoreFile(path, createsFolder: true, vfs: options.vfs)
        switch try file.inspect() {
        case .missing, .empty, .store: break
        case let state: _ = try file.version(of: state)
        }
        var options = options
        options.createsMissing = true
        let now = options.now()
        let writer = file.writer(options)
        let outcome: Result<Void, ProfileStoreError>
        do throws(ProfileStoreError) {
            try await writer.write(waitingAtMost: options.waitLimit) { store throws(ProfileStoreError) in
                try self.copy.read { copy throws(ProfileStoreError) in
                    try ProfileStoreError.wrap { () throws(SQLiteError) in
                        // Of a store that is damaged, or has no tables yet, nothing is known.
                        if let counts = try? StoreCounts(of: store) { try counts.carryOver(to: copy, at: now) }
                        try copy.copyContents(to: store)
                    }
                }
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await writer.close()
        try outcome.get()
        ChangeBell(file.path, interval: options.watchInterval, runtimeDirectory: options.runtimeDirectory).announce()
    }

    private static func requireSound(_ connection: borrowing Connection) throws(ProfileStoreError) {
        let findings = try ProfileStoreError.wrap { () throws(SQLiteError) in
            let dangling = try connection.foreignKeyCheck().map { "a row of \($0.table) refers to one that is missing" }
            return try connection.integrityCheck(limit: 1) + dangling
        }
        if let first = findings.first { throw .corrupt(first) }
    }
}

/// What a store counts up and others remember by its number.
private struct StoreCounts {
    let nextProfileID: Int64
    let changeNumber: Int64
    let schemaVersion: Int
    let schemaFingerprint: String

    init(of connection: borrowing Connection) throws(SQLiteError) {
        nextProfileID = try StoreTable.nextID(connection)
        changeNumber = try StoreTable.changeNumber(connection)
        (schemaVersion, schemaFingerprint) = try SchemaTable.nameInForce(connection)
    }

    /// Raises the counts of another store above these, in one transaction.
    func carryOver(to copy: borrowing Connection, at time: Timestamp) throws(SQLiteError) {
        let other = try StoreCounts(of: copy)
        try copy.writeTransaction { () throws(SQLiteError) in
            try StoreTable.setNextID(max(nextProfileID, other.nextProfileID), copy)
            try ChangeTable.beginAnew(after: max(changeNumber, other.changeNumber), copy)
            // The same version would name other rules to whoever knows the store.
            guard (schemaVersion, schemaFingerprint) != (other.schemaVersion, other.schemaFingerprint) else { return }
            let later = max(schemaVersion, other.schemaVersion) + 1
            try SchemaTable.adoptAgain(other.schemaVersion, as: later, at: time, copy)
        }
    }
}
