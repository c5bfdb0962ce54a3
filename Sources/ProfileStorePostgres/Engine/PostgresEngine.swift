internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import Synchronization
internal import Threads

/// Keeps profiles in a PostgreSQL database; see <doc:Transactions>.
final class PostgresEngine: StoreEngine {
    let session: PostgresSession
    let options: ProfileRepository.Options
    let place: String
    /// The rules in force, as far as this process knows.
    private let known: Locked<RulesInForce>
    let ids = ReservedNumbers.ofProfiles()
    private let changeNumbers = ReservedNumbers.ofChanges()
    /// The threads on which the methods of a `BulkLoad` are called, because these methods may block.
    let threads = ThreadPool(threads: 2)
    let watch: ChangeWatch

    init(_ session: PostgresSession, _ options: ProfileRepository.Options) async throws(ProfileStoreError) {
        self.session = session
        self.options = options
        let place = session.pool.list.description
        self.place = place
        watch = ChangeWatch(session)
        known = Locked(
            try await session.read { connection in
                let copy = try await connection.run(KeyedWriteTable.selectUnfinishedCopy)
                try options.requireFinished(copyOf: KeyedWriteTable.unfinishedCopy(in: copy), at: place)
                return try await SchemaTable.inForce(connection)
            })
    }

    func ping() async throws(ProfileStoreError) {
        _ = try await session.read { connection in try await connection.run("SELECT 1") }
    }

    func close() async {
        watch.end()
        await session.close()
    }

    // MARK: Rules

    /// Returns the rules in force now.
    func rulesInForce(_ connection: Connection) async throws -> RulesInForce {
        let version = try await connection.run(SchemaTable.selectVersion).number(0, 0)
        return try await rules(version) { try await SchemaTable.inForce(connection) }
    }

    /// Returns the rules in force, for a transaction that writes profiles. The rules stay in force until the
    /// transaction commits.
    ///
    /// - Throws: `busy` during a bulk load.
    func rulesInForce(_ transaction: Transaction) async throws -> RulesInForce {
        let row = try await transaction.run(SchemaTable.share)
        guard !row.flag(0, 1) else { throw LoadGoesOn() }
        return try await rules(row.number(0, 0)) { try await SchemaTable.inForce(transaction) }
    }

    /// Returns the rules that a transaction sees. The transaction may write profiles by these rules only if it has
    /// locked the row of `store`.
    func rulesAtHand(_ transaction: Transaction) async throws -> RulesInForce {
        let version = try await transaction.run(SchemaTable.selectVersion).number(0, 0)
        return try await rules(version) { try await SchemaTable.inForce(transaction) }
    }

    /// Returns the rules of a version. If this process already knows the rules of this version, it does not read the
    /// rules from the database.
    private func rules(_ version: Int64?, _ read: () async throws -> RulesInForce) async throws -> RulesInForce {
        let known = known.withLock { $0 }
        guard Int64(known.version) != version else { return known }
        return keep(try await read())
    }

    /// Returns the rules in force, for a transaction that writes profiles. Throws an error if the rules in force are
    /// not the rules of `schema`. The values to write were validated by `schema`.
    func rulesInForce(_ transaction: Transaction, being schema: ProfileSchema) async throws -> RulesInForce {
        let current = try await rulesInForce(transaction)
        try current.adopted.require(schema)
        return current
    }

    /// Returns the rules that were read last, if they are the rules of `schema`. Otherwise returns nil. The values to
    /// write were validated by `schema`.
    func rulesLastRead(being schema: ProfileSchema) -> RulesInForce? {
        let known = known.withLock { $0 }
        return known.adopted.isSame(as: schema) ? known : nil
    }

    /// Returns the SQL for an adopted schema.
    func table(of adopted: AdoptedSchema) -> ProfileTable {
        let known = known.withLock { $0 }
        return known.adopted === adopted ? known.table : ProfileTable(adopted.schema)
    }

    /// Uses these rules from now on, unless another task has already read later rules.
    func keep(_ latest: RulesInForce) -> RulesInForce {
        known.withLock { known in
            if known.version < latest.version { known = latest }
            return known.version == latest.version ? known : latest
        }
    }

    // MARK: Writing

    /// The result of a write and the changes that it has made.
    struct Written<Value> {
        let value: Value
        var changes: [LoggedChange] = []
        /// The commands that are sent together with the `COMMIT`.
        var last: [Command] = []
        /// The commands that follow the commands which log the changes.
        var afterLog: [Command] = []
        /// Whether the write has not yet checked for conflicts; see ``PostgresSession/Outcome/isGuess``.
        var isGuess = false
    }

