internal import Platform
internal import ProfileStore
internal import SQLiteAccess

/// The file of a store: is it one, is it ours, and which connections does it get?
struct StoreFile: Sendable {
    /// "PROF", in the header of every store (`PRAGMA application_id`).
    static let applicationID: Int32 = 0x5052_4F46

    let path: DatabasePath
    /// How long to wait for locks that other programs hold.
    let waitLimit: Duration
    /// A registered SQLite VFS, for tests that make the file system fail.
    let vfs: String?
    let uptime: @Sendable () -> ContinuousClock.Instant
    /// Whether the file is read as it lies wherever it has no log, even if somebody may change it; for tests.
    private let alwaysReadsAsItLies: Bool

    /// What lies at the path.
    enum State: Hashable {
        case missing
        /// A database without anything in it: a store whose making was broken off.
        case empty
        case store(version: Int)
        /// A store of a later version of this program.
        case newer(version: Int)
        /// An SQLite database of another program.
        case foreign
    }

    /// Resolves a path; a folder that is missing is made, 0700, if `createsFolder` says so.
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

    /// The path that a symbolic link holds; nil if the path is not a link.
    private static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// The same, with the store's errors.
    static func resolve(
        _ path: String, createsFolder: Bool, _ options: ProfileRepository.Options
    ) throws(ProfileStoreError) -> StoreFile {
        try ProfileStoreError.translating { try StoreFile(path, createsFolder: createsFolder, options: options) }
    }

