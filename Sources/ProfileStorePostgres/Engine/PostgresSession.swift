internal import CSodium
internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing
internal import Threads

/// How the engine talks to the servers: reads that are repeated when a connection is lost, and writes of which it is
/// always known what became of them, or said that it is not.
struct PostgresSession: Sendable {
    let pool: ConnectionPool
    let options: ProfileRepository.Options
    let underWay = WritesUnderWay()

    /// The deadline of a step that begins now, of what takes longer than a call may.
    var newDeadline: ContinuousClock.Instant { CallDeadline.fromNow(options.waitLimit) }

    /// The deadline of the call that the task runs; that of a new one outside of a call.
    var deadline: ContinuousClock.Instant { CallDeadline.orFromNow(options.waitLimit) }

    /// Runs what the caller sees as one call: all its transactions share one deadline.
    func call<Value: Sendable>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await CallDeadline.within(options.waitLimit, body)
    }

    /// Runs a write that the caller sees as one call. Closing waits for it.
    func writingCall<Value: Sendable>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await underWay.run { () throws(ProfileStoreError) in try await call(body) }
    }

    // MARK: Reading

    /// Reads, or does what may be done twice; single statements are each of one moment.
    func read<Value: Sendable>(
        _ body: (Connection) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        do {
            return try await repeating { deadline throws in try await pool.withConnection(until: deadline, body) }
        } catch {
            // Whether it was done does not matter: it can be done again.
            if case .outcomeUnknown(let reason) = error { throw .unavailable([reason]) }
            throw error
        }
    }

    /// Reads all as of one moment.
    func readAtOneMoment<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await read { connection in
            try await connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], body)
        }
    }

    // MARK: Writing

    /// What a transaction has come to, and the commands that end it.
    struct Outcome<Value> {
        var value: Value
        /// They go with the `COMMIT`, in one round trip.
        var last: [Command] = []
        /// Whether the body has not looked for what may be in the way of them. A division by zero tells that something is,
        /// and the body runs again.
        var isGuess = false

        fileprivate func commit(
            _ transaction: Transaction, with others: [Command]
        ) async throws(PostgresError) {
            do throws(PostgresError) {
                try await transaction.commit(last + others)
            } catch {
                guard isGuess, error.state == .divisionByZero, !Durability.isMissing(error) else { throw error }
                throw .changedMeanwhile
            }
        }
    }

    /// Writes in a transaction.
    ///
    /// Its first command keeps a key of its own. When nobody can say whether it was committed, it is repeated with the same
    /// key: that fails where the first one was committed, and keeps it from being so where it was not.
    ///
    /// - Parameters:
    ///   - time: When, by the caller's clock.
    ///   - body: Writes; it may run more than once. It gets the key, by which no other transaction is known.
    /// - Returns: What the body has returned in the transaction that was committed.
    /// - Throws: `outcomeUnknown` where that could not be found out in time.
    func write<Value: Sendable>(
        at time: Timestamp, _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Value {
        try await underWay.run { () throws(ProfileStoreError) in try await writeUnderWay(at: time, body) }
    }

    private func writeUnderWay<Value: Sendable>(
        at time: Timestamp, _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Value {
        let key = Self.newKey()
        var made: [Value] = []
        var answer: ProfileStoreError?
        return try await repeating { deadline throws in
            do {
                return try await pool.withConnection(until: deadline) { connection in
                    let keep = keeping(key, outcome: String(made.count), at: time)
                    return try await connection.transaction("BEGIN", [keep]) { transaction in
                        let outcome = try await body(transaction, key)
                        made.append(outcome.value)
                        // One in 256 forgets twice as many keys as have come since.
                        let forgetting = key.hasSuffix("00") ? [KeyedWriteTable.forgettingSome(at: time)] : []
                        try await outcome.commit(transaction, with: forgetting)
                        return outcome.value
                    }
                }
            } catch let error as PostgresError where KeyedWriteTable.isTaken(error) {
                return try await committed(of: made, or: answer, key, until: deadline)
            } catch let error as ProfileStoreError where error.isAnswer || !made.isEmpty {
                // What it goes by may be lost with this server, and an attempt before it may be on its way yet: whoever
                // keeps the key first decides, and its COMMIT waits for all that came before.
                answer = error
                guard try await !keep(key, outcome: Self.nothing, at: time, until: deadline) else { throw error }
                return try await committed(of: made, or: error, key, until: deadline)
            }
        }
    }

    /// Writes in a transaction that cannot be repeated, since what it writes is had once. Its connection is lent besides, for
    /// what takes longer than a wait may.
    ///
    /// - Throws: `outcomeUnknown` where nobody could find out in time whether it was committed.
    func writeOnce<Value: Sendable>(
        at time: Timestamp, _ body: (Connection, Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Value? {
        try await underWay.run { () throws(ProfileStoreError) in try await writeOnceUnderWay(at: time, body) }
    }

    private func writeOnceUnderWay<Value: Sendable>(
        at time: Timestamp, _ body: (Connection, Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> Value? {
        let start = ContinuousClock.now
        let key = Self.newKey()
        var made: Value?
        do {
            return try await pool.withConnection(until: newDeadline) { connection in
                let keep = keeping(key, outcome: "0", at: time)
                return try await connection.transaction("BEGIN", [keep]) { transaction in
                    let outcome = try await body(connection, transaction, key)
                    made = outcome.value
                    try await transaction.commit(outcome.last)
                    return outcome.value
                }
            }
        } catch let error as PostgresError {
            guard case .outcomeUnknown = error, let made else {
                throw ProfileStoreError(translating: error, since: start)
            }
            let isKept = try await repeating { deadline throws in
                if try await keep(key, outcome: Self.nothing, at: time, until: deadline) { return false }
                // It may be we who have kept it, by a COMMIT of which we have not heard.
                guard let kept = try await kept(key, until: deadline) else { throw PostgresError.lost("") }
                return kept.outcome != Self.nothing
            }
            guard isKept else { throw .unavailable(["the connection was lost, and nothing was written"]) }
            return made
        } catch is LoadIsUndone {
            return nil
        } catch {
            throw ProfileStoreError(translating: error, since: start)
        }
    }

    /// The outcome of a key that is kept for nothing.
    private static let nothing = "none"

    /// The attempt that was committed.
    ///
    /// - Throws: The answer of a later one, where the key was kept for nothing after it.
    private func committed<Value>(
        of made: [Value], or answer: ProfileStoreError?, _ key: String, until deadline: ContinuousClock.Instant
    ) async throws -> Value {
        // What only the server had that is lost is gone with it.
        guard let kept = try await kept(key, until: deadline) else { throw PostgresError.lost("") }
        if kept.outcome == Self.nothing, let answer { throw answer }
        guard let number = Int(kept.outcome), made.indices.contains(number) else {
            throw ProfileStoreError.corrupt("a write of our own has the outcome of another")
        }
        return made[number]
    }

    private func keeping(_ key: String, of request: String? = nil, outcome: String, at time: Timestamp) -> Command {
        KeyedWriteTable.keeping(key, request, outcome: outcome, at: time, onQuorum: pool.list.needsQuorum())
    }

    /// Keeps a key and does nothing else, so that no attempt under it is committed any more.
    ///
    /// - Returns: False if one was.
    private func keep(
        _ key: String, of request: String? = nil, outcome: String, at time: Timestamp,
        until deadline: ContinuousClock.Instant
    ) async throws -> Bool {
        do {
            try await pool.withConnection(until: deadline) { connection in
                let preface = [
                    KeyedWriteTable.forgetting(key, at: time), keeping(key, of: request, outcome: outcome, at: time),
                ]
                try await connection.transaction("BEGIN", preface) { transaction in try await transaction.commit() }
            }
            return true
        } catch let error as PostgresError where KeyedWriteTable.isTaken(error) {
            return false
        }
    }

    /// Writes in a transaction that a caller's key stands for: a repeat does nothing and has the first one's outcome.
    ///
    /// - Parameters:
    ///   - request: The key, and what is asked for.
    ///   - time: When, by the caller's clock.
    ///   - schema: The rules by which a remembered outcome is read.
    ///   - body: Writes; it may run more than once. An answer that it throws is remembered too.
    /// - Returns: The outcome, first or repeated, and whether it was written now.
    /// - Throws: `outcomeUnknown` where that could not be found out in time, `keyReused`, …
    func write<Value: KeyedValue>(
        _ request: KeyedRequest, at time: Timestamp, under schema: () async throws -> ProfileSchema,
        _ body: (Transaction, _ key: String) async throws -> Outcome<Value>
    ) async throws(ProfileStoreError) -> (answer: Result<Value, ProfileStoreError>, isNew: Bool) {
        try await repeating { deadline throws in
            let key = request.key.text
            do {
                let value = try await pool.withConnection(until: deadline) { connection in
                    let preface = [
                        KeyedWriteTable.forgetting(key, at: time),
                        keeping(key, of: request.fingerprint, outcome: "null", at: time),
                    ]
                    return try await connection.transaction("BEGIN", preface) { transaction in
                        let outcome = try await body(transaction, Self.newKey())
                        let stored = KeyedOutcome(Result<Value, ProfileStoreError>.success(outcome.value)).stored
                        try await outcome.commit(
                            transaction, with: [KeyedWriteTable.setting(key, outcome: stored)])
                        return outcome.value
                    }
                }
                return (.success(value), true)
            } catch let error as PostgresError where KeyedWriteTable.isTaken(error) {
                guard let kept = try await kept(key, until: deadline) else { throw PostgresError.lost("") }
                return (try kept.outcome(of: request, under: try await schema()).answer(), false)
            } catch let error as ProfileStoreError where error.isAnswer {
                let refused = KeyedOutcome(Result<Value, ProfileStoreError>.failure(error))
                let first = try await remember(refused, of: request, at: time, under: schema, until: deadline)
                return (first.answer(), false)
            }
        }
    }

    /// Lets writes come to their end as long as the server is alive, and closes. A server that is frozen is waited for no
    /// longer than a second.
    func close() async {
        // Those that are left end with `outcomeUnknown` or `closed`.
        await underWay.close { [pool] in await !pool.isAnswered(until: .now + .seconds(1)) }
        await pool.end()
    }

    /// Remembers what came of a write that has written nothing.
    ///
    /// - Returns: What is remembered: the outcome of the write that came first.
    func remember(
        _ outcome: KeyedOutcome, of request: KeyedRequest, at time: Timestamp,
        under schema: () async throws -> ProfileSchema
    ) async throws(ProfileStoreError) -> KeyedOutcome {
        try await repeating { deadline throws in
            try await remember(outcome, of: request, at: time, under: schema, until: deadline)
        }
    }

    private func remember(
        _ outcome: KeyedOutcome, of request: KeyedRequest, at time: Timestamp,
        under schema: () async throws -> ProfileSchema, until deadline: ContinuousClock.Instant
    ) async throws -> KeyedOutcome {
        let key = request.key.text
        let isFirst = try await keep(
            key, of: request.fingerprint, outcome: outcome.stored, at: time, until: deadline)
        if isFirst { return outcome }
        guard let kept = try await kept(key, until: deadline) else { throw PostgresError.lost("") }
        return try kept.outcome(of: request, under: try await schema())
    }

    /// What is kept under a key, once it is safe: an answer to a write that waits for a standby yet would be too early,
    /// so the row is written again, whose `COMMIT` waits for both.
    private func kept(_ key: String, until deadline: ContinuousClock.Instant) async throws -> KeptWrite? {
        try await pool.withConnection(until: deadline) { connection in
            try await connection.transaction { transaction in
                let rows = try await transaction.run(KeyedWriteTable.confirming(key, onQuorum: pool.list.needsQuorum()))
                return rows.first.flatMap(KeptWrite.init)
            }
        }
    }

    /// Tries again while something is in the way that goes by, and says so when what was written is not known in the end.
    private func repeating<Value>(
        _ attempt: (_ deadline: ContinuousClock.Instant) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        let start = ContinuousClock.now
        let deadline = deadline
        var unknown: String?
        var pause = Duration.milliseconds(1)
        while true {
            do {
                return try await CallDeadline.at(deadline) { try await attempt(deadline) }
            } catch {
                if case PostgresError.outcomeUnknown(let reason) = error { unknown = unknown ?? reason }
                let isOver = Task.isCancelled || ContinuousClock.now + pause >= deadline
                if error is LoadGoesOn, !isOver {
                    // Making its indexes may take longer than a call.
                    let isEnded = try await CallDeadline.at(nil) { () throws(ProfileStoreError) in
                        try await endDeadLoad()
                    }
                    if !isEnded { try? await Task.sleep(for: min(pause * 64, .milliseconds(200))) }
                    pause = min(pause * 2, .milliseconds(200))
                    continue
                }
                if (error as? PostgresError)?.mayBeRepeated ?? false || Durability.isMissing(error), !isOver {
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, .milliseconds(200))
                    continue
                }
                // An answer was found out by a transaction that came after all others.
                if let unknown, !(error is ProfileStoreError) { throw .outcomeUnknown(unknown) }
                if (error as? PostgresError)?.isOfOtherTables ?? false { try await checkVersion(until: deadline) }
                throw ProfileStoreError(translating: error, since: start)
            }
        }
    }

    /// Looks whether a later version of this program has migrated the store.
    ///
    /// - Throws: `newerStore` if so.
    private func checkVersion(until deadline: ContinuousClock.Instant) async throws(ProfileStoreError) {
        let applied = try? await pool.withConnection(until: deadline) { try await Migrator.applied($0) }
        if let applied { try Migrator.verify(applied, pool.list.description) }
    }

    /// 128 random bits in hexadecimal digits. A space comes first, which no caller's key has.
    private static func newKey() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        randombytes_buf(&bytes, bytes.count)
        return " " + Hexadecimal.text(bytes.span)
    }
}
