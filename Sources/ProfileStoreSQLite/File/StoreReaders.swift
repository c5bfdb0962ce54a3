internal import ProfileStore
internal import SQLiteAccess
internal import Synchronization

/// The connections that read a store's file.
///
/// They go by SQLite's locks, which wants a `-shm` file. Where nothing can be put beside the file, and nobody changes it,
/// they read it as it lies; see ``FileStamp``.
final class StoreReaders: Sendable {
    private let path: DatabasePath
    private let underLocks: ReaderPool
    private let asItLies: ReaderPool
    /// How the file was before anything was read as it lies; nil where nothing is.
    private let stamp: FileStamp?
    /// Whether somebody has changed the file since, or begun a log. From then on everything is read under locks.
    private let isChanged = Atomic(false)
    private let isClosed = Atomic(false)
    /// The file that the connections read; nil if the path led to another one, or to none, as soon as it was opened.
    private let identity: FileIdentity?
    /// When the path was last found to lead to that file.
    private let lastLook: Mutex<ContinuousClock.Instant>
    private let uptime: @Sendable () -> ContinuousClock.Instant

    /// How often the path is looked at. A look costs about a microsecond, and a look-up some microseconds.
    private static let lookInterval = Duration.milliseconds(100)

    /// Takes over the connection of a look at the file, so that the first who reads need not open another.
    init(_ file: StoreFile, _ look: consuming StoreLook) {
        path = file.path
        let stamp = look.stamp
        self.stamp = stamp
        uptime = file.uptime
        lastLook = Mutex(uptime())
        let identity: FileIdentity?
        switch look.connection {
        case .some(let connection): identity = Self.identity(of: path, readBy: connection)
        case .none: identity = FileIdentity(path)
        }
        self.identity = identity
        let first = FirstConnection(look.connection)
        func pool(_ mode: Connection.Mode, _ first: FirstConnection?) -> ReaderPool {
            ReaderPool(mostIdle: 4) {
                // Nothing else is read before the layout is known to be as it should be.
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

    /// Lends a connection to `body`. What it reads of a file that somebody changes meanwhile is thrown away, and it runs
    /// again under locks; before that `undo` takes back what it has done besides reading. So it does where a later version
    /// of this program turns out to have migrated the store.
    ///
    /// - Throws: `closed`, `displaced`, `newerStore`, or what opening or `body` throws.
    func read<Value>(undo: () -> Void = {}, _ body: (borrowing Connection) throws -> Value) throws -> Value {
        guard !isClosed.load(ordering: .relaxed) else { throw ProfileStoreError.closed }
        if uptime() - lastLook.withLock({ $0 }) >= Self.lookInterval { try requireInPlace() }
        if let stamp, !isChanged.load(ordering: .relaxed) {
            let outcome = Result { try asItLies.read(body) }
            // The look before it was that at opening: a file that is the same now has never changed.
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
                // It may be the reason.
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

    /// Throws `displaced` if the path leads to another file than the one that is read, or to none.
    func requireInPlace() throws {
        let now = uptime()
        guard let identity, FileIdentity(path) == identity else {
            throw ProfileStoreError.displaced(path: path.description)
        }
        lastLook.withLock { $0 = now }
    }

    /// The file that the path leads to, if it is the one that a connection reads.
    private static func identity(of path: DatabasePath, readBy connection: borrowing Connection) -> FileIdentity? {
        let identity = FileIdentity(path)
        return (try? connection.requireInPlace()) == nil ? nil : identity
    }

    /// Ends what is being read, and closes the connections that are not lent now. Nothing is read from then on.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        asItLies.endReading()
        underLocks.endReading()
    }
}

/// A connection that is there already, until somebody takes it.
///
/// `@unchecked Sendable`: it is taken out under the mutex, by one thread, and nobody else has it.
private final class FirstConnection: @unchecked Sendable {
    private var connection: Connection?
    private let turn = Mutex(())

    init(_ connection: consuming Connection?) { self.connection = consume connection }

    func take() -> Connection? { turn.withLock { _ in connection.take() } }
}
