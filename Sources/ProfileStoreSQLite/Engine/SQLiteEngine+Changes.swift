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

    func takeWelcome() async throws(ProfileStoreError) -> Bool {
        if try session.read({ connection in try StoreTable.isWelcomed(connection) }) { return false }
        return try await session.write { connection in try StoreTable.setWelcomed(connection) }
    }

    /// One write transaction that changes a profile, whose id `body` returns, and tells those who watch the store.
    func change<Value: Sendable>(
        _ kind: ProfileChange.Kind, at time: Timestamp,
        _ body: @escaping @Sendable (borrowing Connection) throws -> (id: Int64, value: Value)
    ) async throws(ProfileStoreError) -> Value {
        let value = try await session.write { connection in
            let (id, value) = try body(connection)
            try self.record(kind, id...id, at: time, connection)
            return value
        }
        // Here the write lock is given back: nobody waits for it while others are told.
        announce()
        return value
    }

    /// Puts a change into the log, within its transaction. Whoever commits it announces it.
    func record(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, at time: Timestamp,
        _ connection: borrowing Connection
    ) throws(SQLiteError) {
        try ChangeTable.append(kind, profileIDs, at: time, keeping: options.mostChanges, connection)
    }

    /// Tells everyone, in this process and in others, that there is a change. Never blocks.
    func announce() {
        ring()
        beeper.beep(Beeper.changes)
    }

    func listen(_ ring: @escaping @Sendable () -> Void) {
        let isFirst = listeners.withLock { listeners in
            listeners.append(ring)
            return listeners.count == 1
        }
        // Without a private folder for its sockets nobody else is heard.
        if isFirst { try? beeper.register(Beeper.changes) { [weak self] in self?.ring() } }
    }

    private func ring() {
        for ring in listeners.withLock({ $0 }) { ring() }
    }
}
