internal import PostgresAccess
internal import ProfileStore
internal import Threads

// The log of changes, and its listeners.
extension PostgresEngine {
    func changeNumber() async throws(ProfileStoreError) -> Int64 {
        try await session.call { () throws(ProfileStoreError) in
            let (number, hasNew) = try await session.read { connection in
                let rows = try await connection.run(ChangeTable.selectState)
                return (try ChangeTable.newest(in: rows), rows.flag(0, 1))
            }
            return hasNew ? try await numberChanges() : number
        }
    }

    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        try await session.call { () throws(ProfileStoreError) in
            let newest = try await changeNumber()
            guard newest != number else { return [] }
            return try await session.read { connection in
                let rows = try await connection.run([ChangeTable.select(after: number, limit: limit)])[0]
                return (0..<rows.count).map { ChangeTable.change(in: rows, $0) }.following(number, newest: newest)
            }
        }
    }

    /// Gives a number to each change that has no number yet. Each step is one transaction and numbers a part of the
    /// changes. If the log was not read for a long time, many steps are needed. If a step fails, the finished steps
    /// stay committed.
    ///
    /// - Returns: The number of the newest change.
    @discardableResult
    func numberChanges() async throws(ProfileStoreError) -> Int64 {
        while true {
            if let step = try await numberSomeChanges(waits: true), step.isComplete { return step.newest }
        }
    }

    /// Runs one step of ``numberChanges()``. The step may run twice.
    private func numberSomeChanges(
        waits: Bool
    ) async throws(ProfileStoreError) -> (newest: Int64, isComplete: Bool)? {
        try await session.prepare(at: options.now()) { [options] transaction, _ in
            PostgresSession.Outcome(
                value: try await ChangeTable.number(transaction, keeping: options.mostChanges, waits: waits))
        }
    }

    /// Keeps the log short even if no process reads it. After its own commit, a writer sometimes assigns numbers to
    /// changes, and deletes the oldest changes. With the default limit of 10,000 changes, this happens once in 100
    /// changes on average. A random number decides whether a writer numbers changes. A counter in each process would
    /// not work, because each of many processes may write only a few changes. If another session numbers changes, the
    /// call does not wait for it. If the call fails, the writer's own write stays committed.
    func trimLog(after newChanges: Int) async {
        guard newChanges > 0 else { return }
        let interval = max(1, min(options.mostChanges, 100 * ChangeTable.mostNumberedAtOnce / 4) / 100)
        guard Int.random(in: 0..<interval) < newChanges else { return }
        // One step numbers at most `mostNumberedAtOnce` changes, and deletes at most twice as many changes. So a write
        // of many changes needs several steps.
        for _ in 0...newChanges / ChangeTable.mostNumberedAtOnce {
            let step = try? await CallDeadline.at(min(session.deadline, CallDeadline.fromNow(.seconds(1)))) {
                try await numberSomeChanges(waits: false)
            }
            guard let step, !step.isComplete else { return }
        }
    }

    func listen(_ listener: CommitListener) { watch.listen(listener) }

    func outcome(of request: KeyedRequest, at time: Timestamp) async throws(ProfileStoreError) -> KeyedOutcome? {
        try await session.call { () throws(ProfileStoreError) in
            let schema = try await schemaInForce().schema
            let isThere = try await session.read { connection in
                let rows = try await connection.run([KeyedWriteTable.select(request.key.text)])[0]
                return !rows.isEmpty && rows.time(0, 2) > WriteKey.forgotten(at: time)
            }
            return isThere ? try await session.outcome(of: request) { schema } : nil
        }
    }
}

/// Notifies the listener of a store about changes. If this process makes a change, the listener is notified
/// immediately. If another process makes a change, the listener is notified at the next check of the log.
final class ChangeWatch: Sendable {
    private struct State {
        var listener: CommitListener?
        var looking: Task<Void, Never>?
        var isOver = false
    }

    /// The state of the log at the last check.
    private struct Seen: Equatable {
        let number: Int64
        let hasUnnumbered: Bool
    }

    private let session: PostgresSession
    private let state = Locked(State())

    /// The time between two checks of the log. The checks find the changes of other processes. Notifications by the
    /// server are not used, because not every server or pooler supports them.
    private static let interval = Duration.milliseconds(200)

    init(_ session: PostgresSession) { self.session = session }

    func listen(_ listener: CommitListener) {
        state.withLock { state in
            state.listener = listener
            guard state.looking == nil, !state.isOver else { return }
            state.looking = Task { [weak self, session] in
                var seen: Seen?
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

    /// Notifies the listener. Never blocks.
    func announce() { state.withLock(\.listener)?() }

    func end() {
        state.withLock { state in
            state.isOver = true
            state.looking?.cancel()
            state.looking = nil
        }
    }

    deinit { end() }

    /// Returns the state of the log; nil if it cannot be read. Every new change alters this state, at the latest when
    /// the change gets its number.
    private static func look(_ session: PostgresSession) async -> Seen? {
        try? await session.read { connection in
            let rows = try await connection.run(ChangeTable.selectState)
            // A new change has no number at first. `hasUnnumbered` shows the change before the change gets a number.
            return Seen(number: rows.number(0, 0) ?? 0, hasUnnumbered: rows.flag(0, 1))
        }
    }
}
