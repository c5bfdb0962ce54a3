import Dispatch
import Synchronization

/// A few connections that read, for the threads of one process.
///
/// A statement that runs long ends with `interrupt` once the task that waits for it is cancelled.
package final class ReaderPool<Failure: SQLiteErrorConvertible>: Sendable {
    private let open: @Sendable () throws(Failure) -> Connection
    private let free: DispatchSemaphore
    private let idle = Mutex<[Reader]>([])
    private let endings = Endings()

    /// Makes a pool of at most `count` connections, each opened when it is first needed.
    package init(count: Int, open: @escaping @Sendable () throws(Failure) -> Connection) {
        self.open = open
        free = DispatchSemaphore(value: max(1, count))
    }

    /// Lends a connection to `body`. When all are lent it waits for one, so a body does not read from the pool again.
    ///
    /// Single statements need no transaction; several that must agree do. A connection that has met another schema than
    /// it was opened with is closed, and the next one opened in its place.
    package func read<Result: ~Copyable>(
        _ body: (borrowing Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        free.wait()
        defer { free.signal() }
        let reader = try take()
        defer { if reader.isOfUse { idle.withLock { $0.append(reader) } } }
        return try body(reader.connection)
    }

    /// Ends what is being read, with `interrupt`, and closes the connections that are not lent now. Reading again opens
    /// new ones.
    package func endReading() {
        endings.add()
        idle.withLock { $0.removeAll() }
    }

    private func take() throws(Failure) -> Reader {
        if let reader = idle.withLock({ $0.popLast() }) { return reader }
        return Reader(try open(), endings)
    }
}

/// A connection that the pool hands from thread to thread.
///
/// `@unchecked Sendable`: the pool takes it out of its list under the mutex, lends it to one caller as a borrow that
/// cannot escape, and puts it back under the mutex, so no two threads ever have it at once.
private final class Reader: @unchecked Sendable {
    let connection: Connection
    private let endings: Endings
    private let endingsBefore: Int

    init(_ connection: consuming Connection, _ endings: Endings) {
        let endingsBefore = endings.count
        connection.endStatements { Task.isCancelled || endings.count != endingsBefore }
        self.connection = connection
        self.endings = endings
        self.endingsBefore = endingsBefore
    }

    /// Whether it has the schema that was accepted when it was opened, and reading was not ended since.
    var isOfUse: Bool { ((try? connection.hasOnlyMetAcceptedSchema()) ?? false) && endings.count == endingsBefore }
}

/// How often all reading of a pool was ended.
private final class Endings: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.wrappingAdd(1, ordering: .relaxed) }
}