    /// Looks at the file through SQLite, changing nothing of a stranger's.
    func inspect() throws -> StoreLook {
        var status = stat()
        guard stat(path.database, &status) == 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return StoreLook(.missing) }
            throw ProfileStoreError.cannotOpen(path.description, code: code)
        }
        // Opening a pipe would wait for whoever writes into it.
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

    /// The same, with the store's errors, once a change would show: a file that was changed a moment ago can be read as
    /// it lies only then. Where nothing can be put beside it there is no other way to read it.
    func inspectOnceSettled() async throws(ProfileStoreError) -> StoreLook {
        while true {
            do {
                return try inspect()
            } catch {
                guard let error = error as? SQLiteError, error.wantsFileBeside, !FileStamp.isFolderWritable(path),
                    let stamp = FileStamp(path)
                else { throw ProfileStoreError(translating: error) }
                if stamp.hasLog { throw .unreadableLog(path: path.description) }
                guard !stamp.isConclusive else { throw ProfileStoreError(translating: error) }
            }
            do { try await Task.sleep(for: .milliseconds(100)) } catch { throw .cancelled }
        }
    }

    /// The version of the store that is there.
    ///
    /// - Throws: `noStore`, `notAStore`, `newerStore`, …
    func version() throws -> Int { try version(of: inspect().state) }

    /// The version of a store in a state that was found.
    func version(of state: State) throws -> Int {
        switch state {
        case .missing, .empty: throw ProfileStoreError.noStore(path: path.description)
        case .foreign: throw ProfileStoreError.notAStore(path: path.description)
        case .newer(let version):
            throw ProfileStoreError.newerStore(path: path.description, version: version, known: Migrator.latest)
        case .store(let version): return version
        }
    }

    /// The writer of this process; it opens its connection with its first job. Who reads nothing there, and replaces all
    /// that there is, need not have the layout verified.
    func writer(
        _ options: ProfileRepository.Options, verifiesLayout: Bool = true
    ) -> DatabaseWriter {
        DatabaseWriter(path, command: options.command) { limit in
            // The lock is held.
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

    /// Opens a connection, whose layout is to be verified before anything else is read.
    func connect(_ mode: Connection.Mode, waiting limit: WaitLimit? = nil) throws(SQLiteError) -> Connection {
        let connection = try Connection(path, mode: mode, vfs: vfs, waitLimit: limit ?? WaitLimit(waitLimit))
        try SearchFunctions.define(on: connection)
        return connection
    }

    /// Permissions and size of the database, or of a file beside it; nil where there is none.
    func status(ofFileEndingIn ending: String) -> (mode: UInt16, size: Int64)? {
        var status = stat()
        guard stat(path.file(endingIn: ending), &status) == 0 else { return nil }
        return (UInt16(truncatingIfNeeded: status.st_mode & 0o7777), Int64(status.st_size))
    }

    // MARK: Making

    /// Runs work that makes a store, with the write lock held. If it fails, nothing is left of a file that did not exist
    /// before: on a full disk even an empty database and its log would keep the room that is missing.
    ///
    /// - Parameters:
    ///   - isNew: Whether the file did not exist before the work.
    ///   - connection: The writer's.
    ///   - body: The work.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw.
    func making<Value>(
        isNew: Bool, _ connection: borrowing Connection, _ body: (borrowing Connection) throws -> Value
    ) throws -> Value {
        do {
            return try body(connection)
        } catch {
            // Another process may have made a store here before the lock was ours.
            if isNew, (try? Self.state(connection)) == .empty { removeFiles() }
            throw error
        }
    }

    /// Removes the database and its log; the lock file stays, since without it two programs could write at once. The
    /// database goes first: SQLite ignores a log beside an empty database, but a database without its log may be torn.
    func removeFiles() {
        for ending in ["", "-wal", "-shm"] { unlink(path.file(endingIn: ending)) }
    }

    // MARK: Looking

    private func look() throws -> StoreLook {
        // As it lies first, so that a stranger's file gets nothing put beside it, whatever lies there already.
        let asItLies: State
        do {
            asItLies = try look(as: .inspection).state
        } catch {
            // What has a lock file beside it may be a store in the midst of a checkpoint, which only looks damaged.
            guard access(path.lock, F_OK) == 0 else { throw error }
            return try lookUnderLocks { throw error }
        }
        switch asItLies {
        case .foreign, .newer: return StoreLook(asItLies)
        // Its version, and all that is in it, may still be in its write-ahead log.
        case .store:
            if let look = lookAtUnchanged() { return look }
            return try lookUnderLocks { try look(as: .readWrite).state }
        case .missing, .empty: return try lookUnderLocks { Self.bringsBackPages(path.journal) ? .foreign : .empty }
        }
    }

    /// What is in a store that has no log and that nobody changes, where SQLite could put no `-shm` file beside it; nil
    /// of any other.
    private func lookAtUnchanged() -> StoreLook? {
        guard alwaysReadsAsItLies || !FileStamp.isFolderWritable(path), let stamp = FileStamp(path), !stamp.hasLog,
            alwaysReadsAsItLies || stamp.isConclusive,
            // What goes wrong here does so under locks too, and is told there.
            let look = try? look(as: .immutable, stamp), FileStamp(path) == stamp
        else { return nil }
        return look
    }

    /// What those see who go by other programs' locks and the write-ahead log; or `unfinished`, where somebody has broken
    /// a transaction off, which is to be undone first.
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
        // Of one moment: between two statements another process may have made the store.
        try connection.readTransaction {
            let settings = try connection.settings()
            let version = Int(settings.userVersion)
            if settings.applicationID == applicationID {
                return version <= Migrator.latest ? .store(version: version) : .newer(version: version)
            }
            guard settings.applicationID == 0, version == 0 else { return .foreign }
            var statement = try connection.prepare("SELECT count(*) FROM sqlite_schema")
            return try statement.step() && statement.integer(at: 0) == 0 ? .empty : .foreign
        }
    }

    /// Whether there would be pages again if SQLite undid the transaction that this rollback journal is of; see
    /// <https://www.sqlite.org/fileformat2.html#the_rollback_journal>.
    private static func bringsBackPages(_ journal: [CChar]) -> Bool {
        let descriptor = Platform.open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // The last number: how many pages there were.
        var header = [UInt8](repeating: 0, count: 20)
        return read(descriptor, &header, header.count) == header.count && header[16...].contains { $0 != 0 }
    }

    /// Makes the folders of a path that are missing.
    ///
    /// - Returns: What the system refused, which does not matter where the folder is there all the same.
    private static func createFolders(of path: String) throws -> ProfileStoreError? {
        var refused: ProfileStoreError?
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in parts {
            folder += part + "/"
            if mkdir(folder, 0o700) == 0 || errno == EEXIST { continue }
            let refusal = ProfileStoreError.cannotOpen(folder, code: errno)
            guard errno == EROFS || errno == EACCES else { throw refusal }
            refused = refused ?? refusal
        }
        return refused
    }
}

extension DatabaseWriter {
    /// Writes, with the store's errors.
    func writeForStore<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await write(waitingAtMost: limit, body)
        } catch {
            throw ProfileStoreError(translating: error)
        }
    }

    /// The one write of a writer, which closes then.
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
    /// Whether SQLite may have wanted to make or change a file beside the database, and could not.
    fileprivate var wantsFileBeside: Bool {
        switch code.primary {
        case .cantOpen: systemError != EACCES && systemError != EPERM
        case .readOnly: true
        default: false
        }
    }
}
