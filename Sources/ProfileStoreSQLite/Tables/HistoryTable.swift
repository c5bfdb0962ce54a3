internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// The tables `history_changes` and `history`: the contents of profiles before each change (D1).
enum HistoryTable {
    // MARK: Reading

    private static let selection = """
        SELECT change_number, entry, kind, first_profile_id, last_profile_id, revision, changed_at, recorded, author,
            command, undoes
        FROM history JOIN history_changes ON number = change_number WHERE changed_at > ?1
        """

    /// Reads the entries of a list.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - time: The present time. Entries that have expired at this time are not returned.
    ///   - schema: The rules in force.
    ///   - connection: A reader's connection, within a transaction.
    /// - Returns: The entries, newest first.
    /// - Throws: `corrupt`, or an error of SQLite.
    static func entries(
        _ list: HistoryList, at time: Timestamp, under schema: ProfileSchema, _ connection: borrowing Connection
    ) throws -> [HistoryEntry] {
        let expired = time.historyExpiry(keepingFor: try StoreTable.historyTime(connection))
        let after = list.start(after: expired)
        switch list.subject {
        case .all:
            var rows = try connection.prepare(
                selection + " AND entry < ?2 ORDER BY entry DESC LIMIT ?3", after, list.after?.part ?? .max,
                list.limit)
            return try entries(in: &rows, under: schema)
        case .change(let number):
            // The range of entries may contain entries of other changes. Therefore the change's number is compared too.
            var rows = try connection.prepare(
                selection
                    + """
                     AND change_number = ?2 AND entry BETWEEN (SELECT first_entry FROM history_changes WHERE number = ?2)
                    AND min(?3 - 1, (SELECT last_entry FROM history_changes WHERE number = ?2))
                    ORDER BY entry DESC LIMIT ?4
                    """, after, number, list.after?.part ?? .max, list.limit)
            return try entries(in: &rows, under: schema)
        case .removals(let username):
            var rows = try connection.prepare(
                selection + " AND username = ?2 ORDER BY entry DESC LIMIT ?3", after, username, list.limit)
            return try entries(in: &rows, under: schema)
        case .profile(let id):
            var own = try connection.prepare(
                selection + " AND first_profile_id = ?2 ORDER BY entry DESC LIMIT ?3", after, id, list.limit)
            let entries = try entries(in: &own, under: schema)
            // Selects the import with the greatest first id that is less than `id`. The id ranges of imports do not
            // overlap, so no other import can contain the profile `id`.
            var imports = try connection.prepare(
                selection
                    + " AND last_profile_id IS NOT NULL AND first_profile_id < ?2 ORDER BY first_profile_id DESC LIMIT 1",
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
                    profileIDs: first...(rows.isNull(at: 4) ? first : max(first, rows.integer(at: 4))),
                    revision: rows.isNull(at: 5) ? nil : rows.integer(at: 5),
                    changedAt: Timestamp(millisecondsSince1970: rows.integer(at: 6)), recorded: rows.string(at: 7),
                    author: rows.string(at: 8), command: rows.string(at: 9),
                    undoes: rows.isNull(at: 10) ? nil : rows.integer(at: 10), under: schema))
        }
        return entries
    }

    /// Returns whether the history contains the removal of a profile.
    static func hasRemoval(
        _ removed: ConditionalWrites.RemovedProfile, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        var rows = try connection.prepare(
            "SELECT 1 FROM history WHERE first_profile_id = ?1 AND kind = 'removed' AND revision = ?2", removed.id,
            removed.revision)
        return try rows.step()
    }

    /// Returns the changes of a list with their counts, newest first.
    static func changes(
        _ list: HistoryChangeList, at time: Timestamp, _ connection: borrowing Connection
    ) throws -> [HistoryChange] {
        let expired = time.historyExpiry(keepingFor: try StoreTable.historyTime(connection))
        var rows = try connection.prepare(
            """
            SELECT number, made_at, author, command, source, undoes, added, updated, removed FROM history_changes
            WHERE made_at > ?1 AND (NOT ?2 OR source IS NOT NULL) AND number = ifnull(?4, number)
            ORDER BY number DESC LIMIT ?3
            """, expired, Int64(list.onlyImports ? 1 : 0), list.limit, list.number)
        var changes: [HistoryChange] = []
        while try rows.step() {
            changes.append(
                HistoryChange(
                    number: rows.integer(at: 0), madeAt: Timestamp(millisecondsSince1970: rows.integer(at: 1)),
                    author: rows.string(at: 2), command: rows.string(at: 3), source: rows.string(at: 4),
                    undoes: rows.isNull(at: 5) ? nil : rows.integer(at: 5), added: Int(rows.integer(at: 6)),
                    updated: Int(rows.integer(at: 7)), removed: Int(rows.integer(at: 8))))
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
        let expired = time.historyExpiry(keepingFor: try StoreTable.historyTime(connection))
        guard try hasExpired(expired, connection) else { return 0 }
        try connection.run(
            """
            DELETE FROM history WHERE entry IN (SELECT entry FROM history ORDER BY entry LIMIT ?2) AND changed_at <= ?1
            """, expired, most)
        let removed = connection.changes
        try connection.run(
            """
            DELETE FROM history_changes WHERE number IN (SELECT number FROM history_changes ORDER BY number LIMIT ?2)
            AND made_at <= ?1 AND last_entry < (SELECT ifnull(min(entry), last_entry + 1) FROM history)
            AND number < (SELECT max(number) FROM history_changes)
            """, expired, most)
        return removed
    }

    /// Returns whether the oldest entry or the oldest change has expired. Usually neither has expired, and
    /// `removeExpired` then does nothing.
    private static func hasExpired(_ expired: Int64, _ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        var rows = try connection.prepare(
            """
            SELECT (SELECT changed_at FROM history ORDER BY entry LIMIT 1) <= ?1
                OR (SELECT made_at FROM history_changes ORDER BY number LIMIT 1) <= ?1
            """, expired)
        return try rows.step() && rows.integer(at: 0) != 0
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
        // An import has one row for several new profiles. This row stays, because it contains no data of the profile.
        try connection.run("DELETE FROM history WHERE first_profile_id = ?1 AND last_profile_id IS NULL", id)
        return (usernames, connection.changes > 0)
    }

    // MARK: Writing

    static let insert = """
        INSERT INTO history (
            entry, change_number, kind, first_profile_id, last_profile_id, revision, changed_at, username, recorded)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """
}

