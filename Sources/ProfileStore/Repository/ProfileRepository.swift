public import ProfileCore
public import SecretHashing
internal import Threads

/// A store of profiles. Services and the command-line program use a repository to read and write profiles.
///
/// An engine keeps the profiles. `open(at:)` of ProfileStoreSQLite opens a file, and `open(postgres:)` of
/// ProfileStorePostgres opens a database on a server or a cluster. On SQLite, writes run one after another. A write
/// that waits longer than ``Options/waitLimit`` fails with ``ProfileStoreError/Code/busy``.
///
/// ```swift
/// let repository = try await ProfileRepository.open(at: "profiles.sqlite")
/// let draft = ProfileDraft(["username": "skboard", "password": "aK8oio", "phone": "78761241", "address": "12 Main St"])
/// let profile = try await repository.register(draft)
/// await repository.close()
/// ```
public final class ProfileRepository: Sendable {
    /// Options for opening and using a store.
    public struct Options: Sendable {
        /// Whether opening creates a missing store. The created file has mode 0600, and each created folder has mode
        /// 0700.
        public var createsMissing = false
        /// The schema of a new store.
        public var initialSchema = ProfileSchema.standard
        /// The name of this process. If another process waits too long for the write lock of this process, the error of
        /// the other process contains this name; see ``LockHolder/command``.
        public var command = "profiles"
        /// The maximum time that a call waits. A write waits for earlier writes, and any call may wait for locks of
        /// other programs or for a server. Most calls use this time for all their transactions together. Calls that
        /// write many profiles use it for each transaction. The minimum is 50 ms.
        ///
        /// On PostgreSQL, the limit also applies to the execution time of each statement of the call. On SQLite, a
        /// count or a search may run longer. A count or a search that exceeds the limit is ended only if another count
        /// or search waits for its thread.
        public var waitLimit = Duration.seconds(30)
        /// The cost of new hashes.
        public var hashing = HashingPolicy.standard
        /// The maximum number of concurrent hashes. The default is the number of cores.
        public var hashingThreads: Int?
        /// The policy for the age and the idle time of sessions. A call that starts a session can use another policy.
        public var sessionPolicy = SessionPolicy.standard
        /// The time for which a session or an access token is accepted without another look-up. If another process ends
        /// a token, this process may still accept it for at most this time (H4).
        public var tokenLookInterval = Duration.milliseconds(250)
        /// Receives every operation. Without an observer, no time is measured. See <doc:Observing>.
        public var observer: StoreObserver?
        /// The time between two maintenance rounds of ``ProfileRepository/run()``, at least one second.
        public var housekeepingInterval = Duration.seconds(600)
        /// The clock. Tests can replace it.
        public var now: @Sendable () -> Timestamp = Timestamp.now
        /// The monotonic clock that measures the age of a look-up.
        package var uptime: @Sendable () -> ContinuousClock.Instant = { .now }
        /// Waits between maintenance rounds.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// The maximum number of waiting long reads of one kind in this process. These reads wait for a thread of an
        /// engine. Further reads fail with `busy`.
        package var mostWaitingReads = 1_000
        /// The maximum number of names without a profile for which the store remembers failed attempts. The names of
        /// ``LoginAttempt/name(of:_:)`` for tokens are included. If there are more names, the failed attempts for the
        /// oldest names are forgotten (P9).
        package var mostUnknownNames = 100_000
        /// The number of changes that the store keeps for listeners, counted from the newest change. The log may
        /// contain a few more until it is pruned.
        package var mostChanges = 10_000
        /// The interval at which the log of changes is read while listeners wait. Listeners do not depend on
        /// notifications, because a notification can be lost.
        package var watchInterval = Duration.seconds(1)
        /// Whether an unfinished copy may be opened, to continue it.
        package var opensUnfinishedCopy = false
        /// Settings that only one engine knows, by name. Most of them are for tests.
        package var engineSettings: [String: String] = [:]

        /// Creates the default options.
        public init() {}

