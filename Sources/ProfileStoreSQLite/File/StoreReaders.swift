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

    /// Takes over the connection of a look at the file, so that the first who reads need not open another.
    init(_ file: StoreFile, _ look: consuming StoreLook) {
        path = file.path
        let stamp = look.stamp
        self.stamp = stamp
        let first = FirstConnection(look.connection)
        func pool(_ mode: Connection.Mode, _ first: FirstConnection?) -> ReaderPool {
            ReaderPool(mostIdle: 4) {
                // Nothing else is read before the layout is known to be as it should be.
                let connection = if let kept = first?.take() { kept } else { try file.connect(mode) }
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
    /// - Throws: `closed`, `newerStore`, or what opening or `body` throws.
    func read<Value>(undo: () -> Void = {}, _ body: (borrowing Connection) throws -> Value) throws -> Value {
        guard !isClosed.load(ordering: .relaxed) else { throw ProfileStoreError.closed }
        if let stamp, !isChanged.load(ordering: .relaxed) {
            let outcome = Result { try asItLies.read(body) }
            // The look before it was that at opening: a file that is the same now has never changed.
            if FileStamp(path) == stamp { return try outcome.get() }
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
