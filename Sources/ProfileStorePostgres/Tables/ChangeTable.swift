internal import PostgresAccess
internal import ProfileStore

/// The table `changes`: the log of changes to profiles and rules, for clients that watch the store (R7).
///
/// A writer does not number its changes. Otherwise all writers would wait for the same row: the counter of change
/// numbers. A reader of the log locks that row, and numbers the changes that are committed at that time. Writers
/// sometimes number changes too, but they never wait for that lock.
///
/// The changes are sorted by `written_at`, a logical clock. This clock follows the server's clock, but the time of a
/// change is always later than the times of all unnumbered changes that its transaction can see. A logical clock is
/// needed because a server's clock may be set back, and because another server may take over with another clock.
enum ChangeTable {
    /// Inserts a change into the log. The command is among the last commands of its transaction, which has already
    /// locked the profile. So the command sees every earlier change of the profile. It gives this change a later time
    /// than the earlier changes that have no number yet.
    ///
    /// The subquery ignores changes that already have a number, because a new change always gets a higher number. If
    /// the clock was never set back, no row has a time in the future. The subquery then reads one page of an index and
    /// finds nothing.
    static func append(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp, write: String, part: Int
    ) -> Command {
        Command(
            """
            INSERT INTO changes
                (write, part, written_at, kind, first_profile_id, last_profile_id, changed_at, author)
            VALUES ($1, $2,
                greatest(\(now), (SELECT max(written_at) + 1 FROM changes WHERE number IS NULL AND written_at >= \(now))),
                $3, $4, $5, $6, $7)
            """,
            [
                .text(write), .number(Int64(part)), .text(kind.rawValue), .number(profileIDs?.lowerBound),
                .number(profileIDs?.upperBound), .number(stamp.time.millisecondsSince1970), .text(stamp.author?.name),
            ])
    }

    /// The server's clock in microseconds. The value is constant within a statement, so a comparison with this value
    /// can use an index.
    private static let now = "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint"

    private static let selectNumber = "SELECT value FROM counters WHERE name = 'change_number'"

    /// Selects the number of the newest numbered change, and whether a change without a number exists.
    static let selectState = """
        SELECT value, EXISTS (SELECT 1 FROM changes WHERE number IS NULL) FROM counters WHERE name = 'change_number'
        """

    /// The maximum number of changes that one transaction numbers. Numbering them takes some tens of milliseconds, far
    /// less than the wait limit.
    static let mostNumberedAtOnce = 2_000

    /// Assigns numbers to the oldest committed changes that have no number. If such changes exist and the log is too
    /// long, also deletes the oldest rows. Each call is one step. A caller repeats the call until all changes have a
    /// number.
    ///
    /// - Parameters:
    ///   - transaction: The transaction of the step. The caller commits it.
    ///   - most: The number of newest changes to keep.
    ///   - waits: Whether to wait while another transaction numbers changes.
    /// - Returns: The number of the newest numbered change, and whether all changes have a number. Nil if another
    ///   transaction numbers changes and `waits` is false.
    /// - Throws: `corrupt`, or the server's error. The transaction is then rolled back.
    static func number(
        _ transaction: Transaction, keeping most: Int, waits: Bool
    ) async throws -> (newest: Int64, isComplete: Bool)? {
        // The lock makes every earlier commit visible to the next statement.
        let held = try await transaction.run(selectNumber + (waits ? " FOR UPDATE" : " FOR UPDATE SKIP LOCKED"))
        if held.isEmpty, !waits { return nil }
        let before = try newest(in: held)
        let numbered = try await transaction.run(
            """
            WITH new AS (
                SELECT write, part, row_number() OVER (ORDER BY written_at, write, part) AS place
                FROM changes WHERE number IS NULL ORDER BY written_at, write, part LIMIT \(mostNumberedAtOnce))
            UPDATE changes SET number = $1::bigint + new.place FROM new
            WHERE changes.write = new.write AND changes.part = new.part
            """, [.number(before)]
        ).affectedCount
        guard numbered > 0 else { return (before, true) }
        let newest = before + Int64(numbered)
        try await transaction.run([
            Command("UPDATE counters SET value = $1 WHERE name = 'change_number'", [.number(newest)]),
            // A step can delete twice as many rows as it numbers. So a log that is too long becomes shorter.
            Command(
                """
                DELETE FROM changes WHERE number IN (
                    SELECT number FROM changes WHERE number <= $1 ORDER BY number LIMIT \(2 * mostNumberedAtOnce))
                """, [.number(newest - Int64(max(1, most)))]),
        ])
        return (newest, numbered < mostNumberedAtOnce)
    }

    /// The number of the newest numbered change, in rows that ``selectState`` or ``number(_:keeping:waits:)`` selected.
    static func newest(in rows: Rows) throws(ProfileStoreError) -> Int64 {
        rows.isEmpty ? 0 : try ProfileStoreError.counted(rows.number(0, 0), atLeast: 0, "change_number")
    }

    /// Selects the changes after a number, the oldest first. If a change is about a single profile, the row also
    /// contains the profile's current username and revision.
    static func select(after number: Int64, limit: Int) -> Command {
        Command(
            """
            SELECT changes.number, kind, first_profile_id, last_profile_id, changed_at, username, revision, author
            FROM changes LEFT JOIN profiles ON id = first_profile_id AND first_profile_id = last_profile_id
            WHERE changes.number > $1 ORDER BY changes.number LIMIT $2
            """, [.number(number), .number(Int64(limit))])
    }

    static func change(in rows: Rows, _ row: Int) -> ProfileChange {
        let first = rows.number(row, 2)
        return ProfileChange(
            number: rows.number(row, 0) ?? 0, kind: rows.text(row, 1).flatMap(ProfileChange.Kind.init) ?? .missed,
            profileIDs: first.map { $0...max($0, rows.number(row, 3) ?? $0) },
            username: rows.text(row, 5), revision: rows.number(row, 6),
            changedAt: rows.time(row, 4), author: rows.text(row, 7))
    }
}
