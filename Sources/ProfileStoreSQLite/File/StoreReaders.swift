internal import ProfileStore
internal import SQLiteAccess
internal import Synchronization
internal import Threads

/// The connections that read a store's file.
///
/// The connections use SQLite's locks, and SQLite needs a `-shm` file for its locks. If SQLite cannot create that file
/// and the store does not change, the connections read in the mode `immutable` without locks; see `FileStamp`.
final class StoreReaders: Sendable {
    private let path: DatabasePath
    private let underLocks: ReaderPool
    private let asItLies: ReaderPool
    /// The stamp of the file before the first read in the mode `immutable`; nil if that mode is not used.
    private let stamp: FileStamp?
    /// Whether a read has found that the file has changed since the stamp was taken, or that a write-ahead log or a
    /// rollback journal has content. From then on, all reads use locks.
    private let isChanged = Atomic(false)
    private let isClosed = Atomic(false)
    /// The file that the connections read. Nil if the path led to another file, or to no file, right after the file was
    /// opened.
    private let identity: FileIdentity?
    /// The time of the last check that found this file at the path.
    private let lastLook: Locked<ContinuousClock.Instant>
    private let uptime: @Sendable () -> ContinuousClock.Instant

    /// The minimum time between two checks of the path. A check costs about a microsecond, and a look-up some
    /// microseconds.
    private static let lookInterval = Duration.milliseconds(100)

    /// Creates the readers. The first read uses the connection that inspected the file.
    init(_ file: StoreFile, _ look: consuming StoreLook) {
        path = file.path
        let stamp = look.stamp
        self.stamp = stamp
        uptime = file.uptime
        lastLook = Locked(uptime())
        let identity: FileIdentity?
        switch look.connection {
        case .some(let connection): identity = Self.identity(of: path, readBy: connection)
        case .none: identity = FileIdentity(path)
        }
        self.identity = identity
        let first = FirstConnection(look.connection)
        func pool(_ mode: Connection.Mode, _ first: FirstConnection?) -> ReaderPool {
            ReaderPool(mostIdle: 4) {
                // The layout is verified before anything else is read.
                let connection: Connection
                if let kept = first?.take() {
                    connection = kept
                } else {
                    connection = try file.connect(mode)
                    guard Self.identity(of: file.path, readBy: connection) == identity else {
                        throw ProfileStoreError.displaced(path: file.path.description)
                    }
                }
                try StoreLayout.verify(connection)
                return connection
            }
        }
        underLocks = pool(.readOnly, stamp == nil ? first : nil)
        asItLies = pool(.immutable, stamp == nil ? nil : first)
    }

    /// Lends a connection to `body`.
    ///
    /// If a file that is read without locks changes during the read, the result is discarded and `body` runs again
    /// under locks. If a later version of this program has migrated the store, the result is discarded and the call
    /// throws. In both cases, `undo` first reverts the side effects of `body`.
    ///
    /// - Throws: `closed`, `displaced`, `newerStore`, an error of opening the connection, or the error that `body`
    ///   throws.
    func read<Value>(undo: () -> Void = {}, _ body: (borrowing Connection) throws -> Value) throws -> Value {
        guard !isClosed.load(ordering: .relaxed) else { throw ProfileStoreError.closed }
        if uptime() - lastLook.withLock({ $0 }) >= Self.lookInterval { try requireInPlace() }
        if let stamp, !isChanged.load(ordering: .relaxed) {
            let outcome = Result { try asItLies.read(body) }
            // The stamp was taken at opening. If the file has the same stamp now, it has not changed since then.
            if FileStamp(path) == stamp { return try outcome.get() }
            try requireInPlace()
            isChanged.store(true, ordering: .relaxed)
            asItLies.endReading()
            if case .success = outcome { undo() }
        }
        return try underLocks.read { connection in
            let value: Value
            do {
                value = try body(connection)
            } catch {
                // A migration may be the reason for the error.
                try StoreLayout.requireKnownVersion(connection)
                throw error
            }
            do {
                try StoreLayout.requireKnownVersion(connection)
            } catch {
                undo()
                throw error
            }
            return value
        }
    }

    /// Throws `displaced` if the path no longer leads to the file that the connections read.
    func requireInPlace() throws {
        let now = uptime()
        guard let identity, FileIdentity(path) == identity else {
            throw ProfileStoreError.displaced(path: path.description)
        }
        lastLook.withLock { $0 = now }
    }

    /// Returns the identity of the file at the path if the connection reads that file; otherwise nil.
    private static func identity(of path: DatabasePath, readBy connection: borrowing Connection) -> FileIdentity? {
        let identity = FileIdentity(path)
        return (try? connection.requireInPlace()) == nil ? nil : identity
    }

    /// Closes the idle connections.
    func closeIdle() {
        asItLies.closeIdle()
        underLocks.closeIdle()
    }

    /// Interrupts running reads and closes the idle connections. Later reads throw `closed`.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        asItLies.endReading()
        underLocks.endReading()
    }
}

/// An open connection that the first caller of ``take()`` gets.
///
/// `@unchecked Sendable`: a mutex protects the connection, and only one thread can take it.
private final class FirstConnection: @unchecked Sendable {
    private var connection: Connection?
    private let turn = Locked(())

    init(_ connection: consuming Connection?) { self.connection = consume connection }

    func take() -> Connection? { turn.withLock { _ in connection.take() } }
}
