internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// The tables `history_changes` and `history`: what profiles were before each change (D1).
enum HistoryTable {
    // MARK: Reading

    private static let selection = """
        SELECT change_number, part, kind, first_profile_id, last_profile_id, revision, changed_at, recorded, author, command
        FROM history JOIN history_changes ON number = change_number WHERE changed_at > ?1
        """

    /// Returns the entries of a list, newest first.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - time: The present time. Entries that have expired at this time are not returned.
    ///   - schema: The rules in force.
    ///   - connection: A reader's connection, within a transaction.
    /// - Throws: `corrupt`, or an error of SQLite.
    static func entries(
        _ list: HistoryList, at time: Timestamp, under schema: ProfileSchema, _ connection: borrowing Connection
    ) throws -> [HistoryEntry] {
        let expired = try StoreTable.historyTime(connection).expired(at: time)
        let after = list.since.map { max(expired, $0.millisecondsSince1970 - 1) } ?? expired
        let (change, part) = list.after.map { ($0.change, $0.part) } ?? (.max, .max)
        switch list.subject {
        case .all:
            var rows = try connection.prepare(
                selection + """
                     AND (change_number, part) < (?2, ?3) ORDER BY change_number DESC, part DESC LIMIT ?4
                    """, after, change, part, list.limit)
            return try entries(in: &rows, under: schema)
        case .removals(let username):
            var rows = try connection.prepare(
                selection + " AND username = ?2 ORDER BY change_number DESC, part DESC LIMIT ?3", after, username,
                list.limit)
            return try entries(in: &rows, under: schema)
        case .profile(let id):
            var own = try connection.prepare(
                selection + " AND first_profile_id = ?2 ORDER BY change_number DESC, part DESC LIMIT ?3", after, id,
                list.limit)
            let entries = try entries(in: &own, under: schema)
            // The last import whose first new profile has this id or a smaller one. The ranges do not overlap.
            var imports = try connection.prepare(
                selection + " AND kind = 'imported' AND first_profile_id < ?2 ORDER BY first_profile_id DESC LIMIT 1",
                after, id)
            return entries + (try self.entries(in: &imports, under: schema)).filter { $0.profileIDs.contains(id) }
        }
    }

    private static func entries(
        in rows: inout Statement, under schema: ProfileSchema
    ) throws -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        while try rows.step() {
            let first = rows.integer(at: 3)
            entries.append(
                try HistoryEntry(
                    change: rows.integer(at: 0), part: rows.integer(at: 1), kind: rows.string(at: 2),
                    profileIDs: first...max(first, rows.integer(at: 4)),
                    revision: rows.isNull(at: 5) ? nil : rows.integer(at: 5),
                    changedAt: Timestamp(millisecondsSince1970: rows.integer(at: 6)), recorded: rows.string(at: 7),
                    author: rows.string(at: 8), command: rows.string(at: 9), under: schema))
        }
        return entries
    }

    /// Returns the changes of a list with their counts, newest first.
    static func changes(
        _ list: HistoryChangeList, at time: Timestamp, _ connection: borrowing Connection
    ) throws -> [HistoryChange] {
        let expired = try StoreTable.historyTime(connection).expired(at: time)
        var rows = try connection.prepare(
            """
            SELECT number, made_at, author, command, source,
                sum(iif(kind IN ('registered', 'imported'), last_profile_id - first_profile_id + 1, 0)),
                sum(kind IN ('edited', 'updated', 'credential_changed')), sum(kind = 'removed')
            FROM history_changes JOIN history ON change_number = number
            WHERE number IN (
                SELECT number FROM history_changes WHERE made_at > ?1 AND (NOT ?2 OR source IS NOT NULL)
                ORDER BY number DESC LIMIT ?3)
            GROUP BY number ORDER BY number DESC
            """, expired, Int64(list.onlyImports ? 1 : 0), list.limit)
        var changes: [HistoryChange] = []
        while try rows.step() {
            changes.append(
                HistoryChange(
                    number: rows.integer(at: 0), madeAt: Timestamp(millisecondsSince1970: rows.integer(at: 1)),
                    author: rows.string(at: 2), command: rows.string(at: 3), source: rows.string(at: 4),
                    added: Int(rows.integer(at: 5)), updated: Int(rows.integer(at: 6)),
                    removed: Int(rows.integer(at: 7))))
        }
        return changes
    }

    // MARK: Removing

    /// Removes some expired entries, the oldest first, and changes that have no entries any more.
    ///
    /// - Returns: The number of removed entries.
    @discardableResult
    static func removeExpired(
        at time: Timestamp, atMost most: Int, _ connection: borrowing Connection
    ) throws -> Int {
        let expired = try StoreTable.historyTime(connection).expired(at: time)
        // The entries of a change are at most as old as the change. A change that is still running may add entries later,
        // so a row of `history_changes` is removed only when it has no entry.
        try connection.run(
            """
            DELETE FROM history WHERE (change_number, part) IN (
                SELECT change_number, part FROM history ORDER BY change_number, part LIMIT ?2) AND changed_at <= ?1
            """, expired, most)
        let removed = connection.changes
        try connection.run(
            """
            DELETE FROM history_changes WHERE number IN (
                SELECT number FROM history_changes ORDER BY number LIMIT ?2)
            AND made_at <= ?1 AND number < (SELECT max(number) FROM history_changes)
            AND NOT EXISTS (SELECT 1 FROM history WHERE change_number = number)
            """, expired, most)
        return removed
    }

    /// Removes the history of a profile.
    ///
    /// - Returns: The usernames under which the profile was removed, and whether anything was removed.
    static func erase(
        _ id: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) -> (usernames: [String], isChange: Bool) {
        var usernames: [String] = []
        do {
            var rows = try connection.prepare(
                "SELECT username FROM history WHERE first_profile_id = ?1 AND username IS NOT NULL", id)
            while try rows.step() { if let name = rows.string(at: 0) { usernames.append(name) } }
        }
        // A row of an import with several new profiles contains no data of the profile.
        try connection.run("DELETE FROM history WHERE first_profile_id = ?1 AND last_profile_id = ?1", id)
        return (usernames, connection.changes > 0)
    }
}

