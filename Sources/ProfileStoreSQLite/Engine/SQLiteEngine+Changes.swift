internal import ProfileStore
internal import SQLiteAccess
internal import Synchronization

// The log of changes, and those who watch it.
extension SQLiteEngine {
    func changeNumber() async throws(ProfileStoreError) -> Int64 {
        try session.read { connection in try StoreTable.changeNumber(connection) }
    }

    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        try session.read { connection in
            // Else those who watch a file that nobody can find any more would wait for ever.
            try connection.requireInPlace()
            return try connection.readTransaction {
                try ChangeTable.changes(after: number, limit: limit, connection)
            }
        }
    }

    /// One write transaction that changes profiles, and tells those who watch the store. The body returns what it has
    /// changed; where nothing was, it is told to nobody.
    /// - Parameters:
    ///   - stamp: When, by whom, and under which key.
    ///   - isLong: Whether it writes much, and so alone.
    ///   - body: What to write.
    /// - Returns: What the body returns, or what it returned when the write was made first.
    /// - Throws: What the body throws, or what keeps it from being written.
    func change<Value: KeyedValue>(
        _ stamp: WriteStamp, isLong: Bool = false,
        _ body: @escaping @Sendable (borrowing Connection) throws -> (changes: [Change], value: Value)
    ) async throws(ProfileStoreError) -> Value {
        let write: @Sendable (borrowing Connection) throws -> AnsweredWrite<Value> = { connection in
            try self.once(stamp, connection) {
                let (changes, value) = try body(connection)
                for change in changes { try self.record(change.kind, change.id...change.id, stamp, connection) }
                return (value, isChange: !changes.isEmpty)
            }
        }
        let written = isLong ? try await session.writeAlone(write) : try await session.write(write)
        // Here the write lock is given back: nobody waits for it while others are told.
        if written.isChange { announce() }
        return try written.answer.get()
    }

    /// What happened to one profile.
    typealias Change = (kind: ProfileChange.Kind, id: Int64)

    /// Runs a write once for each key, within a transaction; see ``WriteStamp/once(find:store:_:)``.
    func once<Value: KeyedValue>(
        _ stamp: WriteStamp, _ connection: borrowing Connection, _ body: () throws -> (value: Value, isChange: Bool)
    ) throws -> AnsweredWrite<Value> {
        try stamp.once { request in
            let schema = try rulesInForce(connection).schema
            return try KeyedWriteTable.outcome(of: request, at: stamp.time, under: schema, connection)
        } store: { outcome, request in
            try KeyedWriteTable.remember(outcome, of: request, at: stamp.time, connection)
        } _: {
            stamp.request == nil ? try body() : try connection.savepoint { try body() }
        }
    }

    func outcome(
        of request: KeyedRequest, at time: Timestamp
    ) async throws(ProfileStoreError) -> KeyedOutcome? {
        try session.read { connection in
            let schema = try rulesInForce(connection).schema
            return try KeyedWriteTable.outcome(of: request, at: time, under: schema, connection)
        }
    }

    /// Puts a change into the log, within its transaction. Whoever commits it announces it.
    func record(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp,
        _ connection: borrowing Connection
    ) throws(SQLiteError) {
        try ChangeTable.append(kind, profileIDs, stamp, keeping: options.mostChanges, connection)
    }

    /// Tells everyone, in this process and in others, that there is a change. Never blocks.
    func announce() {
        ring()
        beeper.beep(Beeper.changes)
    }

    func listen(_ listener: CommitListener) {
        let isFirst = listeners.withLock { listeners in
            listeners.append(listener)
            return listeners.count == 1
        }
        // Without a private folder for its sockets nobody else is heard.
        if isFirst { try? beeper.register(Beeper.changes) { [weak self] in self?.ring() } }
    }

    private func ring() {
        for listener in listeners.withLock({ $0 }) { listener() }
    }
}
