internal import ProfileStore
internal import SQLiteAccess
internal import Threads

// The log of changes and its listener.
extension SQLiteEngine {
    func changeNumber() async throws(ProfileStoreError) -> Int64 {
        try session.read { connection in try StoreTable.changeNumber(connection) }
    }

    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        try session.read { connection in
            // If the file was removed or replaced, a caller that watches it would wait forever without this check.
            try connection.requireInPlace()
            return try connection.readTransaction {
                try ChangeTable.changes(after: number, limit: limit, connection)
            }
        }
    }

    /// Changes profiles in one write transaction, and notifies the listeners. `body` returns a list of changes and a
    /// value. If the list is empty, no listener is notified.
    /// - Parameters:
    ///   - stamp: The time, the author and the idempotency key of the write.
    ///   - isLong: Whether the write is long. A long write gets its own transaction.
    ///   - body: Makes the changes.
    /// - Returns: The value that `body` returns. If an earlier write had the same key, the value of the earlier write.
    /// - Throws: The error that `body` throws, or an error of the transaction.
    func change<Value: KeyedValue>(
        _ stamp: WriteStamp, isLong: Bool = false,
        _ body: @escaping @Sendable (borrowing Connection) throws -> (changes: [LoggedChange], value: Value)
    ) async throws(ProfileStoreError) -> Value {
        let write: @Sendable (borrowing Connection) throws -> AnsweredWrite<Value> = { connection in
            try self.once(stamp, connection) {
                let (changes, value) = try body(connection)
                try self.record(changes, stamp, connection)
                return (value, isChange: !changes.isEmpty)
            }
        }
        let written = isLong ? try await session.writeAlone(write) : try await session.write(write)
        // The write lock is already released, so no writer waits while listeners are notified.
        if written.isChange { announce() }
        return try written.answer.get()
    }

    /// Runs a write within a transaction, unless an earlier write had the same key; see
    /// ``WriteStamp/once(find:store:_:)``.
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

    /// Adds changes to the log and to the history, within their transaction. The caller calls ``announce()`` after the
    /// commit.
    func record(_ changes: [LoggedChange], _ stamp: WriteStamp, _ connection: borrowing Connection) throws {
        guard !changes.isEmpty else { return }
        var history = try HistoryWriting(stamp, connection)
        try record(changes, stamp, &history, connection)
    }

    func record(
        _ changes: [LoggedChange], _ stamp: WriteStamp, _ history: inout HistoryWriting,
        _ connection: borrowing Connection
    ) throws {
        do {
            var entry = try connection.prepare(HistoryTable.insert)
            for change in changes {
                try ChangeTable.append(change.kind, change.profileIDs, stamp, keeping: options.mostChanges, connection)
                for record in change.records { try history.add(record, with: &entry, connection) }
            }
        }
        try history.end(connection)
    }

    /// Notifies the listener and other processes that there is a change. Never blocks.
    func announce() {
        ring()
        beeper.beep(Beeper.changes)
    }

    func listen(_ listener: CommitListener) {
        self.listener.withLock { $0 = listener }
        // If no private folder for sockets exists, this process cannot receive the beeps of other processes. The
        // process then finds changes of other processes only because a timer of `ChangeFeed` also reads the log.
        try? beeper.register(Beeper.changes) { [weak self] in self?.ring() }
    }

    private func ring() { listener.withLock(\.self)?() }
}
