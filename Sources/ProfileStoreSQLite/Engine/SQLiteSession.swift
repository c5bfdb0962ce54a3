internal import ProfileStore
internal import SQLiteAccess
internal import Threads

/// An engine's connections to its file: several connections for reads, and one connection for writes. Translates
/// SQLite's errors into `ProfileStoreError`.
final class SQLiteSession: Sendable {
    let file: StoreFile
    private let options: ProfileRepository.Options
    private let readers: StoreReaders
    private let writer: DatabaseWriter
    private let cache = BatchCache()
    /// The threads for long reads. Threads of Swift's cooperative pool must not block.
    let lanes: ReadLanes

    /// Creates a session for a store that was inspected. The first read uses the connection that inspected the store.
    init(
        _ file: StoreFile, _ look: consuming StoreLook, _ writer: DatabaseWriter, _ options: ProfileRepository.Options
    ) {
        self.file = file
        self.writer = writer
        self.options = options
        readers = StoreReaders(file, look)
        lanes = ReadLanes(mostWaiting: options.mostWaitingReads)
    }

    /// Reads on the caller's thread. Use this method for reads that take microseconds.
    func read<Value>(
        _ body: (borrowing Connection) throws -> Value
    ) throws(ProfileStoreError) -> Value {
        do { return try readers.read(body) } catch { throw ProfileStoreError(translating: error) }
    }

    /// Checks that the path still leads to the file, and reads from the store. The path is checked even if another read
    /// has just checked it.
    func ping() throws(ProfileStoreError) {
        try ProfileStoreError.translating {
            try readers.requireInPlace()
            _ = try readers.read { connection in try SchemaTable.versionInForce(connection) }
        }
    }

    /// Reads on a thread of a lane. Use this method for reads that may take long. The read ends if the task is
    /// cancelled or the session is closed.
    ///
    /// - Parameters:
    ///   - lane: The lane in which the read waits.
    ///   - undo: Reverts the side effects of `body`, if the result of `body` is discarded.
    ///   - body: Reads through a connection.
    /// - Returns: The value that `body` returns.
    /// - Throws: `busy` if no thread was free before the call's deadline, or if the lane's queue is full. If
    ///   ``ReadLanes/Lane/yields`` is true, also `busy` if the read was still running after the deadline while another
    ///   read waited. Otherwise the error that `body` throws.
    func readAtLength<Value: Sendable>(
        in lane: ReadLanes.Lane, undo: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        let start = ContinuousClock.now
        let deadline = CallDeadline.orFromNow(options.waitLimit)
        let threads = lanes[lane]
        do {
            return try await threads.run(waitingAtMost: deadline - start) {
                try self.readers.read(undo: undo) { connection in
                    guard lane.yields else { return try body(connection) }
                    return try connection.until(
                        deadline, whenAwaited: { threads.waiting > 0 },
                        orThrow: ProfileStoreError.busy(holder: nil, waited: .now - start)
                    ) { try body(connection) }
                }
            }
        } catch {
            throw ProfileStoreError(translating: error)
        }
    }

    /// The maximum wait of a write: the time until the deadline of the task's current call.
    private var limit: Duration { CallDeadline.orFromNow(options.waitLimit) - .now }

    /// Runs `body` in a write transaction, which other waiting writes may share; see <doc:Concurrency>.
    ///
    /// `body` must be short. It must change nothing except the database and its own result, because `body` runs again
    /// if a shared commit fails.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await writer.writeTransaction(waitingAtMost: limit) { [cache] connection in
                try cache.shrink(connection)
                return try body(connection)
            }
        } catch {
            throw ProfileStoreError(translating: error)
        }
    }

    /// Runs a batch of an import in a write transaction of its own, with the larger page cache of ``BatchCache``.
    func writeBatch<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await withWriter { [cache] connection in
            try cache.grow(connection)
            return try connection.writeTransaction { try body(connection) }
        }
    }

    /// Runs `body` in a write transaction of its own. Use this method for a long write. In a shared transaction, the
    /// other writes would have to wait for the long write.
    func writeAlone<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await withWriter { connection in try connection.writeTransaction { try body(connection) } }
    }

    /// Runs `body` while no other call can use the writer. `body` begins its own transactions, which no other write
    /// shares.
    func withWriter<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await writer.writeForStore(waitingAtMost: limit, body)
    }

    /// Closes the idle connections.
    func closeIdleReaders() { readers.closeIdle() }

    /// Interrupts running reads, waits for running writes, and closes the connections. Later reads and writes throw
    /// `closed`.
    func close() async {
        readers.close()
        await writer.close()
    }
}
