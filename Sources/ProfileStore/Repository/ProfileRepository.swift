internal import Glibc
public import ProfileCore
internal import SQLiteAccess
internal import Synchronization

/// Profiles in a store: the one that a service embeds and the command drives.
///
/// Look-ups are synchronous and take microseconds. Whatever writes is `async`: it waits its turn on a thread of the
/// repository's own, under the write lock that all processes share (see <doc:Concurrency>), and fails with
/// ``ProfileStoreError/busy(holder:waited:)`` when that takes longer than ``Options/waitLimit``.
///
/// ```swift
/// let repository = try await ProfileRepository.open(at: "profiles.sqlite")
/// let draft = ProfileDraft(["username": "skboard", "password": "aK8oio", "phone": "78761241", "address": "12 Main St"])
/// let profile = try await repository.register(repository.validator.validate(draft, on: repository.today))
/// await repository.close()
/// ```
public final class ProfileRepository: Sendable {
    /// How a store is opened and used.
    public struct Options: Sendable {
        /// Whether a store that is not there is made, with its folder; both for the owner alone (0600, 0700).
        public var createsMissing = false
        /// The schema of a store that is made.
        public var initialSchema = ProfileSchema.standard
        /// What this process is called to those who wait for its write lock.
        public var command = "profiles"
        /// How long a write waits for its turn, and anything for locks that other programs hold; 50 ms at the least.
        public var waitLimit = Duration.seconds(30)
        /// The cost of hashes of our own.
        public var hashing = HashingPolicy.standard
        /// The most hashes at once; the machine's cores by default.
        public var hashingThreads: Int?
        /// The clock, for tests to set.
        public var now: @Sendable () -> Timestamp = Timestamp.now
        /// Most names without a profile whose failed attempts are remembered; the oldest are forgotten (P9).
        package var mostUnknownNames = 100_000
        /// The newest changes that the store keeps for those who watch it; a few more until they are pruned.
        package var mostChanges = 10_000
        /// How often those who watch the store look at its change number, in case a beep was lost.
        package var watchInterval = Duration.seconds(1)
        /// Where beeps go; see ``Beeper``.
        package var runtimeDirectory: String?
        /// A registered SQLite VFS, for tests that make the file system fail.
        package var vfs: String?

        /// Options as they are by default.
        public init() {}
    }

    let file: StoreFile
    let options: Options
    let readers: ReaderPool<ProfileStoreError>
    let writer: DatabaseWriter<ProfileStoreError>
    /// Hashes and checks passwords and passcodes.
    public let hasher: PasscodeHasher
    private let adopted: Mutex<AdoptedSchema>
    /// Rings for those who watch the store.
    let bell: ChangeBell

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: The database file. A file that is not a store, or of a later version, is refused unchanged.
    ///   - options: How it is opened and used.
    /// - Returns: The open store; ``close()`` it in the end.
    /// - Throws: ``ProfileStoreError``: `noStore`, `notADatabase`, `notAStore`, `newerStore`, `olderStore`, …
    public static func open(
        at path: String, options: Options = Options()
    ) async throws(ProfileStoreError) -> ProfileRepository {
        let file = try StoreFile(path, createsFolder: options.createsMissing, options: options)
        let writer = file.writer(options)
        var state = try file.inspect()
        if options.createsMissing, state == .missing || state == .empty {
            try await writer.write(waitingAtMost: options.waitLimit) { connection throws(ProfileStoreError) in
                try Migrator.create(connection, schema: options.initialSchema, at: options.now())
            }
            state = try file.inspect()
        }
        let version = try file.version(of: state)
        guard version == Migrator.latest else {
            throw .olderStore(path: file.path.description, version: version, known: Migrator.latest)
        }
        return try ProfileRepository(file, writer, options)
    }

