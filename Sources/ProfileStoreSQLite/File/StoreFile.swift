internal import Platform
internal import ProfileStore
internal import SQLiteAccess

/// The file of a store. Finds out whether the file is a store of this program, and opens connections to it.
struct StoreFile: Sendable {
    /// The application id in the header of every store, "PROF" in ASCII (`PRAGMA application_id`).
    static let applicationID: Int32 = 0x5052_4F46

    let path: DatabasePath
    /// The maximum time to wait for locks that other programs hold.
    let waitLimit: Duration
    /// The name of a registered SQLite VFS. Tests use such a VFS to simulate failures of the file system.
    let vfs: String?
    let uptime: @Sendable () -> ContinuousClock.Instant
    /// For tests. If true, a file that has no write-ahead log and no rollback journal is always read in the
    /// mode `immutable`, even if another process may change the file.
    private let alwaysReadsAsItLies: Bool

    /// The state of the file at the path.
    enum State: Hashable {
        case missing
        /// An empty database, left by a process that was interrupted while it created a store.
        case empty
        case store(version: Int)
        /// A store of a later version of this program.
        case newer(version: Int)
        /// An SQLite database of another program.
        case foreign
    }

    /// Resolves a path. If `createsFolder` is true, missing folders are created with mode 0700.
    init(_ path: String, createsFolder: Bool, options: ProfileRepository.Options) throws {
        let refused = createsFolder ? try Self.createFolders(of: path) : nil
        do throws(SQLiteError) {
            self.path = try DatabasePath(path)
        } catch {
            guard error.systemError == ENOENT else { throw error }
            if let target = Self.target(ofLink: path) {
                throw ProfileStoreError.brokenLink(path: path, target: target)
            }
            throw refused ?? ProfileStoreError.noStore(path: path)
        }
        waitLimit = options.waitLimit
        vfs = options.vfs
        uptime = options.uptime
        alwaysReadsAsItLies = options.readsAsItLies
    }

    /// Returns the target of a symbolic link; nil if the path is not a link.
    private static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// Resolves a path as ``init(_:createsFolder:options:)`` does, and throws `ProfileStoreError` only.
    static func resolve(
        _ path: String, createsFolder: Bool, _ options: ProfileRepository.Options
    ) throws(ProfileStoreError) -> StoreFile {
        try ProfileStoreError.translating { try StoreFile(path, createsFolder: createsFolder, options: options) }
    }

