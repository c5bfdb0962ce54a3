internal import Platform
public import ProfileStore
internal import SQLiteAccess
internal import SQLiteMigrations
internal import Threads

// Operations of stores in SQLite files.
extension ProfileRepository {
    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: The database file. If the file is not a store, or if the store has another version than this program,
    ///     the call throws. The file is then unchanged.
    ///   - options: The options for opening and using the store.
    /// - Returns: The open store. Call ``/ProfileStore/ProfileRepository/close()`` when it is no longer needed.
    /// - Throws: `ProfileStoreError`: `noStore`, `notADatabase`, `notAStore`, `newerStore`, `olderStore`, …
    public static func open(
        at path: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> ProfileRepository {
        let file = try StoreFile.resolve(path, createsFolder: options.createsMissing, options)
        let writer = file.writer(options)
        var look = try await file.inspectOnceSettled()
        var isMadeHere = false
        if options.createsMissing, look.state == .missing || look.state == .empty {
            let isNew = look.state == .missing
            do throws(ProfileStoreError) {
                let limit = CallDeadline.orFromNow(options.waitLimit) - .now
                isMadeHere = try await writer.writeForStore(waitingAtMost: limit) { connection in
                    try file.making(isNew: isNew, connection) {
                        try Migrator.create($0, schema: options.initialSchema, at: options.now())
                    }
                }
            } catch {
                await writer.close()
                throw error
            }
            look = try ProfileStoreError.translating { try file.inspect() }
        }
        let state = look.state
        let version = try ProfileStoreError.translating { try file.version(of: state) }
        guard version == Migrator.latest else {
            throw .olderStore(path: file.path.description, version: version, known: Migrator.latest)
        }
        return try await ProfileRepository(SQLiteEngine(file, look, writer, isMadeHere: isMadeHere, options), options)
    }

    /// The path of the database file, for display. Bytes that are not UTF-8 are replaced. Nil if the store is not an
    /// SQLite file.
    public var path: String? { (engine as? SQLiteEngine)?.session.file.path.description }

    // MARK: Maintenance

    /// Checks every page, the connection settings and the file permissions of the store.
    ///
    /// The check takes as long as reading the whole file. It runs on one of the repository's own threads.
    ///
    /// - Throws: `unsupported` if the store is not an SQLite file, `cancelled` if the task is cancelled, and the errors
    ///   that any read can throw.
    public func check() async throws(ProfileStoreError) -> StoreCheck {
        let session = try session(for: "check")
        return try await ask(
            .check, rows: { _ in 0 },
            await session.readAtLength(in: .file) { connection in try StoreCheck(session.file, connection) })
    }

    /// Copies a consistent snapshot of the store into a new file. Other callers can read and write during the copy.
    ///
    /// The new file has mode 0600 and can be opened without any other file. It contains all data of the store,
    /// including hashes.
    /// - Throws: `alreadyExists` if there is a file at `path`; `reservedName` if `path` names a file that SQLite or the
    ///   write lock uses beside the database; `unsupported` if the store is not an SQLite file; `full`, …
    public func backup(to path: String) async throws(ProfileStoreError) { try await backup(to: path, isChecked: false) }

    /// Makes a backup as ``backup(to:)`` does. If `isChecked` is true, the copy gets its name only after SQLite has
    /// checked every page, every index and every reference of the copy. A damaged copy is removed.
    ///
    /// - Throws: `corrupt` with a description of the damage; otherwise the errors of ``backup(to:)``.
    package func backup(to path: String, isChecked: Bool) async throws(ProfileStoreError) {
        let session = try session(for: "backup")
        // If `path` is the database itself, the copy below fails with `alreadyExists`.
        guard FilePlaces([place]).contains(path) || !FilePlaces(ofStore: place).contains(path) else {
            throw .reservedName(path: path)
        }
        try await ask(
            .backUp, rows: { 0 },
            await session.readAtLength(in: .file) {
                unlink(path)
            } _: { connection in
                // A backup prepares no statement, so `requireKnownVersion` would not notice a migration.
                _ = try StoreLayout.knownVersion(connection)
                var damage: StoreDamage?
                func isSound(_ copy: borrowing Connection) throws(SQLiteError) -> Bool {
                    damage = try copy.damage()
                    return damage == nil
                }
                do throws(SQLiteError) {
                    if isChecked {
                        try connection.backup(to: path, keepingIf: isSound)
                    } else {
                        try connection.backup(to: path)
                    }
                } catch {
                    if error.systemError == EEXIST { throw ProfileStoreError.alreadyExists(path: path) }
                    throw error
                }
                if let damage { throw ProfileStoreError.corrupt(damage) }
            })
    }

    /// Removes the store if this repository created it when it was opened, and if nothing was stored or changed since
    /// then (N6). The lock file stays: without it two programs could write at the same time.
    ///
    /// - Returns: Whether the store was removed. If so, close the repository. Other repositories that have the removed
    ///   file open can no longer write.
    /// - Throws: `busy`, …
    package func removeIfUnused() async throws(ProfileStoreError) -> Bool {
        guard let engine = engine as? SQLiteEngine, engine.isMadeHere else { return false }
        let file = engine.session.file
        return try await engine.session.withWriter { connection in
            guard try ProfileTable.count(connection) == 0, try StoreTable.changeNumber(connection) == 0,
                try SchemaTable.versionInForce(connection) == 1, try !TokenTable.hasAccessTokens(connection)
            else { return false }
            do throws(SQLiteError) {
                // The checkpoint is incomplete if another program reads the store.
                guard try connection.checkpoint(.truncate).isComplete else { return false }
            } catch {
                // If the disk is full, the checkpoint fails. This error is ignored, because removing the store also
                // removes the write-ahead log and frees its space.
                guard error.code.primary == .full else { throw error }
            }
            file.removeFiles()
            return true
        }
    }

    private func session(for operation: String) throws(ProfileStoreError) -> SQLiteSession {
        guard let engine = engine as? SQLiteEngine else { throw .unsupported(.operation(operation)) }
        return engine.session
    }

    // MARK: Migrating

    /// Returns the migrations that this program knows, oldest first, and whether each is applied to the store.
    ///
    /// - Throws: `noStore`, `notADatabase`, `notAStore`, `newerStore`, …
    public static func migrationStatus(
        at path: String
    ) throws(ProfileStoreError) -> [MigrationStatus] {
        let file = try StoreFile.resolve(path, createsFolder: false, Options())
        let version = try ProfileStoreError.translating { try file.version() }
        return Migration.sqlite.map { MigrationStatus(name: $0.name, isApplied: $0.version <= version) }
    }

    /// Applies the missing migrations to a store, each in one transaction. After an interruption, the next call
    /// continues with the first migration that is still missing.
    ///
    /// - Returns: The names of the migrations that this call applied.
    public static func migrate(
        at path: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> [String] {
        let file = try StoreFile.resolve(path, createsFolder: false, options)
        _ = try ProfileStoreError.translating { try file.version() }
        return try await file.writer(options).writeAndClose(waitingAtMost: options.waitLimit) { connection in
            try Migrator.migrate(connection, at: options.now())
        }
    }
}

extension ProfileRepository.Options {
    /// The folder for the sockets. Processes use the sockets to notify each other of changes; see ``Beeper``.
    package var runtimeDirectory: String? {
        get { engineSettings["runtimeDirectory"] }
        set { engineSettings["runtimeDirectory"] = newValue }
    }

    /// The name of a registered SQLite VFS. Tests use such a VFS to simulate failures of the file system.
    package var vfs: String? {
        get { engineSettings["vfs"] }
        set { engineSettings["vfs"] = newValue }
    }

    /// Whether the first bulk load of a new store may use a rollback journal instead of the write-ahead log. The load
    /// is then faster, but readers wait until it ends. If another connection is open, the load uses the log.
    package var isUnreadUntilLoaded: Bool {
        get { engineSettings["isUnreadUntilLoaded"] != nil }
        set { engineSettings["isUnreadUntilLoaded"] = newValue ? "" : nil }
    }

    /// For tests. If true, a store that has no write-ahead log and no rollback journal is read in SQLite's immutable
    /// mode (see `FileStamp`), even in a writable folder.
    package var readsAsItLies: Bool {
        get { engineSettings["readsAsItLies"] != nil }
        set { engineSettings["readsAsItLies"] = newValue ? "" : nil }
    }
}
