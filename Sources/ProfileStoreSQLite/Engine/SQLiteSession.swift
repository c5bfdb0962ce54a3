internal import ProfileStore
internal import SQLiteAccess
internal import Threads

/// How an engine gets at its file: the connections that read, the one that writes, and the one place where SQLite's errors
/// become the store's.
final class SQLiteSession: Sendable {
    let file: StoreFile
    private let options: ProfileRepository.Options
    private let readers: StoreReaders
    private let writer: DatabaseWriter
    private let cache = BatchCache()
    /// For what takes long: Swift's own threads must not block.
    let lanes: ReadLanes

    /// Goes by a store that was found, and reads on through the connection that found it.
    init(
        _ file: StoreFile, _ look: consuming StoreLook, _ writer: DatabaseWriter, _ options: ProfileRepository.Options
    ) {
        self.file = file
        self.writer = writer
        self.options = options
        readers = StoreReaders(file, look)
        lanes = ReadLanes(mostWaiting: options.mostWaitingReads)
    }

    /// Reads where it is called, for what takes microseconds.
    func read<Value>(
        _ body: (borrowing Connection) throws -> Value
    ) throws(ProfileStoreError) -> Value {
        do { return try readers.read(body) } catch { throw ProfileStoreError(translating: error) }
    }

    /// Reads a row or two, and looks where the path leads, however short a time ago that was done.
    func ping() throws(ProfileStoreError) {
        try ProfileStoreError.translating {
            try readers.requireInPlace()
            _ = try readers.read { connection in try SchemaTable.versionInForce(connection) }
        }
    }

    /// Reads on a thread of a lane, for what may take long. It ends when the task is cancelled or the session closed.
    ///
    /// - Parameters:
    ///   - lane: Which reads it waits behind.
    ///   - undo: Takes back what `body` has done besides reading, before `body` runs again.
    ///   - body: What to read.
    /// - Returns: What `body` returns.
    /// - Throws: `busy` if no thread was free within the wait limit or too many reads wait already, else what `body` throws.
    func readAtLength<Value: Sendable>(
        in lane: ReadLanes.Lane, undo: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await lanes[lane].run(waitingAtMost: max(options.waitLimit, .milliseconds(50))) {
                try self.readers.read(undo: undo, body)
            }
        } catch {
            throw ProfileStoreError(translating: error)
        }
    }

    /// How long a write may wait: for what is left of the call that the task runs.
    private var limit: Duration { CallDeadline.orFromNow(options.waitLimit) - .now }

    /// Runs `body` in a write transaction, which the writes that wait at the same time may share; see <doc:Concurrency>.
    ///
    /// It takes little time, and has no effect but on the connection and its result: where a commit that others share fails,
    /// it runs again.
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

    /// Runs `body` in a write transaction of its own: for what writes much, since others had to wait for all of it.
    func writeAlone<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await withWriter { connection in try connection.writeTransaction { try body(connection) } }
    }

    /// Runs `body` in the writer's turn; it begins its own transactions, and shares them with nobody.
    func withWriter<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await writer.writeForStore(waitingAtMost: limit, body)
    }

    /// Ends what is being read, lets writes come to their end, and closes. Nothing is read or written from then on.
    func close() async {
        readers.close()
        await writer.close()
    }
}
