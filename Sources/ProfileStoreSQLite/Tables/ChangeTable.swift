internal import ProfileStore
internal import SQLiteAccess

/// The table `changes`: the log of changes to profiles and rules, for callers that watch the store (R7).
///
/// A change has only one row, even if the change is an import of millions of profiles. Numbers have no gaps. The oldest
/// rows are removed.
enum ChangeTable {
    /// Appends a change to the log, within the change's transaction.
    ///
    /// - Parameters:
    ///   - kind: The kind of change. `missed` cannot be stored.
    ///   - profileIDs: The changed profile, or a range that contains the ids of the changed profiles. Nil only for
    ///     `adopted`.
    ///   - stamp: The time and the author.
    ///   - most: The number of newest changes to keep. For some time, the log may contain up to 1 % more changes.
    ///   - connection: The writer's connection.
    /// - Throws: Errors of SQLite. The caller then rolls the transaction back.
    static func append(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp, keeping most: Int,
        _ connection: borrowing Connection
    ) throws {
        let number = try StoreTable.countChange(connection)
        try connection.run(
            """
            INSERT INTO changes (number, kind, first_profile_id, last_profile_id, changed_at, author)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """, number, kind.rawValue, profileIDs?.lowerBound, profileIDs?.upperBound,
            stamp.time.millisecondsSince1970, stamp.author?.name)
        // Old rows are not removed with each change, because each removal would also write the page with the oldest
        // rows.
        let most = Int64(max(1, most))
        if number % max(1, most / 100) == 0 { try prune(upTo: number - most, connection) }
    }

    /// Returns the changes after a number, oldest first. A change of a single profile contains the profile's current
    /// username and revision.
    ///
    /// - Returns: At most `limit` changes. Returns one change of the kind `missed` in two cases: the log no longer
    ///   contains the next number, or the store is an older copy that does not have `number` yet.
    static func changes(
        after number: Int64, limit: Int, _ connection: borrowing Connection
    ) throws -> [ProfileChange] {
        let newest = try StoreTable.changeNumber(connection)
        var changes: [ProfileChange] = []
        if number < newest {
            var statement = try connection.prepare(
                """
                SELECT changes.number, kind, first_profile_id, last_profile_id, changed_at, username, revision, author
                FROM changes LEFT JOIN profiles ON id = first_profile_id AND first_profile_id = last_profile_id
                WHERE changes.number > ?1 ORDER BY changes.number LIMIT ?2
                """, number, limit)
            while try statement.step() { changes.append(change(in: statement)) }
        }
        return changes.following(number, newest: newest)
    }

    /// Empties the log, within a transaction, and makes the change number greater than `number`. Every caller that
    /// watches the store then learns that it has missed changes.
    static func beginAnew(after number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM changes")
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
        try connection.run("DELETE FROM changes WHERE number <= ?1", number)
    }
}
