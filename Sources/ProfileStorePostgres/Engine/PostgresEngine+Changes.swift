internal import PostgresAccess
internal import ProfileStore
internal import Synchronization

// The log of changes, and those who watch it.
extension PostgresEngine {
    func changeNumber() async throws(ProfileStoreError) -> Int64 {
        try await session.call { () throws(ProfileStoreError) in
            let (number, hasNew) = try await session.read { connection in
                let rows = try await connection.run(ChangeTable.selectState)
                return (rows.number(0, 0) ?? 0, rows.flag(0, 1))
            }
            return hasNew ? try await numberChanges() : number
        }
    }

    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        try await session.call { () throws(ProfileStoreError) in
            let newest = try await changeNumber()
            guard newest != number else { return [] }
            let changes = try await session.read { connection in
                let command = ChangeTable.select(after: number, limit: limit)
                return ChangeTable.changes(in: try await connection.run([command])[0], after: number)
            }
            return changes.isEmpty ? [.missed(upTo: newest)] : changes
        }
    }

    /// Gives numbers to the changes that have none. It may be done twice, and so needs no key.
    private func numberChanges() async throws(ProfileStoreError) -> Int64 {
        try await session.write(at: options.now()) { [options] transaction, _ in
            PostgresSession.Outcome(value: try await ChangeTable.number(transaction, keeping: options.mostChanges))
        }
    }

    func listen(_ ring: @escaping @Sendable () -> Void) { watch.listen(ring) }

    func takeWelcome() async throws(ProfileStoreError) -> Bool {
        try await session.call { () throws(ProfileStoreError) in
            let isWelcomed = try await session.read { connection in
                try await connection.run("SELECT is_welcomed FROM store").flag(0, 0)
            }
            if isWelcomed { return false }
            return try await session.write(at: options.now()) { transaction, _ in
                let rows = try await transaction.run("UPDATE store SET is_welcomed = true WHERE NOT is_welcomed")
                return PostgresSession.Outcome(value: rows.affectedCount == 1)
            }
        }
    }

    func outcome(of request: KeyedRequest, at time: Timestamp) async throws(ProfileStoreError) -> KeyedOutcome? {
        try await session.call { () throws(ProfileStoreError) in
            let schema = try await schemaInForce().schema
            return try await session.read { connection in
                let rows = try await connection.run([KeyedWriteTable.select(request.key.text)])
                guard let kept = rows.first.flatMap(KeptWrite.init),
                    kept.writtenAt.millisecondsSince1970 > WriteKey.forgotten(at: time).millisecondsSince1970
                else { return nil }
                return try kept.outcome(of: request, under: schema)
            }
        }
    }

    func remember(_ outcome: KeyedOutcome, _ stamp: WriteStamp) async throws(ProfileStoreError) -> KeyedOutcome {
        guard let request = stamp.request else { return outcome }
        return try await session.writingCall { () throws(ProfileStoreError) in
            try await session.remember(outcome, of: request, at: stamp.time, under: rulesOfPast)
        }
    }
}

/// Rings for those who watch the store: at once after a change of this process, and within an interval after others'.
final class ChangeWatch: Sendable {
    private struct State {
        var listeners: [@Sendable () -> Void] = []
        var looking: Task<Void, Never>?
        var isOver = false
    }

    private let session: PostgresSession
    private let state = Mutex(State())

    /// How often others' changes are looked for: servers would have to be told to tell of them, which not all can be.
    private static let interval = Duration.milliseconds(200)

    init(_ session: PostgresSession) { self.session = session }

    func listen(_ ring: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.listeners.append(ring)
            guard state.looking == nil, !state.isOver else { return }
            state.looking = Task { [weak self, session] in
                var seen: Int64?
                while !Task.isCancelled {
                    if let now = await Self.look(session) {
                        if let seen, seen != now { self?.announce() }
                        seen = now
                    }
                    do { try await Task.sleep(for: Self.interval) } catch { return }
                }
            }
        }
    }

    /// Tells everyone in this process that there is a change. Never blocks.
    func announce() {
        for ring in state.withLock({ $0.listeners }) { ring() }
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            state.looking?.cancel()
            state.looking = nil
        }
    }

    deinit { end() }

    /// What differs after a change; nil where nobody can say.
    private static func look(_ session: PostgresSession) async -> Int64? {
        try? await session.read { connection in
            let rows = try await connection.run(ChangeTable.selectState)
            // A change without a number is told of until it has one.
            return (rows.number(0, 0) ?? 0) * 2 + (rows.flag(0, 1) ? 1 : 0)
        }
    }
}
