internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import Threads

// The history of profiles.
extension PostgresEngine {
    func history(_ list: HistoryList, at time: Timestamp) async throws(ProfileStoreError) -> [HistoryEntry] {
        try await session.readAtOneMoment { transaction in
            let schema = try await rulesAtHand(transaction).schema
            let expired = Self.expired(try await transaction.run(HistoryTable.selectTime), at: time)
            var entries: [HistoryEntry] = []
            for rows in try await transaction.run(HistoryTable.select(list, after: expired)) {
                for row in 0..<rows.count { entries.append(try HistoryTable.entry(in: rows, row, under: schema)) }
            }
            return entries
        }
    }

    func historyChanges(
        _ list: HistoryChangeList, at time: Timestamp
    ) async throws(ProfileStoreError) -> [HistoryChange] {
        try await session.readAtOneMoment { transaction in
            let expired = Self.expired(try await transaction.run(HistoryTable.selectTime), at: time)
            let rows = try await transaction.run([HistoryTable.select(list, after: expired)])[0]
            return (0..<rows.count).map { HistoryTable.change(in: rows, $0) }
        }
    }

    func historyTime() async throws(ProfileStoreError) -> Duration {
        try await session.read { connection in
            .milliseconds(try await connection.run(HistoryTable.selectTime).number(0, 0) ?? 0)
        }
    }

    func keepHistory(for time: Duration) async throws(ProfileStoreError) {
        let command = HistoryTable.settingTime(time.wholeMilliseconds)
        try await session.write(at: options.now()) { _, _ in PostgresSession.Outcome(value: (), last: [command]) }
    }

    func erase(_ id: Int64, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool {
        // The history must not contain the profile, so only the log gets this change.
        try await commit(stamp, isInHistory: false) { transaction in
            let rules = try await rulesInForce(transaction)
            // The lock makes writers of this profile wait, so they add nothing to its history meanwhile.
            let found = try await transaction.run([
                rules.table.selectForUpdate(.id(id)), HistoryTable.selectRemovedNames(of: id),
            ])
            let profile = rules.table.profile(in: found[0])
            var names = (0..<found[1].count).compactMap { found[1].text($0, 0) }
            if let profile { names.append(ProfileTable.key(of: profile.username)) }
            let erased = try await transaction.run([
                HistoryTable.erase(id), KeyedWriteTable.erase(id),
                Command("DELETE FROM profiles WHERE id = $1", [.number(id)]),
            ])
            return Written(
                value: erased.contains { $0.affectedCount > 0 },
                changes: profile == nil ? [] : [LoggedChange(.removed, id...id, [])],
                last: [ThrottleTable.forget(names)],
                // The author of this change may be the erased profile. So the names are removed after the log has this
                // change.
                afterLog: HistoryTable.forgetAuthors(names))
        }.get()
    }

    /// Keeps the history short even if no process calls ``removeExpired(at:)``. After its own commit, a writer
    /// sometimes deletes expired entries. One such deletion can remove more entries than the writers usually add before
    /// the next deletion. If the deletion fails, the writer's own write stays committed.
    func trimHistory(after newEntries: Int) async {
        guard Int.random(in: 0..<64) < newEntries else { return }
        let (time, most) = (options.now(), 2 * newEntries + 128)
        _ = try? await CallDeadline.at(min(session.deadline, CallDeadline.fromNow(.seconds(1)))) {
            () throws(ProfileStoreError) in
            try await session.prepare(at: time) { transaction, _ in
                PostgresSession.Outcome(
                    value: (),
                    last: [
                        HistoryTable.removeExpired(at: time, atMost: most),
                        HistoryTable.removeExpiredChanges(at: time, atMost: most),
                    ])
            }
        }
    }

    /// Returns a time in milliseconds. Entries with this time or an earlier time have expired.
    private static func expired(_ rows: Rows, at time: Timestamp) -> Int64 {
        time.historyExpiry(keepingFor: rows.number(0, 0) ?? 0)
    }
}
