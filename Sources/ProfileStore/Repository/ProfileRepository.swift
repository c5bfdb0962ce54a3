public import ProfileCore
public import SecretHashing
internal import Synchronization
internal import Threads

/// Profiles in a store: the one that a service embeds and the command drives.
///
/// What keeps them is an engine, which has an `open` of its own: `open(at:)` of ProfileStoreSQLite for a file,
/// `open(postgres:)` of ProfileStorePostgres for a database on a server or a cluster. Every write waits its turn, and fails
/// with ``ProfileStoreError/Code/busy`` when that takes longer than ``Options/waitLimit``.
///
/// ```swift
/// let repository = try await ProfileRepository.open(at: "profiles.sqlite")
/// let draft = ProfileDraft(["username": "skboard", "password": "aK8oio", "phone": "78761241", "address": "12 Main St"])
/// let profile = try await repository.register(draft)
/// await repository.close()
/// ```
public final class ProfileRepository: Sendable {
    /// How a store is opened and used.
    public struct Options: Sendable {
        /// Whether a store that is not there is made; a file, with its folder, for the owner alone (0600, 0700).
        public var createsMissing = false
        /// The schema of a store that is made.
        public var initialSchema = ProfileSchema.standard
        /// What this process is called to those who wait for its write lock.
        public var command = "profiles"
        /// How long a call waits: a write for its turn, and any call for locks that other programs hold, or for a server. A
        /// call of several transactions has this time for all of them. 50 ms at the least.
        public var waitLimit = Duration.seconds(30)
        /// The cost of hashes of our own.
        public var hashing = HashingPolicy.standard
        /// The most hashes at once; the machine's cores by default.
        public var hashingThreads: Int?
        /// How long sessions last; each may be started under another policy.
        public var sessionPolicy = SessionPolicy.standard
        /// A session or an access token that was looked up is honoured for so long without another look, and so no longer
        /// than that after it was ended, by whichever process (H4).
        public var tokenLookInterval = Duration.milliseconds(250)
        /// Told of every operation; nil for nobody, which costs nothing. See <doc:Observing>.
        public var observer: StoreObserver?
        /// How often ``ProfileRepository/run()`` keeps house, once a second at the most.
        public var housekeepingInterval = Duration.seconds(600)
        /// The clock, for tests to set.
        public var now: @Sendable () -> Timestamp = Timestamp.now
        /// The clock that nobody sets, by which it is measured how long ago a look was.
        package var uptime: @Sendable () -> ContinuousClock.Instant = { .now }
        /// How the repository waits between its rounds of keeping house.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// The most long reads of one kind that wait for a thread, on an engine in this process; more are refused as `busy`.
        package var mostWaitingReads = 1_000
        /// Most names without a profile whose failed attempts are remembered; the oldest are forgotten (P9).
        package var mostUnknownNames = 100_000
        /// The newest changes that the store keeps for those who watch it; a few more until they are pruned.
        package var mostChanges = 10_000
        /// How often those who watch the store look at its change number, in case nobody told them.
        package var watchInterval = Duration.seconds(1)
        /// Whether a store is opened that is a copy which is not at its end: for the copying.
        package var opensUnfinishedCopy = false
        /// Settings that only one engine knows, for tests; it names them itself.
        package var engineSettings: [String: String] = [:]

        /// Options as they are by default.
        public init() {}
    }

    /// Stores the profiles. Its verbs are called within ``ask(_:rows:refusal:_:)``, which tells the observer.
    package let engine: any StoreEngine
    package let options: Options
    /// Hashes and checks passwords and passcodes.
    public let hasher: PasscodeHasher
    private let adopted: Mutex<AdoptedSchema>
    /// Reads the changes for all that listen.
    let feed: ChangeFeed
    let tokenLooks: RecentLooks
    let tokenUses: TokenUses

    /// Goes by an engine that is open.
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
        adopted = Mutex(try await observer.ask(.readSchema, await engine.schemaInForce()))
        if !options.opensUnfinishedCopy, try await engine.isUnfinishedCopy() {
            throw .unfinishedCopy(path: engine.place)
        }
    }

    /// Ends what is under way, lets writes come to their end, and closes. On SQLite all that was written is then in the
    /// one file, unless another process is writing, to which that is left. On PostgreSQL a server that does not answer any
    /// more is waited for no longer than a second or two: writes that it may have done end with `outcomeUnknown`.
    public func close() async {
        feed.close()
        await tokenUses.finish()
        await engine.close()
    }

    /// Where it is kept, for people: the path of a file, or which servers and which database.
    package var place: String { engine.place }

    /// The current day in UTC, which rules such as "not in the future" go by.
    public var today: CalendarDay { options.now().day ?? .latest }

    /// Runs what the caller sees as one call: all the verbs within share one deadline.
    func call<Value, Failure>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        try await CallDeadline.within(options.waitLimit, body)
    }

    // MARK: The schema in force

    /// The rules in force, as far as this process knows; another one may adopt others at any time.
    public var schema: ProfileSchema { adoptedSchema.schema }

    /// Judges drafts by ``schema``.
    public var validator: ProfileValidator { adoptedSchema.validator }

    package var adoptedSchema: AdoptedSchema { adopted.withLock { $0 } }

    /// Reads the schema in force again, since a row, or another process, is ahead of what is known here.
    @discardableResult
    package func refreshSchema() async throws(ProfileStoreError) -> AdoptedSchema {
        let latest = try await ask(.readSchema, await engine.schemaInForce())
        keep(latest)
        return latest
    }

    /// Goes by these rules from now on, unless another thread has read later ones meanwhile.
    func keep(_ latest: AdoptedSchema) { adopted.withLock { if $0.version < latest.version { $0 = latest } } }

    /// Runs what goes by the rules that are known here, and learns of later ones when it fails for these.
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