        /// Checks whether a store may be opened with these options. An engine calls this method when it opens.
        ///
        /// - Parameters:
        ///   - source: The ``StoreHead/copyOf`` of the store.
        ///   - place: The place of the store, for the error.
        /// - Throws: `unfinishedCopy` if the store is an unfinished copy, unless the copy is to be continued.
        package func requireFinished(copyOf source: String?, at place: String) throws(ProfileStoreError) {
            guard source == nil || opensUnfinishedCopy else { throw .unfinishedCopy(path: place) }
        }
    }

    /// Stores the profiles. The methods of the engine are called within ``ask(_:rows:refusal:_:)``, which reports each
    /// operation to the observer.
    package let engine: any StoreEngine
    package let options: Options
    /// Hashes and checks passwords and passcodes.
    public let hasher: PasscodeHasher
    private let adopted: Locked<AdoptedSchema>
    /// Reads the changes for all listeners.
    let feed: ChangeFeed
    let tokenLooks: RecentLooks
    let tokenUses: TokenUses

    /// Creates a repository on an open engine.
    package init(_ engine: any StoreEngine, _ options: Options) async throws(ProfileStoreError) {
        self.engine = engine
        self.options = options
        feed = ChangeFeed(interval: options.watchInterval)
        tokenLooks = RecentLooks(countingFor: options.tokenLookInterval)
        let observer = options.observer
        tokenUses = TokenUses { uses in
            try? await observer.ask(.noteUses, rows: { uses.count }, await engine.note(uses))
        }
        do throws(HashingError) {
            hasher = try PasscodeHasher(
                policy: options.hashing, threads: options.hashingThreads,
                finished: observer?.tell)
        } catch {
            throw .hashing(error)
        }
        adopted = Locked(try await observer.ask(.readSchema, await engine.schemaInForce()))
    }

    /// Ends reads and streams, waits for writes, and closes the store.
    ///
    /// On SQLite, all data is in the database file when the call returns. But if another process is writing, that
    /// process moves the remaining data from the write-ahead log into the file later. On PostgreSQL, if a server does
    /// not answer, the call stops waiting after about two seconds. Writes with an unknown outcome then fail with
    /// `outcomeUnknown`.
    public func close() async {
        feed.close()
        await tokenUses.finish()
        await engine.close()
    }

    /// The place of the store, for people: the path of a file, or the servers and the database.
    package var place: String { engine.place }

    /// The current day in UTC. Rules such as "not in the future" use it.
    public var today: CalendarDay { options.now().day ?? .latest }

    /// Runs a body in which all calls of the engine share one deadline.
    func call<Value, Failure>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        try await CallDeadline.within(options.waitLimit, body)
    }

    // MARK: The schema in force

    /// The rules in force, as this process last read them. Another process may adopt other rules at any time.
    public var schema: ProfileSchema { adoptedSchema.schema }

    /// Validates drafts by ``schema``.
    public var validator: ProfileValidator { adoptedSchema.validator }

    package var adoptedSchema: AdoptedSchema { adopted.withLock { $0 } }

    /// Reads the schema in force again. Callers use it if another process may have adopted a later version.
    @discardableResult
    package func refreshSchema() async throws(ProfileStoreError) -> AdoptedSchema {
        let latest = try await ask(.readSchema, await engine.schemaInForce())
        keep(latest)
        return latest
    }

    /// Uses these rules from now on, unless another thread has already read later rules.
    func keep(_ latest: AdoptedSchema) { adopted.withLock { if $0.version < latest.version { $0 = latest } } }

    /// Runs a body that uses the known rules. If the body fails with `schemaChanged`, reads the rules again, and then
    /// throws the body's error. If the rules cannot be read, throws the error of that read instead.
    package func learningOfRules<Value>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        do throws(ProfileStoreError) {
            return try await body()
        } catch {
            if error.code == .schemaChanged { try await refreshSchema() }
            throw error
        }
    }
}
