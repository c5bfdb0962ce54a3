internal import CSodium
internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing
internal import Threads

/// The engine's access to the servers. It repeats a read if a connection is lost. It finds out the outcome of each
/// write, or reports that the outcome is unknown.
struct PostgresSession: Sendable {
    let pool: ConnectionPool
    let options: ProfileRepository.Options
    let underWay = WritesUnderWay()

    init(pool: ConnectionPool, options: ProfileRepository.Options) {
        self.pool = pool
        self.options = options
    }

    /// The deadline of a step that begins now. The step belongs to work that may exceed the time limit of a call.
    var newDeadline: ContinuousClock.Instant { CallDeadline.fromNow(options.waitLimit) }

    /// The deadline of the current call. If no call is running, this is the deadline of a call that begins now.
    var deadline: ContinuousClock.Instant { CallDeadline.orFromNow(options.waitLimit) }

    /// Runs `body` as one call of the caller: all transactions in `body` share one deadline.
    func call<Value: Sendable>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await CallDeadline.within(options.waitLimit, body)
    }

    /// Runs a write as one call of the caller. `close()` waits for it.
    func writingCall<Value: Sendable>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await underWay.run { () throws(ProfileStoreError) in try await call(body) }
    }

    // MARK: Reading

    /// Whether the reads of this task prove that their server is the leader.
    @TaskLocal private static var isProving = false

    /// Calls `body` with a connection, to read or to do other work that may run twice. Each statement reads its own
    /// consistent snapshot.
    func read<Value: Sendable>(
        _ body: (Connection) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await repeating { deadline throws in
                try await pool.withConnection(until: deadline) { connection in
                    guard Self.isProving else { return try await body(connection) }
                    return try await proving(connection) { try await body(connection) }
                }
            }
        } catch {
            throw error.ofStep
        }
    }

    /// Runs `body`. Each read in `body` proves that its server is the leader.
    static func proving<Value: Sendable>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        let outcome = await $isProving.withValue(true) { () async -> Result<Value, ProfileStoreError> in
            do throws(ProfileStoreError) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Runs `body`. After the server has proven that it is the leader, returns the value of `body` or throws the error
    /// of `body`.
    ///
    /// If another server has taken over, an old leader that was frozen may still answer reads for some seconds. These
    /// answers are outdated. But the old leader can no longer commit, because its standbys follow the other server. So
    /// a successful commit proves that an earlier read was not outdated. The read and the commit use one session,
    /// because another session may be connected to another server.
    func proving<Value>(
        _ connection: Connection, _ body: () async throws -> Value
    ) async throws -> Value {
        let outcome: Result<Value, ProfileStoreError>
        do { outcome = .success(try await body()) } catch let error as ProfileStoreError { outcome = .failure(error) }
        try await prove(Self.newKey(), of: nil, outcome: Self.nothing, at: options.now(), connection)
        return try outcome.get()
    }

    /// Commits a key. The commit proves that the server was still the leader when it gave the last answer on this
    /// connection.
    ///
    /// - Throws: An error if the server has not proven that it is the leader. In this case, the server has written
    ///   either only the key or nothing.
    func prove(
        _ key: String, of request: String?, outcome: String, at time: Timestamp, _ connection: Connection
    ) async throws {
        do {
            try await keep(key, of: request, outcome: outcome, at: time, connection)
        } catch PostgresError.outcomeUnknown(let reason) {
            // This transaction writes only the key, so the caller's data is unchanged.
            throw PostgresError.lost(reason)
        }
    }

    /// Calls `body` with a read-only transaction. All its statements read one consistent snapshot.
    func readAtOneMoment<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await read { connection in
            try await connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], body)
        }
    }

    // MARK: Writing

    /// The result of a transaction, and the commands that end it.
    struct Outcome<Value> {
        var value: Value
        /// The commands that are sent together with the `COMMIT`, in one round trip.
        var last: [Command] = []
        /// Whether the `body` of the transaction has skipped the check for conflicts. If a conflict exists, the
        /// commands in `last` fail with a division by zero, and `body` runs again.
        var isGuess = false

        /// - Returns: Whether another machine has stored the commit too; see ``Transaction/commit(_:onQuorumOf:)``.
        func commit(
            _ transaction: Transaction, with others: [Command], onQuorumOf list: ServerList
        ) async throws(PostgresError) -> Bool {
            do throws(PostgresError) {
                return try await transaction.commit(last + others, onQuorumOf: list)
            } catch {
                guard isGuess, error.state == .divisionByZero, !Durability.isMissing(error) else { throw error }
                throw .changedMeanwhile
            }
        }
    }

    /// The result of a committed transaction.
    struct Committed<Value: Sendable>: Sendable {
        let value: Value
        /// Whether only one machine has stored the commit at the deadline. The reason is that the server does not wait
        /// for a standby.
        var isOnOneMachine = false

        /// - Throws: `storedOnOneMachine`.
        func get() throws(ProfileStoreError) -> Value {
            guard !isOnOneMachine else { throw .storedOnOneMachine }
            return value
        }
    }

    /// Writes in a transaction.
    ///
    /// The first command of the transaction inserts a new random key. If it is unknown whether the transaction was
    /// committed, the transaction is repeated with the same key. If the first attempt was committed, the repeat fails.
    /// If the first attempt was not committed, the repeat prevents a later commit of the first attempt. The transaction
    /// is also repeated while only one machine has the commit. If `body` throws a `ProfileStoreError`, the caller gets
    /// this error only after the server has proven that it is the leader.
    ///
    /// - Parameters:
    ///   - time: The time by the caller's clock.
    ///   - body: The function that writes. `body` may run more than once. The parameter `key` of `body` identifies this
    ///     transaction.
    /// - Returns: The result of `body` in the committed transaction.
    /// - Throws: `outcomeUnknown` if the outcome could not be found out in time, `storedOnOneMachine`, …
    func write<Value: Sendable>(
        at time: Timestamp, _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Value {
        try await commit(at: time, body).get()
    }

    /// Writes data that only prepares another write. Without the other write, this data does no harm. The data may be
    /// written twice.
    ///
    /// - Throws: The errors of ``write(at:_:)``, except two: `unavailable` replaces `outcomeUnknown`, and `notDurable`
    ///   replaces `storedOnOneMachine`.
    func prepare<Value: Sendable>(
        at time: Timestamp, _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Value {
        do throws(ProfileStoreError) { return try await write(at: time, body) } catch { throw error.ofStep }
    }

    /// Writes like ``write(at:_:)``, but also returns the value if only one machine has stored it.
    func commit<Value: Sendable>(
        at time: Timestamp, _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Committed<Value> {
        try await underWay.run { () throws(ProfileStoreError) in try await commitUnderWay(at: time, body) }
    }

    private func commitUnderWay<Value: Sendable>(
        at time: Timestamp, _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Committed<Value> {
        let key = Self.newKey()
        var made = Attempts<Value>()
        do throws(ProfileStoreError) {
            let value = try await repeating { deadline throws in
                do {
                    return try await pool.withConnection(until: deadline) { connection in
                        do {
                            return try await attempt(key, at: time, &made, connection, body)
                        } catch let error as ProfileStoreError {
                            // The error is based on the data of this server. But an earlier attempt of this write may
                            // still be committed, unless the transaction of `prove` inserts the key first. The COMMIT
                            // of the key also waits until a standby has all earlier commits.
                            made.answer = error
                            try await prove(key, of: nil, outcome: Self.nothing, at: time, connection)
                            throw error
                        }
                    }
                } catch let error as PostgresError where KeyedWriteTable.isTaken(error) {
                    // The key is gone, so the failed server lost the transaction.
                    guard let value = try await committed(of: &made, key, until: deadline) else {
                        throw PostgresError.lost("")
                    }
                    return value
                } catch  where Durability.isMissing(error) && !made.values.isEmpty {
                    guard let value = try await committed(of: &made, key, until: deadline) else { throw error }
                    return value
                }
            }
            return Committed(value: value)
        } catch {
            guard error.code == .storedOnOneMachine, let value = made.alone else { throw error }
            return Committed(value: value, isOnOneMachine: true)
        }
    }

    /// The results of the attempts at one transaction.
    private struct Attempts<Value> {
        /// The value of each attempt that reached its `COMMIT`. Only these attempts are numbered: the number of an attempt
        /// is the index of its value.
        var values: [Value] = []
        /// The error of the last attempt that was refused.
        var answer: ProfileStoreError?
        /// The value of a committed attempt that only one machine has stored.
        var alone: Value?
    }

    private func attempt<Value: Sendable>(
        _ key: String, at time: Timestamp, _ made: inout Attempts<Value>, _ connection: Connection,
        _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws -> Value {
        let keep = keeping(key, outcome: String(made.values.count), at: time)
        return try await connection.transaction("BEGIN", [keep]) { transaction in
            let outcome = try await body(transaction, key)
            made.values.append(outcome.value)
            guard try await outcome.commit(transaction, with: forgettingSome(key, at: time), onQuorumOf: pool.list)
            else {
                made.alone = outcome.value
                throw QuorumIsGone(isStored: true)
            }
            return outcome.value
        }
    }

    /// On average, one write in 256 deletes expired keys. Such a write deletes up to 512 keys. On average, 256 keys are
    /// inserted between two such writes.
    func forgettingSome(_ key: String, at time: Timestamp) -> [Command] {
        key.hasSuffix("00") ? [KeyedWriteTable.forgettingSome(at: time)] : []
    }

    /// The outcome of a key that was inserted only to prevent a later commit of the attempts with the same key.
    static let nothing = "none"

    /// Returns the value of the committed attempt; nil if the server does not have the key.
    ///
    /// - Throws: The error of the last refused attempt, if the key was inserted only to block the transaction.
    ///   `QuorumIsGone` if only one machine has the row of the key.
    private func committed<Value>(
        of made: inout Attempts<Value>, _ key: String, until deadline: ContinuousClock.Instant
    ) async throws -> Value? {
        guard let kept = try await kept(key, until: deadline) else { return nil }
        if kept.outcome == Self.nothing, let answer = made.answer {
            guard kept.isSafe else { throw QuorumIsGone(isStored: false) }
            throw answer
        }
        guard let number = Int(kept.outcome), made.values.indices.contains(number) else {
            throw ProfileStoreError.corrupt(.foreignOutcome)
        }
        guard kept.isSafe else {
            made.alone = made.values[number]
            throw QuorumIsGone(isStored: true)
        }
        return made.values[number]
    }

    func keeping(_ key: String, of request: String? = nil, outcome: String, at time: Timestamp) -> Command {
        KeyedWriteTable.keeping(key, request, outcome: outcome, at: time, onQuorum: pool.list.needsQuorum())
    }

    /// Commits the key of a write without the write itself. If the table has the same key and it has expired, this
    /// method first deletes the expired key. After the commit, no attempt at the write can be committed.
    ///
    /// - Throws: If an attempt was already committed, an error that ``KeyedWriteTable/isTaken(_:)`` recognizes.
    func keep(
        _ key: String, of request: String? = nil, outcome: String, at time: Timestamp, _ connection: Connection
    ) async throws {
        let preface = [
            KeyedWriteTable.forgetting(key, at: time), keeping(key, of: request, outcome: outcome, at: time),
        ]
        try await connection.transaction("BEGIN", preface) { transaction in
            guard try await transaction.commit(forgettingSome(key, at: time), onQuorumOf: pool.list) else {
                throw QuorumIsGone(isStored: false)
            }
        }
    }

    /// Waits for the running writes while the server answers, and then closes the pool. If the server does not answer
    /// within a second, this method stops waiting.
    func close() async {
        // The remaining writes end with `outcomeUnknown` or `closed`.
        await underWay.close { [pool] in await !pool.isAnswered(until: .now + .seconds(1)) }
        await pool.end()
    }

    /// Reads the row of a key, and waits until another machine has the row too. The write of the row may still wait for
    /// a standby. Therefore this method updates the row to the same values. The `COMMIT` of that update returns only
    /// when a standby has the earlier write and the update. If no quorum exists, `isSafe` of the result is false.
    func kept(_ key: String, until deadline: ContinuousClock.Instant) async throws -> KeptWrite? {
        try await pool.withConnection(until: deadline) { connection in
            try await connection.transaction { transaction in
                let rows = try await transaction.run([KeyedWriteTable.confirming(key)])[0]
                let hadQuorum = !pool.list.needsQuorum() || !rows.isEmpty && rows.flag(0, 3)
                let hasQuorum = try await transaction.commit(onQuorumOf: pool.list)
                return KeptWrite(rows, isSafe: hadQuorum && hasQuorum)
            }
        }
    }

    /// Returns a new key of the engine: a space, and 128 random bits in hexadecimal digits. No caller's key contains a
    /// space.
    static func newKey() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        randombytes_buf(&bytes, bytes.count)
        return " " + Hexadecimal.text(bytes.span)
    }
}
