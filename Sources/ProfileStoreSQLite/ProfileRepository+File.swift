internal import Platform
public import ProfileStore
internal import SQLiteAccess
internal import SQLiteMigrations

// Stores in SQLite files.
extension ProfileRepository {
    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: The database file. A file that is not a store, or of a later version, is refused unchanged.
    ///   - options: How it is opened and used.
    /// - Returns: The open store; ``/ProfileStore/ProfileRepository/close()`` it in the end.
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
                isMadeHere = try await writer.writeForStore(waitingAtMost: options.waitLimit) { connection in
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

    /// The path of the database file, for people: bytes that are not UTF-8 are replaced. Nil if the store is not in a file.
    public var path: String? { (engine as? SQLiteEngine)?.session.file.path.description }

    // MARK: Maintenance

    /// Reads every page and setting; takes as long as reading the whole file, on a thread of its own.
    ///
    /// - Throws: `unsupported` where the store is in no file, `cancelled`, …
    public func check() async throws(ProfileStoreError) -> StoreCheck {
        let session = try session(for: "check")
        return try await ask(
            .check, rows: { _ in 0 },
            await session.readAtLength(in: .file) { connection in try StoreCheck(session.file, connection) })
    }

    /// Copies the store, as it is at one moment, into a new file that opens alone, while others read and write on.
    ///
    /// The copy is made 0600 and holds what the store holds, hashes included.
    /// - Throws: `alreadyExists`, `reservedName`, `full`, …; `unsupported` where the store is in no file.
    public func backup(to path: String) async throws(ProfileStoreError) {
        let session = try session(for: "backup")
        // The database itself is there already, as the copying finds.
        guard FilePlaces([place]).contains(path) || !FilePlaces(ofStore: place).contains(path) else {
            throw .reservedName(path: path)
        }
        try await ask(
            .backUp, rows: { 0 },
            await session.readAtLength(in: .file) {
                unlink(path)
            } _: { connection in
                // Pages are copied without a statement that would notice it.
                _ = try StoreLayout.knownVersion(connection)
                do throws(SQLiteError) {
                    try connection.backup(to: path)
                } catch {
                    if error.systemError == EEXIST { throw ProfileStoreError.alreadyExists(path: path) }
                    throw error
                }
            })
    }

    /// Removes the store if it was made when this repository opened it, and nobody has stored or changed anything since
    /// (N6). The lock file stays: without it two programs could write at once.
    ///
    /// - Returns: Whether it is gone. Close the repository then; what others have open there can no longer write.
    /// - Throws: `busy`, …
    package func removeIfUnused() async throws(ProfileStoreError) -> Bool {
        guard let engine = engine as? SQLiteEngine, engine.isMadeHere else { return false }
        let file = engine.session.file
        return try await engine.session.withWriter { connection in
            guard try ProfileTable.count(connection) == 0, try StoreTable.changeNumber(connection) == 0,
                try SchemaTable.versionInForce(connection) == 1, try !TokenTable.hasAccessTokens(connection)
            else { return false }
            do throws(SQLiteError) {
                // Another program reads the store.
                guard try connection.checkpoint(.truncate).isComplete else { return false }
            } catch {
                // On a full disk the log cannot be emptied, and it is the log that keeps the disk full.
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

    /// The migrations that this program knows, oldest first, and whether the store has them.
    ///
    /// - Throws: `noStore`, `notADatabase`, `notAStore`, `newerStore`, …
    public static func migrationStatus(
        at path: String
    ) throws(ProfileStoreError) -> [MigrationStatus] {
        let file = try StoreFile.resolve(path, createsFolder: false, Options())
        let version = try ProfileStoreError.translating { try file.version() }
        return Migration.all.map { MigrationStatus(name: $0.name, isApplied: $0.version <= version) }
    }

    /// Applies the migrations that a store lacks, each in one transaction; one that was broken off goes on from there.
    ///
    /// - Returns: The names of those that were applied.
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
    /// The folder of the sockets by which processes tell each other of changes; see ``Beeper``.
    package var runtimeDirectory: String? {
        get { engineSettings["runtimeDirectory"] }
        set { engineSettings["runtimeDirectory"] = newValue }
    }

    /// A registered SQLite VFS, for tests that make the file system fail.
    package var vfs: String? {
        get { engineSettings["vfs"] }
        set { engineSettings["vfs"] = newValue }
    }

    /// Whether the store is read as it lies as long as it has no log, even in a folder that can be written; for tests.
    package var readsAsItLies: Bool {
        get { engineSettings["readsAsItLies"] != nil }
        set { engineSettings["readsAsItLies"] = newValue ? "" : nil }
    }
}
