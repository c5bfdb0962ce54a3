internal import Synchronization
internal import Threads

/// Connections that read, for the threads of one process; a few are kept open for those who come next.
///
/// A statement that runs long ends with `interrupt` once the task that waits for it is cancelled.
package final class ReaderPool: Sendable {
    private let mostIdle: Int
    private let open: @Sendable () throws -> Connection
    private let idle = Mutex<[Reader]>([])
    private let endings = Endings()

    /// Makes a pool without opening anything yet.
    ///
    /// - Parameters:
    ///   - mostIdle: How many connections are kept while nobody reads, at least one.
    ///   - open: Opens a connection when one is needed and none is idle.
    package init(mostIdle: Int, open: @escaping @Sendable () throws -> Connection) {
        self.mostIdle = max(1, mostIdle)
        self.open = open
    }

    /// Lends a connection to `body`. When all are lent it opens another one, since nobody is to block here.
    ///
    /// Single statements need no transaction; several that must agree do. A connection that has met another schema than
    /// it was opened with is closed, and the next one opened in its place.
    ///
    /// - Throws: What opening or `body` throws.
    package func read<Result: ~Copyable>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        let reader = try take()
        defer { giveBack(reader) }
        return try body(reader.connection)
    }

    /// Ends what is being read, with `interrupt`, and closes the connections that are not lent now. Reading again opens
    /// new ones.
    package func endReading() {
        endings.add()
        idle.withLock { $0.removeAll() }
    }

    private func take() throws -> Reader {
        if let reader = idle.withLock({ $0.popLast() }) { return reader }
        return Reader(try open(), endings)
    }

    private func giveBack(_ reader: Reader) {
        guard reader.hasAcceptedSchema else { return }
        // Whether reading was ended is asked under the mutex: otherwise it might be ended just before this one is kept.
        idle.withLock { if !reader.isEnded && $0.count < mostIdle { $0.append(reader) } }
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
        connection.endStatements { ThreadPool.isCancelled || endings.count != endingsBefore }
        self.connection = connection
        self.endings = endings
        self.endingsBefore = endingsBefore
    }

    /// Whether it has the schema that was accepted when it was opened.
    var hasAcceptedSchema: Bool { (try? connection.hasOnlyMetAcceptedSchema()) ?? false }

    /// Whether all reading was ended since it was opened.
    var isEnded: Bool { endings.count != endingsBefore }
}

/// How often all reading of a pool was ended.
private final class Endings: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.wrappingAdd(1, ordering: .relaxed) }
}