/// Adds entries to the history within a transaction. The row of the change is written with the first entry.
struct HistoryWriting {
    private let stamp: WriteStamp
    private let isKept: Bool
    /// The number of the change and the number of its entries; nil before the first entry.
    private var place: (change: Int64, parts: Int64)?
    private var added = 0

    init(_ stamp: WriteStamp, _ connection: borrowing Connection) throws {
        self.stamp = stamp
        isKept = try StoreTable.historyTime(connection) > 0
    }

    mutating func add(_ record: HistoryRecord, _ connection: borrowing Connection) throws {
        guard isKept else { return }
        var place = try self.place ?? begin(connection)
        place.parts += 1
        try connection.run(
            """
            INSERT INTO history (
                change_number, part, kind, first_profile_id, last_profile_id, revision, changed_at, username, recorded)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """, place.change, place.parts, record.kind.rawValue, record.profileIDs.lowerBound,
            record.profileIDs.upperBound, record.revision, stamp.time.millisecondsSince1970, record.username,
            record.values.stored)
        self.place = place
        added += 1
    }

    /// Removes some expired entries, if entries were added. More entries are removed than were added, so the history does
    /// not grow without limit even if only this process writes.
    func end(_ connection: borrowing Connection) throws {
        guard let place, added > 1 || place.change % 16 == 0 else { return }
        try HistoryTable.removeExpired(at: stamp.time, atMost: 2 * added + 64, connection)
    }

    /// Finds or inserts the row of the change.
    private func begin(_ connection: borrowing Connection) throws -> (change: Int64, parts: Int64) {
        let origin = stamp.origin
        if let key = origin.key {
            var rows = try connection.prepare(
                """
                SELECT number, (SELECT ifnull(max(part), 0) FROM history WHERE change_number = number)
                FROM history_changes WHERE key = ?1
                """, key)
            if try rows.step() { return (rows.integer(at: 0), rows.integer(at: 1)) }
        }
        var newest = try connection.prepare("SELECT ifnull(max(number), 0) FROM history_changes")
        let number = try ProfileStoreError.number(after: newest.step() ? newest.integer(at: 0) : 0, "history_changes")
        try connection.run(
            """
            INSERT INTO history_changes (number, key, made_at, author, command, source) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """, number, origin.key, stamp.time.millisecondsSince1970, stamp.author?.name, origin.command,
            origin.source)
        return (number, 0)
    }
}

extension Int64 {
    /// Returns the latest time at which an entry has expired, if this number of milliseconds is the time for which the
    /// history is kept.
    fileprivate func expired(at time: Timestamp) -> Int64 {
        self == 0 ? .max : time.advanced(byMilliseconds: -self).millisecondsSince1970
    }
}
