internal import PostgresAccess
internal import ProfileStore

/// The table `changes`: what happened to profiles and rules, for those who watch the store (R7).
///
/// Who writes a change does not number it, since all writers would then wait for one row. Who reads the log takes that row
/// and numbers what has been committed by then, in the order in which it was written.
enum ChangeTable {
    /// Puts a change into the log, as the last that its transaction does: what it is about is locked by then, so that a
    /// later change of the same profile gets a later time.
    static func append(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp, write: String, part: Int
    ) -> Command {
        Command(
            """
            INSERT INTO changes
                (write, part, written_at, kind, first_profile_id, last_profile_id, changed_at, author)
            VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $3, $4, $5, $6, $7)
            """,
            [
                .text(write), .number(Int64(part)), .text(kind.rawValue), .number(profileIDs?.lowerBound),
                .number(profileIDs?.upperBound), .number(stamp.time.millisecondsSince1970), .text(stamp.author?.name),
            ])
    }

    static let selectNumber = "SELECT value FROM counters WHERE name = 'change_number'"

    /// Whether there is a change without a number, and the number of the newest one that has one.
    static let selectState = """
        SELECT value, EXISTS (SELECT 1 FROM changes WHERE number IS NULL) FROM counters WHERE name = 'change_number'
        """

    /// Numbers what is committed, and forgets what is too old.
    ///
    /// - Returns: The number of the newest change.
    static func number(_ transaction: Transaction, keeping most: Int) async throws -> Int64 {
        // Under this lock: the next statement sees all that was committed before.
        let before = try await transaction.run(selectNumber + " FOR UPDATE").number(0, 0) ?? 0
        let numbered = try await transaction.run(
            """
            WITH new AS (
                SELECT write, part, row_number() OVER (ORDER BY written_at, write, part) AS place
                FROM changes WHERE number IS NULL)
            UPDATE changes SET number = $1::bigint + new.place FROM new
            WHERE changes.write = new.write AND changes.part = new.part
            """, [.number(before)]
        ).affectedCount
        guard numbered > 0 else { return before }
        let newest = before + Int64(numbered)
        try await transaction.run([
            Command("UPDATE counters SET value = $1 WHERE name = 'change_number'", [.number(newest)]),
            Command("DELETE FROM changes WHERE number <= $1", [.number(newest - Int64(max(1, most)))]),
        ])
        return newest
    }

    /// What came after a number, oldest first, with what is known now of a profile that is alone in its change.
    static func select(after number: Int64, limit: Int) -> Command {
        Command(
            """
            SELECT changes.number, kind, first_profile_id, last_profile_id, changed_at, username, revision, author
            FROM changes LEFT JOIN profiles ON id = first_profile_id AND first_profile_id = last_profile_id
            WHERE changes.number > $1 ORDER BY changes.number LIMIT $2
            """, [.number(number), .number(Int64(limit))])
    }

    static func changes(in rows: Rows, after number: Int64) -> [ProfileChange] {
        var changes: [ProfileChange] = []
        for row in 0..<rows.count {
            // Numbers have no gap: what comes after one is part of another log.
            guard rows.number(row, 0) == number + 1 + Int64(changes.count) else { break }
            changes.append(change(in: rows, row))
        }
        return changes
    }

    private static func change(in rows: Rows, _ row: Int) -> ProfileChange {
        let first = rows.number(row, 2)
        return ProfileChange(
            number: rows.number(row, 0) ?? 0, kind: rows.text(row, 1).flatMap(ProfileChange.Kind.init) ?? .missed,
            profileIDs: first.map { $0...max($0, rows.number(row, 3) ?? $0) },
            username: rows.text(row, 5), revision: rows.number(row, 6),
            changedAt: rows.time(row, 4), author: rows.text(row, 7))
    }
}