    /// Inspects the file through SQLite. A file that is not a store is not changed.
    func inspect() throws -> StoreLook {
        var status = stat()
        guard stat(path.database, &status) == 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return StoreLook(.missing) }
            throw ProfileStoreError.cannotOpen(path.description, code: code)
        }
        // Opening a pipe would wait for a writer.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ProfileStoreError.cannotOpen(
                path.description, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        do {
            return try look()
        } catch let error as SQLiteError where .notADatabase ~= error.code {
            throw ProfileStoreError.notADatabase(path: path.description)
        }
    }

    /// Inspects the file as ``inspect()`` does, and throws `ProfileStoreError` only.
    ///
    /// If SQLite cannot create files beside the database, no mode except `immutable` can read the database. That mode
    /// needs a conclusive ``FileStamp``. So if the file was changed a moment ago, this method waits until the file's
    /// stamp is conclusive.
    func inspectOnceSettled() async throws(ProfileStoreError) -> StoreLook {
        while true {
            // The stamp may become conclusive during an inspection, and then the next inspection can use it.
            let wasConclusive = FileStamp(path)?.isConclusive ?? true
            do {
                return try inspect()
            } catch {
                guard let error = error as? SQLiteError, error.wantsFileBeside, !FileStamp.isFolderWritable(path),
                    let stamp = FileStamp(path)
                else { throw ProfileStoreError(translating: error) }
                if stamp.hasLog { throw .unreadableLog(path: path.description) }
                guard !wasConclusive else { throw ProfileStoreError(translating: error) }
            }
            do { try await Task.sleep(for: .milliseconds(100)) } catch { throw .cancelled }
        }
    }

    /// Returns the version of the store at the path.
    ///
    /// - Throws: `noStore`, `notAStore`, `newerStore`, …
    func version() throws -> Int { try version(of: inspect().state) }

    /// Returns the version of a store from the state that ``inspect()`` found. Throws if the state is not a usable
    /// store.
    func version(of state: State) throws -> Int {
        switch state {
        case .missing, .empty: throw ProfileStoreError.noStore(path: path.description)
        case .foreign: throw ProfileStoreError.notAStore(path: path.description)
        case .newer(let version):
            throw ProfileStoreError.newerStore(path: path.description, version: version, known: Migrator.latest)
        case .store(let version): return version
        }
    }

    /// Returns a writer. The writer opens its connection when it runs its first job. A caller that reads nothing and
    /// only replaces the whole contents can pass false for `verifiesLayout`.
    func writer(
        _ options: ProfileRepository.Options, verifiesLayout: Bool = true
    ) -> DatabaseWriter {
        DatabaseWriter(path, command: options.command) { limit in
            // The writer calls this closure while it holds the write lock.
            let mode: Connection.Mode = options.createsMissing ? .create : .readWrite
            let isNew = options.createsMissing && status(ofFileEndingIn: "") == nil
            do {
                let connection = try connect(mode, waiting: limit)
                if verifiesLayout { try StoreLayout.verify(connection) }
                try connection.enableWriteAheadLog()
                return connection
            } catch {
                if isNew, status(ofFileEndingIn: "") != nil { removeFiles() }
                throw error
            }
        }
    }

    /// Opens a connection. The caller has to verify the layout before it reads anything else.
    func connect(_ mode: Connection.Mode, waiting limit: WaitLimit? = nil) throws(SQLiteError) -> Connection {
        let connection = try Connection(path, mode: mode, vfs: vfs, waitLimit: limit ?? WaitLimit(waitLimit))
        try SearchFunctions.define(on: connection)
        return connection
    }

    /// Returns the permissions and the size of the database or of a file beside it; nil if there is no such file.
    func status(ofFileEndingIn ending: String) -> (mode: UInt16, size: Int64)? {
        var status = stat()
        guard stat(path.file(endingIn: ending), &status) == 0 else { return nil }
        return (UInt16(truncatingIfNeeded: status.st_mode & 0o7777), Int64(status.st_size))
    }

    // MARK: Creating

    /// Runs work that creates a store. The caller holds the write lock. If the work fails, a new file is removed. The
    /// reason: if the disk is full, even an empty database and its log would use space that other programs need.
    ///
    /// - Parameters:
    ///   - isNew: False if the file existed before the work.
    ///   - connection: The writer's connection.
    ///   - body: The work.
    /// - Returns: The value that `body` returned.
    /// - Throws: The error that `body` threw.
    func making<Value>(
        isNew: Bool, _ connection: borrowing Connection, _ body: (borrowing Connection) throws -> Value
    ) throws -> Value {
        do {
            return try body(connection)
        } catch {
            // Another process may have created a store here before this process got the lock.
            if isNew, (try? Self.state(connection)) == .empty { removeFiles() }
            throw error
        }
    }

    /// Removes the database and its log. The lock file stays, because without it two programs could write at the same
    /// time.
    ///
    /// The database is removed first, because the process may end before it removes the log. A later program then
    /// creates an empty database, and SQLite ignores the old log. If the log were removed first, the remaining database
    /// might be inconsistent.
    func removeFiles() {
        for ending in ["", "-wal", "-shm"] { unlink(path.file(endingIn: ending)) }
    }

    // MARK: Inspecting

    private func look() throws -> StoreLook {
        // The first inspection does not use locks. So SQLite creates no file beside a database of another program.
        let asItLies: State
        do {
            asItLies = try Self.state(by: try DatabaseHeader(path, vfs: vfs)) ?? look(as: .inspection).state
        } catch {
            // If a lock file exists, the file may be a store in the middle of a checkpoint or of its first import. Such
            // a store can look damaged if it is read without locks. An interrupted first import is rolled back.
            guard access(path.lock, F_OK) == 0 else { throw error }
            return try lookUnderLocks { try look(as: .readWrite).state }
        }
        switch asItLies {
        case .foreign, .newer: return StoreLook(asItLies)
        // The store's version and contents may still be in its write-ahead log.
        case .store:
            if let look = lookAtUnchanged() { return look }
            return try lookUnderLocks { try look(as: .readWrite).state }
        case .missing, .empty: return try lookUnderLocks { Self.bringsBackPages(path.journal) ? .foreign : .empty }
        }
    }

    /// Inspects a store in the mode `immutable`. Returns nil if SQLite can create a `-shm` file beside the store, if
    /// the store has a write-ahead log or a rollback journal, or if the store may change during the inspection.
    private func lookAtUnchanged() -> StoreLook? {
        guard alwaysReadsAsItLies || !FileStamp.isFolderWritable(path), let stamp = FileStamp(path), !stamp.hasLog,
            alwaysReadsAsItLies || stamp.isConclusive,
            // If this inspection fails, the inspection under locks also fails and reports the error.
            let look = try? look(as: .immutable, stamp), FileStamp(path) == stamp
        else { return nil }
        return look
    }

    /// Inspects the file with SQLite's locks and its write-ahead log. If an interrupted transaction must be rolled back
    /// first, returns the state from `unfinished`.
    private func lookUnderLocks(unfinished: () throws -> State) throws -> StoreLook {
        do {
            return try look(as: .readOnly)
        } catch let error as SQLiteError where error.code == .readOnlyRollback {
            return StoreLook(try unfinished())
        }
    }

    private func look(as mode: Connection.Mode, _ stamp: FileStamp? = nil) throws -> StoreLook {
        let connection = try connect(mode)
        let state = try Self.state(connection)
        guard case .store = state else { return StoreLook(state) }
        return StoreLook(state, through: connection, stamp)
    }

    private static func state(_ connection: borrowing Connection) throws -> State {
        // All statements run in one transaction, because another process may create the store between two statements.
        try connection.readTransaction {
            if let state = Self.state(by: try connection.header()) { return state }
            var statement = try connection.prepare("SELECT count(*) FROM sqlite_schema")
            return try statement.step() && statement.integer(at: 0) == 0 ? .empty : .foreign
        }
    }

    /// Returns the state that the header of a database shows. Nil if the application id and the user version are both
    /// 0: the database is empty, or it belongs to another program that does not set these numbers.
    private static func state(by header: DatabaseHeader) -> State? {
        let version = Int(header.userVersion)
        if header.applicationID == applicationID {
            return version <= Migrator.latest ? .store(version: version) : .newer(version: version)
        }
        return header.applicationID == 0 && version == 0 ? nil : .foreign
    }

    /// Returns whether a database that looks empty now had pages before the transaction in its rollback journal. SQLite
    /// would restore these pages; see <https://www.sqlite.org/fileformat2.html#the_rollback_journal>.
    private static func bringsBackPages(_ journal: [CChar]) -> Bool {
        let descriptor = Platform.open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Bytes 16 to 19 of the header are the number of pages that the database had before the transaction.
        var header = [UInt8](repeating: 0, count: 20)
        return read(descriptor, &header, header.count) == header.count && header[16...].contains { $0 != 0 }
    }

    /// Creates the missing folders of a path.
    ///
    /// - Returns: The error if the system refused to create a folder (`EROFS` or `EACCES`). If the folder exists
    ///   anyway, the caller ignores the error.
    private static func createFolders(of path: String) throws -> ProfileStoreError? {
        var refused: ProfileStoreError?
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in parts {
            folder += part + "/"
            if mkdir(folder, 0o700) == 0 {
                // Without this sync, a power failure could remove the folder and all files in it.
                let code = NewName.sync(folderOf: String(folder.dropLast()))
                guard code == 0 else { throw ProfileStoreError.cannotOpen(folder, code: code) }
                continue
            }
            if errno == EEXIST { continue }
            let refusal = ProfileStoreError.cannotOpen(folder, code: errno)
            guard errno == EROFS || errno == EACCES else { throw refusal }
            refused = refused ?? refusal
        }
        return refused
    }
}

extension DatabaseWriter {
    /// Runs a write, and throws `ProfileStoreError` only.
    func writeForStore<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await write(waitingAtMost: limit, body)
        } catch {
            throw ProfileStoreError(translating: error)
        }
    }

    /// Runs the only write of a writer, and closes the writer.
    func writeAndClose<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        let outcome: Result<Value, ProfileStoreError>
        do throws(ProfileStoreError) {
            outcome = .success(try await writeForStore(waitingAtMost: limit, body))
        } catch {
            outcome = .failure(error)
        }
        await close()
        return try outcome.get()
    }
}

extension SQLiteError {
    /// Whether SQLite may have failed because it could not create or change a file beside the database.
    fileprivate var wantsFileBeside: Bool {
        switch code.primary {
        case .cantOpen: systemError != EACCES && systemError != EPERM
        case .readOnly: true
        default: false
        }
    }
}
