internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import Threads

// The history of profiles.
extension SQLiteEngine {
    func history(_ list: HistoryList, at time: Timestamp) async throws(ProfileStoreError) -> [HistoryEntry] {
        let read: @Sendable (borrowing Connection) throws -> [HistoryEntry] = { connection in
            try connection.readTransaction {
                let schema = try self.rulesInForce(connection).schema
                return try HistoryTable.entries(list, at: time, under: schema, connection)
            }
        }
        switch list.subject {
        case .profile, .removals: return try session.read(read)
        case .change, .all: return try await session.readAtLength(in: .pages, read)
        }
    }

    func historyChanges(
        _ list: HistoryChangeList, at time: Timestamp
    ) async throws(ProfileStoreError) -> [HistoryChange] {
        try await session.readAtLength(in: .pages) { connection in
            try connection.readTransaction { try HistoryTable.changes(list, at: time, connection) }
        }
    }

    func historyTime() async throws(ProfileStoreError) -> Duration {
        try session.read { connection in .milliseconds(try StoreTable.historyTime(connection)) }
    }

    func keepHistory(for time: Duration) async throws(ProfileStoreError) {
        try await session.write { connection in
            try StoreTable.setHistoryTime(time.wholeMilliseconds, connection)
        }
    }

    func erase(_ id: Int64, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool {
        let (isFound, isChange) = try await session.writeAlone { connection in
            // SQLite then overwrites the deleted rows with zeros. Debian's SQLite does so by default.
            try connection.execute("PRAGMA secure_delete = ON")
            let rules = try self.rulesInForce(connection)
            let profile = try rules.table.profile(.id(id), connection)
            if let profile {
                try Self.remove(profile, under: rules, connection)
                try ChangeTable.append(.removed, id...id, stamp, keeping: self.options.mostChanges, connection)
            }
            var (usernames, isFound) = try HistoryTable.erase(id, connection)
            usernames += [profile?.username].compactMap(\.self)
            isFound = try KeyedWriteTable.erase(id, connection) || isFound
            for username in usernames {
                try ThrottleTable.forget(username, nil, connection)
                for table in ["changes", "history_changes"] {
                    try connection.run("UPDATE \(table) SET author = NULL WHERE author = ?1 COLLATE NOCASE", username)
                }
            }
            return (isFound || profile != nil, profile != nil)
        }
        if isChange { announce() }
        return isFound
    }
}
