internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The tables `history_changes` and `history`: the contents of profiles before each change (D1).
///
/// Each process reserves blocks of change numbers, so a later change may have a smaller number. Therefore lists are
/// sorted by time.
enum HistoryTable {
    /// Adds entries to the history. If the store keeps no history, the command adds nothing.
    ///
    /// - Parameters:
    ///   - records: The entries.
    ///   - stamp: The time, author and origin of the change.
    ///   - number: The number for the change. If an earlier transaction has already stored a part of the same change,
    ///     the command uses the stored number instead.
    /// - Returns: The command; nothing if there are no entries.
    static func append(_ records: [HistoryRecord], _ stamp: WriteStamp, number: Int64) -> [Command] {
        guard !records.isEmpty else { return [] }
        let counts = HistoryCounts(of: records)
        return [
            Command(
                """
                WITH change AS (
                    INSERT INTO history_changes (
                        number, key, made_at, author, command, source, undoes, added, updated, removed)
                    SELECT $1, $2::bigint, $3, $4, $5, $6, $16::bigint, $13::bigint, $14::bigint, $15::bigint
                    FROM store WHERE history_time > 0
                    ON CONFLICT (key) WHERE key IS NOT NULL DO UPDATE
                    SET added = history_changes.added + excluded.added,
                        updated = history_changes.updated + excluded.updated,
                        removed = history_changes.removed + excluded.removed
                    RETURNING number),
                earlier AS (
                    SELECT coalesce(max(part), 0) AS parts FROM history WHERE change_number = (SELECT number FROM change))
                INSERT INTO history (
                    change_number, part, kind, first_profile_id, last_profile_id, revision, changed_at, username, recorded)
                SELECT change.number, earlier.parts + new.place, new.kind, new.first_id, new.last_id, new.revision, $3,
                    new.username, new.recorded
                FROM change, earlier, unnest(
                    $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[]
                ) WITH ORDINALITY AS new (kind, first_id, last_id, revision, username, recorded, place)
                """,
                [
                    .number(number), .number(stamp.origin.key), .number(stamp.time.millisecondsSince1970),
                    .text(stamp.author?.name), .text(stamp.origin.command), .text(stamp.origin.source),
                    .texts(records.map(\.kind.rawValue)), .numbers(records.map(\.profileIDs.lowerBound)),
                    .numbers(records.map(\.profileIDs.upperBound)), .optionalNumbers(records.map(\.revision)),
                    .texts(records.map { $0.username.map(ProfileTable.key) }),
                    .texts(records.map(\.values.stored)), .number(Int64(counts.added)),
                    .number(Int64(counts.updated)), .number(Int64(counts.removed)), .number(stamp.origin.undoes),
                ])
        ]
    }

    // MARK: Reading

    private static let selection = """
        SELECT change_number, part, kind, first_profile_id, last_profile_id, revision, changed_at, recorded, author, command,
            undoes
        FROM history JOIN history_changes ON number = change_number WHERE changed_at > $1
        """
    private static let order = "ORDER BY changed_at DESC, change_number DESC, part DESC"

    /// Returns the commands that select the entries of a list, newest first. If there are two commands, the list
    /// contains the entries of the first command before those of the second.
    static func select(_ list: HistoryList, after expired: Int64) -> [Command] {
        let after = list.start(after: expired)
        let limit = Int64(list.limit)
        switch list.subject {
        case .all:
            let place = list.after
            return [
                Command(
                    selection + " AND (changed_at, change_number, part) < ($2, $3, $4) \(order) LIMIT $5",
                    [
                        .number(after), .number(place?.changedAt.millisecondsSince1970 ?? .max),
                        .number(place?.change ?? .max), .number(place?.part ?? .max), .number(limit),
                    ])
            ]
        case .change(let number):
            return [
                Command(
                    selection + " AND change_number = $2 AND part < $3 ORDER BY part DESC LIMIT $4",
                    [.number(after), .number(number), .number(list.after?.part ?? .max), .number(limit)])
            ]
        case .removals(let username):
            return [
                Command(
                    selection + " AND username = $2 \(order) LIMIT $3",
                    [.number(after), .text(ProfileTable.key(of: username)), .number(limit)])
            ]
        case .profile(let id):
            return [
                Command(
                    selection + " AND first_profile_id = $2 \(order) LIMIT $3",
                    [.number(after), .number(id), .number(limit)]),
                // Of the imports whose first id is smaller than this profile's id, only the one with the greatest first
                // id can contain this profile, because the id ranges of imports do not overlap.
                Command(
                    "SELECT * FROM (\(selection) AND kind = 'imported' AND first_profile_id < $2 "
                        + "ORDER BY first_profile_id DESC LIMIT 1) AS import WHERE last_profile_id >= $2",
                    [.number(after), .number(id)]),
            ]
        }
    }

