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
    /// For what takes long: Swift's own threads must not block.
    private let threads = ThreadPool(threads: 4)

    /// Goes by a store that was found, and reads on through the connection that found it.
    init(
        _ file: StoreFile, _ look: consuming StoreLook, _ writer: DatabaseWriter, _ options: ProfileRepository.Options
    ) {
        self.file = file
        self.writer = writer
        self.options = options
        readers = StoreReaders(file, look)
    }

    /// Reads where it is called, for what takes microseconds.
    func read<Value>(
        _ body: (borrowing Connection) throws -> Value
    ) throws(ProfileStoreError) -> Value {
        do { return try readers.read(body) } catch { throw ProfileStoreError(translating: error) }
    }

    /// Reads on a thread of its own, for what may take long. It ends when the task is cancelled or the session closed.
    /// Where `body` is to run again, `undo` takes back what it has done besides reading.
    func readAtLength<Value: Sendable>(
        undo: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await threads.run { try self.readers.read(undo: undo, body) }
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
            return try await writer.writeTransaction(waitingAtMost: limit, body)
        } catch {
            throw ProfileStoreError(translating: error)
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
        waitingAtMost limit: Duration? = nil, _ body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await writer.writeForStore(waitingAtMost: limit ?? self.limit, body)
    }

    /// Ends what is being read, lets writes come to their end, and closes. Nothing is read or written from then on.
    func close() async {
        readers.close()
        await writer.close()
    }
}
