import Dispatch
import Synchronization

/// A few connections that read, for the threads of one process.
package final class ReaderPool: Sendable {
    private let open: @Sendable () throws(SQLiteError) -> Connection
    private let free: DispatchSemaphore
    private let idle = Mutex<[Reader]>([])

    /// Makes a pool of at most `count` connections, each opened when it is first needed.
    package init(count: Int, open: @escaping @Sendable () throws(SQLiteError) -> Connection) {
        self.open = open
        free = DispatchSemaphore(value: max(1, count))
    }

    /// Lends a connection to `body`. When all are lent it waits for one, so a body does not read from the pool again.
    ///
    /// Single statements need no transaction; several that must agree do.
    package func read<Result: ~Copyable, Failure: SQLiteErrorConvertible>(
        _ body: (borrowing Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        free.wait()
        defer { free.signal() }
        let reader = try take(Failure.self)
        defer { idle.withLock { $0.append(reader) } }
        return try body(reader.connection)
    }

    /// Closes the connections that are not lent now. Reading again opens new ones.
    package func closeIdle() { idle.withLock { $0.removeAll() } }

    private func take<Failure: SQLiteErrorConvertible>(_: Failure.Type) throws(Failure) -> Reader {
        if let reader = idle.withLock({ $0.popLast() }) { return reader }
        do throws(SQLiteError) { return Reader(try open()) } catch { throw Failure(error) }
    }
}

/// A connection that the pool hands from thread to thread.
///
/// `@unchecked Sendable`: the pool takes it out of its list under the mutex, lends it to one caller as a borrow that
/// cannot escape, and puts it back under the mutex, so no two threads ever have it at once.
private final class Reader: @unchecked Sendable {
    let connection: Connection

    init(_ connection: consuming Connection) { self.connection = connection }
}
