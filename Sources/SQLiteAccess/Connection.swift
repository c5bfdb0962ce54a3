internal import CSQLite

/// One connection to a database: owned, used by one thread at a time, closed when its owner lets go of it.
///
/// Opening configures it as the project wants every connection (see ``ConnectionSettings/isAsWanted``) and reads the
/// settings back. It is opened without SQLite's own mutex: that it cannot be copied, is not `Sendable`, and lends
/// statements that cannot outlive it, is what keeps it to one thread.
package struct Connection: ~Copyable {
    /// What a connection may do to the file.
    package enum Mode: Hashable, Sendable {
        /// Reads the file as it lies, without locks and without its write-ahead log, and leaves nothing beside it.
        ///
        /// For a look at a file that may not be ours. What was committed but not yet checkpointed is not seen, so a
        /// file that turns out to be ours is opened again.
        case inspection
        /// Reads a database of ours that nobody changes, as `inspection` does. SQLite does not notice if somebody does
        /// (<https://www.sqlite.org/uri.html#uriimmutable>): what was read counts only if the ``FileStamp`` is the same
        /// afterwards.
        case immutable
        /// Reads. On a database with a write-ahead log this may create the `-wal` and `-shm` files.
        case readOnly
        /// Reads and writes a file that exists.
        case readWrite
        /// Reads and writes; a file that does not exist is created 0600, whatever the umask.
        case create
    }

    let handle: OpaquePointer
    private let cache: StatementCache
    private let walFrameCount: UnsafeMutablePointer<Int>
    let statements: StatementGuard
    let terms: WriteTerms
    /// Nil for a database without a name.
    package let path: DatabasePath?

    /// Opens and configures a connection. It writes nothing to a file that exists.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - mode: What the connection may do.
    ///   - vfs: The name of a registered SQLite VFS, or nil for the default one.
    ///   - waitLimit: How long to wait for locks that other programs hold; nil for a time that is long enough for most.
    /// - Throws: `cantOpen`, with a ``FileProblem`` if the file has several names or something else has the lock file's;
    ///   `notADatabase`, `corrupt`, or `error` if a setting does not read back as it was set.
    package init(
        _ path: DatabasePath, mode: Mode, vfs: String? = nil, waitLimit: WaitLimit? = nil
    ) throws(SQLiteError) {
        // What a stranger's file is called besides is no concern of ours.
        if mode != .inspection { try Self.requireOneName(path) }
        if mode == .create {
            // SQLite gives a new database the mode of this file, and `-wal` and `-shm` the mode of the database.
            _ = try LockFile(path)
        }
        let connection = Connection(
            handle: try Self.open(path, mode: mode, vfs: vfs), path: path, waitLimit: waitLimit)
        do throws(SQLiteError) {
            // SQLite reads the schema and the statistics of the planner, and computes what columns these have.
            try connection.within(Self.openingLimit) { () throws(SQLiteError) in
                try connection.configure()
                try connection.verifySettings()
            }
        } catch {
            guard error.code == .interrupt else { throw error }
            throw SQLiteError(code: .corrupt, message: "reading its schema takes too long")
        }
        // Whoever has a log open to read it meets nobody else's lock later.
        if mode == .readOnly { connection.terms.waitLimit = nil }
        self = connection
    }

    /// Opens a database of its own that nobody else can reach: a file without a name, which is gone with the connection
    /// (<https://www.sqlite.org/inmemorydb.html#temp_db>). It may grow as large as the disk.
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
        // Having a hook of our own also replaces, and so turns off, SQLite's automatic checkpoints.
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

    /// Lends a prepared statement for `sql`, which must be one statement.
    ///
    /// Statements are kept by their text, so preparing the same text again costs a look-up. While a statement is out,
    /// the same text gets a second one.
    @_lifetime(borrow self)
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        if let kept = cache.lease(sql) { return Statement(kept) }
        let prepared = try PreparedStatement(sql, on: handle)
        cache.keep(prepared)
        return Statement(prepared)
    }

    /// Runs one statement that takes no values, and refuses a text of more than one; rows are ignored.
    package func run(_ sql: String) throws(SQLiteError) {
        var statement = try prepare(sql)
        try statement.run()
    }

    /// Runs one or more statements of the program's own text that take no values; rows are ignored.
    package func execute(_ sql: String) throws(SQLiteError) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw SQLiteError(status: status, database: handle, sql: sql) }
    }

    /// The rows that the latest INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The rows changed since the connection was opened, by triggers too.
    package var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }

    /// The row id of the latest successful INSERT.
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Whether other writers wait for the lock under which this connection writes. It costs about a microsecond.
    package var othersWait: Bool { terms.othersWait?() ?? false }

    /// Whether no transaction is open.
    package var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// The frames in the write-ahead log after this connection's latest commit, other processes' frames included.
    package var walFrames: Int { walFrameCount.pointee }

    /// Lets sorts, such as those that build indexes, use up to `count` more threads (0 to 8; at first 0).
    package func setWorkerThreads(_ count: Int) {
        sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, Int32(clamping: count))
    }

    /// Lets the page cache grow to a size, in KiB; see ``defaultCache``.
    package func setCache(kibibytes: Int) throws(SQLiteError) {
        // PRAGMA takes no bound values. A negative size counts KiB instead of pages.
        try execute("PRAGMA cache_size = -\(max(1, kibibytes)); PRAGMA shrink_memory")
    }

    /// SQLite's own size, in KiB.
    package static let defaultCache = 2_000

    /// Far more than the schema of a database takes that nobody has crafted.
    package static let openingLimit = Duration.seconds(2)

    /// Waits at most `milliseconds` for other programs' locks.
    ///
    /// Writers of ours wait at the ``WriteLock`` instead, before they trouble SQLite.
    func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Runs what may have to wait for other programs' locks, for as long as ``WriteTerms`` say.
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
