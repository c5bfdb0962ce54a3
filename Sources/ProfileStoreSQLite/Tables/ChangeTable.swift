internal import ProfileStore
internal import SQLiteAccess

/// The table `changes`: what happened to profiles and rules, for those who watch the store (R7).
///
/// A change is one row, also that of an import of millions. Numbers have no gaps; the oldest rows go.
enum ChangeTable {
    /// Puts a change at the end of the log, within its transaction.
    ///
    /// - Parameters:
    ///   - kind: What happened; `missed` is none that is kept.
    ///   - profileIDs: The profiles, or a range in which they lie; nil for `adopted` alone.
    ///   - stamp: When, and by whom.
    ///   - most: How many of the newest changes are kept.
    ///   - connection: The writer's.
    /// - Throws: What SQLite refuses; the transaction is then undone.
    static func append(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp, keeping most: Int,
        _ connection: borrowing Connection
    ) throws(SQLiteError) {
        let number = try StoreTable.countChange(connection)
        var statement = try connection.prepare(
            """
            INSERT INTO changes (number, kind, first_profile_id, last_profile_id, changed_at, author)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        try statement.bind(number, at: 1)
        try statement.bind(kind.rawValue, at: 2)
        if let profileIDs {
            try statement.bind(profileIDs.lowerBound, at: 3)
            try statement.bind(profileIDs.upperBound, at: 4)
        }
        try statement.bind(stamp.time.millisecondsSince1970, at: 5)
        if let author = stamp.author { try statement.bind(author.name, at: 6) }
        try statement.run()
        // Now and then only, since the oldest rows lie on a page that nothing else touches.
        let most = Int64(max(1, most))
        if number % max(1, most / 100) == 0 { try prune(upTo: number - most, connection) }
    }

    /// What came after a number, oldest first, with what is known now of a profile that is alone in its change.
    ///
    /// - Returns: At most `limit` changes. When the log has no such number any more, or the store is a copy from before
    ///   it, one change of the kind `missed`.
    static func changes(
        after number: Int64, limit: Int, _ connection: borrowing Connection
    ) throws(SQLiteError) -> [ProfileChange] {
        let newest = try StoreTable.changeNumber(connection)
        guard newest != number else { return [] }
        var changes: [ProfileChange] = []
        if number < newest {
            var statement = try connection.prepare(
                """
                SELECT changes.number, kind, first_profile_id, last_profile_id, changed_at, username, revision, author
                FROM changes LEFT JOIN profiles ON id = first_profile_id AND first_profile_id = last_profile_id
                WHERE changes.number > ?1 ORDER BY changes.number LIMIT ?2
                """)
            try statement.bind(number, at: 1)
            try statement.bind(Int64(limit), at: 2)
            // Numbers have no gap: what comes after one is part of another log.
            while try statement.step(), statement.integer(at: 0) == number + 1 + Int64(changes.count) {
                changes.append(change(in: statement))
            }
        }
        return changes.isEmpty ? [.missed(upTo: newest)] : changes
    }

    /// Empties the log, within a transaction, and goes on with a number above this one: whoever watches has missed
    /// something, wherever they are.
    static func beginAnew(after number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var deletion = try connection.prepare("DELETE FROM changes")
        try deletion.run()
        try StoreTable.setChangeNumber(number + 1, connection)
    }

    private static func change(in row: borrowing Statement) -> ProfileChange {
        let first = row.integer(at: 2)
        return ProfileChange(
            number: row.integer(at: 0), kind: row.string(at: 1).flatMap(ProfileChange.Kind.init) ?? .missed,
            profileIDs: row.isNull(at: 2) ? nil : first...max(first, row.integer(at: 3)),
            username: row.string(at: 5), revision: row.isNull(at: 6) ? nil : row.integer(at: 6),
            changedAt: Timestamp(millisecondsSince1970: row.integer(at: 4)), author: row.string(at: 7))
    }

    private static func prune(upTo number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("DELETE FROM changes WHERE number <= ?1")
        try statement.bind(number, at: 1)
        try statement.run()
    }
}