/// Adds entries to the history within a transaction.
struct HistoryWriting {
    private let stamp: WriteStamp
    private let isKept: Bool
    /// The change and its first entry in this transaction; nil before the first entry.
    private var begun: (change: Int64, isNew: Bool, firstEntry: Int64)?
    private var nextEntry: Int64 = 0
    private var counts = HistoryCounts()

    init(_ stamp: WriteStamp, _ connection: borrowing Connection) throws {
        self.stamp = stamp
        isKept = try StoreTable.historyTime(connection) > 0
    }

    /// Adds an entry with the prepared statement ``HistoryTable/insert``.
    mutating func add(
        _ record: HistoryRecord, with insertion: inout Statement, _ connection: borrowing Connection
    ) throws {
        guard isKept else { return }
        let change = try begun?.change ?? begin(connection)
        try insertion.bind(nextEntry, at: 1)
        try insertion.bind(change, at: 2)
        try insertion.bind(record.kind.rawValue, at: 3)
        try insertion.bind(record.profileIDs.lowerBound, at: 4)
        if record.profileIDs.count == 1 {
            try insertion.bindNull(at: 5)
        } else {
            try insertion.bind(record.profileIDs.upperBound, at: 5)
        }
        if let revision = record.revision { try insertion.bind(revision, at: 6) } else { try insertion.bindNull(at: 6) }
        try insertion.bind(stamp.time.millisecondsSince1970, at: 7)
        try insertion.bind(record.username, at: 8)
        if record.values.utf8.isEmpty {
            try insertion.bindNull(at: 9)
            try insertion.run()
        } else {
            try record.values.utf8.withUnsafeBufferPointer { bytes throws(SQLiteError) in
                try insertion.bindUncopied(text: bytes, at: 9)
                try insertion.run()
            }
        }
        nextEntry += 1
        counts.add(record)
    }

    /// Returns the number of the change: the number of its row if it already has a row, otherwise a new number. Also
    /// sets the number of the next entry.
    private mutating func begin(_ connection: borrowing Connection) throws -> Int64 {
        var entries = try connection.prepare("SELECT ifnull(max(entry), 0) FROM history")
        nextEntry = try ProfileStoreError.number(after: entries.step() ? entries.integer(at: 0) : 0, "history")
        let known = try stamp.origin.key.flatMap { try Self.change(ofKey: $0, connection) }
        var changes = try connection.prepare("SELECT ifnull(max(number), 0) FROM history_changes")
        let newest = try changes.step() ? changes.integer(at: 0) : 0
        let number = try known ?? ProfileStoreError.number(after: newest, "history_changes")
        begun = (number, known == nil, nextEntry)
        return number
    }

    private static func change(
        ofKey key: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int64? {
        var rows = try connection.prepare("SELECT number FROM history_changes WHERE key = ?1", key)
        return try rows.step() ? rows.integer(at: 0) : nil
    }

    /// Writes the row of the change. Also removes expired entries if the transaction added several entries, and after
    /// every 16th change. A removal can remove more entries than were added since the previous removal. So the history
    /// does not grow without limit, even if no process calls ``SQLiteEngine/removeExpired(at:)``.
    func end(_ connection: borrowing Connection) throws {
        guard let (change, isNew, firstEntry) = begun else { return }
        if isNew {
            let origin = stamp.origin
            try connection.run(
                """
                INSERT INTO history_changes (
                    number, key, made_at, author, command, source, undoes, added, updated, removed, first_entry,
                    last_entry)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                """, change, origin.key, stamp.time.millisecondsSince1970, stamp.author?.name, origin.command,
                origin.source, origin.undoes, counts.added, counts.updated, counts.removed, firstEntry, nextEntry - 1)
        } else {
            try connection.run(
                """
                UPDATE history_changes
                SET added = added + ?2, updated = updated + ?3, removed = removed + ?4, last_entry = ?5
                WHERE number = ?1
                """, change, counts.added, counts.updated, counts.removed, nextEntry - 1)
        }
        let added = Int(nextEntry - firstEntry)
        guard added > 1 || change % 16 == 0 else { return }
        try HistoryTable.removeExpired(at: stamp.time, atMost: 2 * added + 64, connection)
    }
}
