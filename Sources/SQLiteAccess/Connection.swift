internal import CSQLite

/// A connection to a database. A connection has one owner and is used by one thread at a time. It is closed when the
/// owner releases it.
///
/// When a connection is opened, the required settings (see ``ConnectionSettings/isAsWanted``) are applied and verified.
/// The connection is opened without SQLite's own mutex. Three rules ensure that only one thread uses a connection: the
/// connection cannot be copied, it is not `Sendable`, and its statements cannot outlive it.
package struct Connection: ~Copyable {
    /// The access that a connection has to the file.
    package enum Mode: Hashable, Sendable {
        /// Reads only the database file: takes no locks and ignores the write-ahead log. Creates no files.
        ///
        /// Use this mode to examine a file that may not be a database of this project. Commits that are not yet
        /// checkpointed are not visible. If the file is a database of this project, open it again in another mode.
        case inspection
        /// Reads a database of this project in the same way as `inspection`. The database must not change meanwhile.
        /// SQLite does not detect a change (<https://www.sqlite.org/uri.html#uriimmutable>), so the result is valid
        /// only if the ``FileStamp`` is the same before and after reading.
        case immutable
        /// Reads the database. If the database has a write-ahead log, SQLite may create the `-wal` and `-shm` files.
        case readOnly
        /// Reads and writes an existing file.
        case readWrite
        /// Reads and writes. A file that does not exist is created with mode 0600, regardless of the umask.
        case create
    }

    let handle: OpaquePointer
    private let cache: StatementCache
    private let walFrameCount: UnsafeMutablePointer<Int>
    let statements: StatementGuard
    let terms: WriteTerms
    /// The path of the database; nil for a temporary database, which has no name.
    package let path: DatabasePath?

    /// Opens and configures a connection. An existing file is not changed.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - mode: The permitted access.
    ///   - vfs: The name of a registered SQLite VFS, or nil for the default one.
    ///   - waitLimit: The maximum time to wait for locks that other programs hold; nil for the default of 10 seconds.
    /// - Throws: `cantOpen` if the database cannot be opened. The error has a ``FileProblem`` if the database has
    ///   several names, or if the file in the place of the lock file is not a lock file. `notADatabase` or `corrupt` if
    ///   the file cannot be read as a database, or if reading its schema takes longer than ``openingLimit``. `error` if
    ///   a setting was set, but SQLite then reports a different value.
    package init(
        _ path: DatabasePath, mode: Mode, vfs: String? = nil, waitLimit: WaitLimit? = nil
    ) throws(SQLiteError) {
        // An inspection takes no lock and writes nothing, so the file may have several names.
        if mode != .inspection { try Self.requireOneName(path) }
        if mode == .create {
            // The lock file must exist first: SQLite gives a new database the permissions of this file. SQLite gives
            // `-wal` and `-shm` the permissions of the database.
            _ = try LockFile(path)
        }
        let connection = try Connection(unconfigured: path, mode: mode, vfs: vfs, waitLimit: waitLimit)
        do throws(SQLiteError) {
            // SQLite reads the schema and the planner's statistics here. If an attacker made the schema, reading it can
            // be slow.
            try connection.within(Self.openingLimit) { () throws(SQLiteError) in
                try connection.configure()
                try connection.verifySettings()
            }
        } catch {
            guard error.code == .interrupt else { throw error }
            throw SQLiteError(code: .corrupt, message: "reading its schema takes too long")
        }
        // A reader may have to wait only while it opens the database. After the reader has opened the write-ahead log,
        // locks of other connections no longer block the reader.
        if mode == .readOnly { connection.terms.waitLimit = nil }
        self = connection
    }

    /// Opens a connection without its settings. The caller applies them, or reads only the file's header.
    init(
        unconfigured path: DatabasePath, mode: Mode, vfs: String?, waitLimit: WaitLimit? = nil
    ) throws(SQLiteError) {
        self.init(handle: try Self.open(path, mode: mode, vfs: vfs), path: path, waitLimit: waitLimit)
    }

    /// Opens a private temporary database: a file without a name, which is removed when the connection closes
    /// (<https://www.sqlite.org/inmemorydb.html#temp_db>). The database can grow until the disk is full.
    package static func temporary() throws(SQLiteError) -> Connection {
        let handle = try open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: nil)
        let connection = Connection(handle: handle, path: nil, waitLimit: nil)
        try connection.configure()
        try connection.verifySettings()
        return connection
    }

    private init(handle: OpaquePointer, path: DatabasePath?, waitLimit: WaitLimit?) {
        self.handle = handle
        self.path = path
        terms = WriteTerms(waitLimit: waitLimit)
        cache = StatementCache()
        statements = StatementGuard(handle)
        walFrameCount = .allocate(capacity: 1)
        walFrameCount.initialize(to: 0)
        // SQLite implements automatic checkpoints with the same kind of hook, and a connection has only one such hook.
        // So this hook turns automatic checkpoints off.
        _ = sqlite3_wal_hook(
            handle,
            { count, _, _, frames in
                count?.assumingMemoryBound(to: Int.self).pointee = Int(frames)
                return SQLITE_OK
            }, walFrameCount)
    }

    deinit {
        cache.removeAll()
        sqlite3_close_v2(handle)
        walFrameCount.deallocate()
    }

    /// Returns a prepared statement for `sql`, which must be exactly one statement.
    ///
    /// The connection caches statements by their text, so preparing the same text again costs only a look-up. If the
    /// cached statement is in use, preparing the same text creates a second statement.
    @_lifetime(borrow self)
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        if let kept = cache.lease(sql) { return Statement(kept) }
        let prepared = try PreparedStatement(sql, on: handle)
        cache.keep(prepared)
        return Statement(prepared)
    }

    /// Returns a prepared statement for `sql`. The values are bound to its parameters in the same order.
    ///
    /// Boxing the values costs time. Code that runs often should bind its values with the methods of ``Statement``
    /// instead.
    @_lifetime(borrow self)
    package func prepare(_ sql: String, _ values: any StatementValue...) throws(SQLiteError) -> Statement {
        try prepare(sql, binding: values)
    }

    /// Runs one statement with these values, and ignores its rows. A text with more than one statement is refused.
    package func run(_ sql: String, _ values: any StatementValue...) throws(SQLiteError) {
        var statement = try prepare(sql, binding: values)
        try statement.run()
    }

    @_lifetime(borrow self)
    private func prepare(_ sql: String, binding values: [any StatementValue]) throws(SQLiteError) -> Statement {
        var statement = try prepare(sql)
        for (index, value) in values.enumerated() { try value.bind(to: &statement, at: index + 1) }
        return statement
    }

    /// Runs one or more statements that take no values, and ignores their rows. The text must be a constant of the
    /// program.
    package func execute(_ sql: String) throws(SQLiteError) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw SQLiteError(status: status, database: handle, sql: sql) }
    }

    /// The number of rows that the latest INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Whether other writers wait for the lock that this connection's writer holds. Reading this property takes about a
    /// microsecond.
    package var othersWait: Bool { terms.othersWait?() ?? false }

    /// Whether no transaction is open.
    package var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// The number of frames in the write-ahead log after this connection's latest commit, including the frames of other
    /// processes.
    package var walFrames: Int { walFrameCount.pointee }

    /// Allows SQLite to sort with up to `count` additional threads (0 to 8; the default is 0), for example to build an
    /// index.
    package func setWorkerThreads(_ count: Int) {
        sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, Int32(clamping: count))
    }

    /// Sets the maximum size of the page cache in KiB, at least 1; see ``defaultCache``.
    package func setCache(kibibytes: Int) throws(SQLiteError) {
        // Values cannot be bound to a PRAGMA. If the size is negative, it is a number of KiB; otherwise it is a number
        // of pages.
        try execute("PRAGMA cache_size = -\(max(1, kibibytes)); PRAGMA shrink_memory")
    }

    /// SQLite's default size of the page cache, in KiB.
    package static let defaultCache = 2_000

    /// The maximum time for reading the schema while a database is opened. Only a crafted schema needs more time.
    package static let openingLimit = Duration.seconds(2)

    /// Sets the maximum time that SQLite waits for locks of other programs.
    ///
    /// Writers of this project wait for the ``WriteLock`` first, so they do not wait for each other in SQLite.
    func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Runs `body`, which may have to wait for locks of other programs. The maximum wait is the limit in
    /// ``WriteTerms``.
    func measuringWait<Value: ~Copyable>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        guard let waitLimit = terms.waitLimit else { return try body() }
        setBusyTimeout(milliseconds: waitLimit.remainingMilliseconds)
        return try waitLimit.measuring(body)
    }

    private static func open(_ path: DatabasePath, mode: Mode, vfs: String?) throws(SQLiteError) -> OpaquePointer {
        let access: (flags: Int32, options: [(name: String, value: [CChar])]) =
            switch mode {
            case .inspection, .immutable: (SQLITE_OPEN_READONLY, [("immutable", Array("1".utf8CString))])
            case .readOnly: (SQLITE_OPEN_READONLY, [])
            case .readWrite: (SQLITE_OPEN_READWRITE, [])
            case .create: (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, [("modeof", path.lock)])
            }
        do throws(SQLiteError) {
            return try open(path.uri(options: access.options), access.flags, vfs: vfs)
        } catch {
            throw error.opening(path)
        }
    }

    private static func open(_ name: String, _ access: Int32, vfs: String?) throws(SQLiteError) -> OpaquePointer {
        let always = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        var handle: OpaquePointer?
        let status = sqlite3_open_v2(name, &handle, access | always, vfs)
        guard status == SQLITE_OK, let handle else {
            let error = SQLiteError(status: status, database: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        return handle
    }
}