    private init(
        _ file: StoreFile, _ writer: DatabaseWriter<ProfileStoreError>, _ options: Options
    ) throws(ProfileStoreError) {
        self.file = file
        self.writer = writer
        self.options = options
        bell = ChangeBell(file.path, interval: options.watchInterval, runtimeDirectory: options.runtimeDirectory)
        readers = ReaderPool(count: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { () throws(ProfileStoreError) in
            try file.openForReading()
        }
        do throws(HashingError) {
            hasher = try PasscodeHasher(policy: options.hashing, threads: options.hashingThreads)
        } catch {
            throw .hashing(error)
        }
        let schema = try readers.read { connection throws(ProfileStoreError) in
            try Migrator.verify(connection)
            return try SchemaTable.inForce(connection)
        }
        adopted = Mutex(schema)
    }

    /// Ends what is under way, brings all that was written into the one file, and closes. While another process writes,
    /// that is left to it.
    public func close() async {
        bell.close()
        readers.endReading()
        await writer.close()
    }

    /// The database file, for people: in a folder whose name is not UTF-8 the file itself is called otherwise.
    public var path: String { file.path.description }

    /// The current day in UTC, which rules such as "not in the future" go by.
    public var today: CalendarDay { options.now().day ?? .latest }

    // MARK: The schema in force

    /// The rules in force, as far as this process knows; another one may adopt others at any time.
    public var schema: ProfileSchema { adoptedSchema.schema }

    /// The version of ``schema``, from 1.
    public var schemaVersion: Int { adoptedSchema.version }

    /// SHA-256 of ``schema``'s document, in lower-case hexadecimal digits.
    public var schemaFingerprint: String { adoptedSchema.fingerprint }

    /// Judges drafts by ``schema``.
    public var validator: ProfileValidator { adoptedSchema.validator }

    var adoptedSchema: AdoptedSchema { adopted.withLock { $0 } }

    /// Reads the schema in force again, since a row, or another process, is ahead of what is known here.
    func refreshSchema(_ connection: borrowing Connection) throws(ProfileStoreError) -> AdoptedSchema {
        let latest = try SchemaTable.inForce(connection)
        // Another thread may have read a later one meanwhile.
        adopted.withLock { if $0.version < latest.version { $0 = latest } }
        return latest
    }

    // MARK: Ways in

    func read<Value>(
        _ body: (borrowing Connection) throws(ProfileStoreError) -> Value
    ) throws(ProfileStoreError) -> Value {
        try readers.read(body)
    }

    /// One write transaction that changes a profile, whose id `body` returns, and tells those who watch the store.
    func change<Value: Sendable>(
        _ kind: ProfileChange.Kind,
        _ body: @escaping @Sendable (borrowing Connection) throws(ProfileStoreError) -> (id: Int64, value: Value)
    ) async throws(ProfileStoreError) -> Value {
        let value = try await writer.write(waitingAtMost: options.waitLimit) { connection throws(ProfileStoreError) in
            try connection.writeTransaction { () throws(ProfileStoreError) in
                let (id, value) = try body(connection)
                try ProfileStoreError.wrap { () throws(SQLiteError) in try self.record(kind, id...id, connection) }
                return value
            }
        }
        // Here the write lock is given back: nobody waits for it while others are told.
        bell.announce()
        return value
    }

    /// Puts a change into the log, within its transaction. Whoever commits it tells the ``bell``.
    func record(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        try ChangeTable.append(kind, profileIDs, at: options.now(), keeping: options.mostChanges, connection)
    }

    /// The rules in force inside a write transaction, when they are still those that a value was judged by.
    func requireSchema(
        _ schema: ProfileSchema, _ connection: borrowing Connection
    ) throws(ProfileStoreError) -> AdoptedSchema {
        let current = try schemaInForce(connection)
        guard current.schema == schema else { throw .schemaChanged(version: current.version) }
        return current
    }

    /// The rules in force, read again where another process has adopted others.
    func schemaInForce(_ connection: borrowing Connection) throws(ProfileStoreError) -> AdoptedSchema {
        let known = adoptedSchema
        let version = try ProfileStoreError.wrap { () throws(SQLiteError) in
            try SchemaTable.versionInForce(connection)
        }
        return try known.version == version ? known : refreshSchema(connection)
    }
}

extension ProfileStoreError {
    /// Runs what SQLite may refuse, and throws its error as the store's.
    static func wrap<Value: ~Copyable>(_ body: () throws(SQLiteError) -> Value) throws(ProfileStoreError) -> Value {
        do throws(SQLiteError) { return try body() } catch { throw ProfileStoreError(error) }
    }
}