    /// Runs a write and logs its changes. If the stamp has an idempotency key, repeated calls with this key write only
    /// once. If `isInHistory` is false, the write adds nothing to the history.
    func change<Value: KeyedValue>(
        _ stamp: WriteStamp, isInHistory: Bool = true, _ body: (Transaction) async throws -> Written<Value>
    ) async throws(ProfileStoreError) -> Value {
        guard let request = stamp.request else { return try await commit(stamp, isInHistory: isInHistory, body).get() }
        return try await session.writingCall { () throws(ProfileStoreError) in
            try await change(request, stamp, isInHistory: isInHistory, body)
        }
    }

    private func change<Value: KeyedValue>(
        _ request: KeyedRequest, _ stamp: WriteStamp, isInHistory: Bool,
        _ body: (Transaction) async throws -> Written<Value>
    ) async throws(ProfileStoreError) -> Value {
        let changes = Locked<[LoggedChange]>([])
        let number = isInHistory ? try await takeChangeNumber(at: stamp.time) : 0
        let (answer, isNew) = try await session.write(request, at: stamp.time, under: rulesOfPast) { transaction, key in
            let written = try await body(transaction)
            changes.withLock { $0 = written.changes }
            return outcome(of: written, stamp, key, number)
        }
        if isNew { await logged(changes.withLock(\.self)) }
        return try answer.get()
    }

    /// Runs a write that never has an idempotency key, and logs its changes.
    func changeOnce<Value: Sendable>(
        _ stamp: WriteStamp, _ body: (Transaction) async throws -> Written<Value>
    ) async throws(ProfileStoreError) -> Value {
        try await commit(stamp, body).get()
    }

    /// Takes the number of a change in the history. The number is not used if the change needs no row in the history.
    func takeChangeNumber(at time: Timestamp) async throws(ProfileStoreError) -> Int64 {
        try await changeNumbers.take(session, at: time)
    }

    /// Runs a write and logs its changes; see ``PostgresSession/commit(at:_:)``.
    func commit<Value: Sendable>(
        _ stamp: WriteStamp, isInHistory: Bool = true, _ body: (Transaction) async throws -> Written<Value>
    ) async throws(ProfileStoreError) -> PostgresSession.Committed<Value> {
        try await session.writingCall { () throws(ProfileStoreError) in
            let number = isInHistory ? try await takeChangeNumber(at: stamp.time) : 0
            let committed = try await session.commit(at: stamp.time) { transaction, key in
                let written = try await body(transaction)
                let outcome = outcome(of: written, stamp, key, number)
                return PostgresSession.Outcome(
                    value: (outcome.value, written.changes), last: outcome.last, isGuess: outcome.isGuess)
            }
            let (value, changes) = committed.value
            await logged(changes)
            return PostgresSession.Committed(value: value, isOnOneMachine: committed.isOnOneMachine)
        }
    }

    func confirmed<Value: Sendable>(
        _ found: Value, _ read: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await PostgresSession.proving(read)
    }

    /// Notifies the listener of committed changes, and keeps the log and the history short.
    private func logged(_ newChanges: [LoggedChange]) async {
        guard !newChanges.isEmpty else { return }
        watch.announce()
        await trimLog(after: newChanges.count)
        await trimHistory(after: newChanges.reduce(0) { $0 + $1.records.count })
    }

    private func outcome<Value>(
        of written: Written<Value>, _ stamp: WriteStamp, _ key: String, _ number: Int64
    ) -> PostgresSession.Outcome<Value> {
        PostgresSession.Outcome(
            value: written.value,
            last: written.last + Self.recording(written.changes, stamp, key, number) + written.afterLog,
            isGuess: written.isGuess)
    }

    /// Returns the commands that add changes to the log and to the history.
    static func recording(
        _ changes: [LoggedChange], _ stamp: WriteStamp, _ key: String, _ number: Int64
    ) -> [Command] {
        let log = changes.enumerated().map { part, change in
            ChangeTable.append(change.kind, change.profileIDs, stamp, write: key, part: part)
        }
        return log + HistoryTable.append(changes.flatMap(\.records), stamp, number: number)
    }

    /// Returns the schema that is needed to read the stored outcome of an earlier write.
    func rulesOfPast() async throws -> ProfileSchema { try await schemaInForce().schema }
}
