internal import Synchronization
internal import Threads

/// A pool of read connections for the threads of one process. A few idle connections stay open for later reads.
///
/// If a task is cancelled while it waits for a long-running statement, the statement fails with `interrupt`.
package final class ReaderPool: Sendable {
    private let mostIdle: Int
    private let open: @Sendable () throws -> Connection
    private let idle = Locked<[Reader]>([])
    private let endings = Endings()

    /// Makes a pool. The pool opens connections only when they are needed.
    ///
    /// - Parameters:
    ///   - mostIdle: The maximum number of idle connections, at least one.
    ///   - open: Opens a connection. The closure is called when no connection is idle.
    package init(mostIdle: Int, open: @escaping @Sendable () throws -> Connection) {
        self.mostIdle = max(1, mostIdle)
        self.open = open
    }

    /// Calls `body` with a connection. If all connections are in use, the pool opens another connection instead of
    /// blocking.
    ///
    /// A single statement needs no transaction. If several statements must see the same snapshot, they need a
    /// transaction. If the database's schema has changed, the connection is closed after `body`, and a later read opens
    /// a new connection.
    ///
    /// - Throws: The error of opening a connection, or the error of `body`.
    package func read<Result: ~Copyable>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        let reader = try take()
        defer { giveBack(reader) }
        return try body(reader.connection)
    }

    /// Makes running statements fail with `interrupt` and closes idle connections. Later reads open new connections.
    package func endReading() {
        endings.add()
        closeIdle()
    }

    /// Closes idle connections.
    package func closeIdle() { idle.withLock { $0.removeAll() } }

    private func take() throws -> Reader {
        if let reader = idle.withLock({ $0.popLast() }) { return reader }
        return Reader(try open(), endings)
    }

    private func giveBack(_ reader: Reader) {
        guard reader.hasAcceptedSchema else { return }
        // `isEnded` is read under the mutex. Otherwise `endReading()` could close the idle connections between the
        // check and the append, and this connection would stay in the pool.
        idle.withLock { if !reader.isEnded && $0.count < mostIdle { $0.append(reader) } }
    }
}

/// A connection of the pool. Different threads use it, one after another.
///
/// `@unchecked Sendable` is safe for this reason: the pool changes its list of readers only under the mutex. While the
/// reader is not in the list, only one caller uses it. The caller borrows the reader and cannot keep it. So two threads
/// never use the reader at the same time.
private final class Reader: @unchecked Sendable {
    let connection: Connection
    private let endings: Endings
    private let endingsBefore: Int

    init(_ connection: consuming Connection, _ endings: Endings) {
        let endingsBefore = endings.count
        connection.endStatements { ThreadPool.isCancelled || endings.count != endingsBefore }
        self.connection = connection
        self.endings = endings
        self.endingsBefore = endingsBefore
    }

    /// Whether every statement of the connection was prepared under the schema that was accepted when the connection
    /// was opened.
    var hasAcceptedSchema: Bool { (try? connection.hasOnlyMetAcceptedSchema()) ?? false }

    /// Whether `endReading()` was called since the connection was opened.
    var isEnded: Bool { endings.count != endingsBefore }
}

/// Counts the calls of `endReading()` of a pool.
private final class Endings: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.wrappingAdd(1, ordering: .relaxed) }
}