    static func entry(
        in rows: Rows, _ row: Int, under schema: ProfileSchema
    ) throws(ProfileStoreError) -> HistoryEntry {
        let first = rows.number(row, 3) ?? 0
        return try HistoryEntry(
            change: rows.number(row, 0) ?? 0, part: rows.number(row, 1) ?? 0, kind: rows.text(row, 2),
            profileIDs: first...max(first, rows.number(row, 4) ?? first), revision: rows.number(row, 5),
            changedAt: rows.time(row, 6), recorded: rows.text(row, 7), author: rows.text(row, 8),
            command: rows.text(row, 9), undoes: rows.number(row, 10), under: schema)
    }

    /// Selects the changes of a list with their counts, newest first.
    static func select(_ list: HistoryChangeList, after expired: Int64) -> Command {
        Command(
            """
            SELECT number, made_at, author, command, source, undoes, added, updated, removed FROM history_changes
            WHERE made_at > $1 AND ($2::bigint = 0 OR source IS NOT NULL) AND number = coalesce($4::bigint, number)
            ORDER BY made_at DESC, number DESC LIMIT $3
            """,
            [
                .number(expired), .number(list.onlyImports ? 1 : 0), .number(Int64(list.limit)),
                .number(list.number),
            ])
    }

    static func change(in rows: Rows, _ row: Int) -> HistoryChange {
        HistoryChange(
            number: rows.number(row, 0) ?? 0, madeAt: rows.time(row, 1), author: rows.text(row, 2),
            command: rows.text(row, 3), source: rows.text(row, 4), undoes: rows.number(row, 5),
            added: Int(rows.number(row, 6) ?? 0), updated: Int(rows.number(row, 7) ?? 0),
            removed: Int(rows.number(row, 8) ?? 0))
    }

    /// Selects the time for which the history is kept, in milliseconds.
    static let selectTime = "SELECT history_time FROM store"

    static func settingTime(_ milliseconds: Int64) -> Command {
        Command("UPDATE store SET history_time = $1", [.number(milliseconds)])
    }

    /// Finds out which of these removals are in the history, and selects the ids and revisions of their profiles. Locks
    /// the entries, so that nothing erases them meanwhile.
    static func selectRemovals(_ removed: [ConditionalWrites.RemovedProfile]) -> Command {
        Command(
            """
            SELECT first_profile_id, history.revision FROM history
            JOIN unnest($1::bigint[], $2::bigint[]) AS known (id, revision)
                ON first_profile_id = known.id AND history.revision = known.revision
            WHERE kind = 'removed' ORDER BY change_number, part FOR UPDATE OF history
            """, [.numbers(removed.map(\.id)), .numbers(removed.map(\.revision))])
    }

    // MARK: Removing

    /// Selects a limit: entries with this time or an earlier time have expired at the time `$1`. Because the limit is a
    /// single value, a comparison with it can use an index of the times; see
    /// ``/ProfileStore/Timestamp/historyExpiry(keepingFor:)``.
    private static let selectExpiry = """
        SELECT CASE WHEN history_time = 0 THEN \(Int64.max) ELSE $1::bigint - history_time END FROM store
        """

    /// Deletes expired entries, the oldest first. Rows that another transaction has locked are skipped.
    static func removeExpired(at time: Timestamp, atMost most: Int) -> Command {
        Command(
            """
            DELETE FROM history WHERE (change_number, part) IN (
                SELECT change_number, part FROM history
                WHERE changed_at <= (\(selectExpiry))
                ORDER BY changed_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            """, [.number(time.millisecondsSince1970), .number(Int64(most))])
    }

    /// Deletes expired changes that have no entries.
    static func removeExpiredChanges(at time: Timestamp, atMost most: Int) -> Command {
        Command(
            """
            DELETE FROM history_changes WHERE number IN (
                SELECT number FROM history_changes
                WHERE made_at <= (\(selectExpiry))
                AND NOT EXISTS (SELECT 1 FROM history WHERE change_number = number)
                ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            """, [.number(time.millisecondsSince1970), .number(Int64(most))])
    }

    /// Selects the usernames under which a profile was removed.
    static func selectRemovedNames(of id: Int64) -> Command {
        Command(
            "SELECT username FROM history WHERE first_profile_id = $1 AND username IS NOT NULL", [.number(id)])
    }

    /// Deletes the history of a profile. A row of an import with several new profiles contains no data of the profile,
    /// so it stays.
    static func erase(_ id: Int64) -> Command {
        Command("DELETE FROM history WHERE first_profile_id = $1 AND last_profile_id = $1", [.number(id)])
    }

    /// Removes these names from the authors of changes. The names have their ASCII letters in lower case.
    static func forgetAuthors(_ names: [String]) -> [Command] {
        ["changes", "history_changes"].map { table in
            Command(
                "UPDATE \(table) SET author = NULL WHERE lower(author COLLATE \"C\") = ANY ($1::text[])",
                [.texts(names)])
        }
    }
}
