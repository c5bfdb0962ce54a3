public import ProfileStore
internal import SQLiteAccess
internal import Synchronization
internal import Threads

/// A backup on its way into a store: copied, found sound, and brought up to date.
///
/// A backup that is moved over a store is not safe: where a process was killed, a write-ahead log of the old file may lie
/// beside it, which SQLite would replay into the new one. So the contents of the store are replaced through SQLite.
///
/// ```swift
/// let backup = try await StoreBackup(at: "backup.sqlite")
/// try await backup.restore(to: "profiles.sqlite")
/// ```
public final class StoreBackup: Sendable {
    /// The profiles that it holds.
    public let profiles: Int
    private let copy: PrivateCopy

    /// Copies a backup, or any other store, into a private database that has no name, and looks at all of it there.
    ///
    /// The copy takes as much room in SQLite's folder for temporary files (`SQLITE_TMPDIR`, else `TMPDIR`, else
    /// `/var/tmp`).
    ///
    /// - Throws: `corrupt` with what is damaged, `noStore`, `notADatabase`, `notAStore`, `newerStore`, `full`, …
    public init(at path: String, options: ProfileRepository.Options = .init()) async throws(ProfileStoreError) {
        (copy, profiles) = try await Self.blocking {
            let file = try StoreFile(path, createsFolder: false, options: options)
            let look = try file.inspect()
            _ = try file.version(of: look.state)
            let copy = try Connection.temporary()
            try StoreReaders(file, look).read { backup in try backup.copyContents(to: copy) }
            try Self.requireSound(copy)
            try Migrator.verify(copy)
            _ = try Migrator.migrate(copy, at: options.now())
            _ = try SchemaTable.inForce(copy)
            // Who was shown the door since the backup was made would be let in again.
            try copy.writeTransaction { try TokenTable.removeAllOfProfiles(copy) }
            let profiles = try ProfileTable.count(copy)
            return (PrivateCopy(copy), profiles)
        }
    }

    /// Puts it in the place of all that a store holds, in one transaction under the write lock; a store that is not there
    /// is made.
    ///
    /// Whoever reads the store meanwhile sees the old contents or the new. What is known by its number stays known by it:
    /// ids of profiles, changes and schema versions go on from the higher of both, so that none is given a second time,
    /// and those who watch the store are told that they have missed changes. Sessions and resets end. Access tokens are
    /// those of the backup: revoke again what was revoked since it was made.
    ///
    /// - Throws: `notAStore` and `newerStore`, which leave the file as it is; `corrupt` and `notADatabase` where
    ///   so little is left of the store that SQLite cannot write into it, as where the list of its tables is damaged;
    ///   `busy`, `full`, …
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
            let counts = StoreCounts(of: store)
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

    private static func requireSound(_ connection: borrowing Connection) throws {
        let dangling = try connection.foreignKeyCheck().map { "a row of \($0.table) refers to one that is missing" }
        let findings = try connection.integrityCheck(limit: 1) + dangling
        if let first = findings.first { throw ProfileStoreError.corrupt(.reported(first)) }
    }
}

/// The copy's connection.
///
/// `@unchecked Sendable`: one thread at a time has it, under the mutex, as a borrow that cannot escape.
private final class PrivateCopy: @unchecked Sendable {
    private let connection: Connection
    private let turn = Mutex(())

    init(_ connection: consuming Connection) { self.connection = connection }

    func lend<Value>(_ body: (borrowing Connection) throws -> Value) throws -> Value {
        try turn.withLock { _ in try body(connection) }
    }
}

/// What a store counts up and others remember by its number.
private struct StoreCounts {
    let nextProfileID: Int64
    let changeNumber: Int64
    let schemaVersion: Int
    let schemaFingerprint: String

    /// Nil for a store that has no tables yet, and for one that is damaged or was altered: nothing is to be learned there.
    init?(of store: borrowing Connection) {
        do {
            try StoreLayout.verify(store)
            self = try StoreCounts(read: store)
        } catch {
            return nil
        }
    }

    private init(read connection: borrowing Connection) throws(SQLiteError) {
        nextProfileID = try StoreTable.nextID(connection)
        changeNumber = try StoreTable.changeNumber(connection)
        (schemaVersion, schemaFingerprint) = try SchemaTable.nameInForce(connection)
    }

    /// Raises the counts of another store above these, in one transaction.
    func carryOver(to copy: borrowing Connection, at time: Timestamp) throws {
        let other = try StoreCounts(read: copy)
        try copy.writeTransaction {
            try StoreTable.setNextID(max(nextProfileID, other.nextProfileID), copy)
            try ChangeTable.beginAnew(after: max(changeNumber, other.changeNumber), copy)
            // The same version would name other rules to whoever knows the store.
            guard (schemaVersion, schemaFingerprint) != (other.schemaVersion, other.schemaFingerprint) else { return }
            let later = try ProfileStoreError.number(
                after: max(schemaVersion, other.schemaVersion), "the version of the schema")
            try SchemaTable.adoptAgain(other.schemaVersion, as: later, at: time, copy)
        }
    }
}
