internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// The table `keyed_writes`: the results of writes with an idempotency key, for clients that repeat a write.
enum KeyedWriteTable {
    /// Returns the result of an earlier write with the request's key. Nil if there is no such write, or if its key has
    /// expired.
    ///
    /// - Throws: `keyReused` if the earlier write was a different request.
    static func outcome(
        of request: KeyedRequest, at time: Timestamp, under schema: ProfileSchema, _ connection: borrowing Connection
    ) throws -> KeyedOutcome? {
        var statement = try connection.prepare(
            "SELECT request, outcome FROM keyed_writes WHERE key = ?1 AND written_at > ?2", request.key.text,
            WriteKey.forgotten(at: time).millisecondsSince1970)
        guard try statement.step() else { return nil }
        return try request.outcome(of: statement.string(at: 0), stored: statement.string(at: 1), under: schema)
    }

    /// Within the transaction of a write, stores the result of the write and removes a few expired results.
    static func remember(
        _ outcome: KeyedOutcome, of request: KeyedRequest, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        try forget(upTo: WriteKey.forgotten(at: time), connection)
        try connection.run(
            "INSERT OR REPLACE INTO keyed_writes (key, request, outcome, written_at) VALUES (?1, ?2, ?3, ?4)",
            request.key.text, request.fingerprint, outcome.stored, time.millisecondsSince1970)
    }

    // MARK: Unfinished copies

    /// Returns the fingerprint of the source if this store is an unfinished copy; otherwise nil.
    static func unfinishedCopy(_ connection: borrowing Connection) throws(SQLiteError) -> String? {
        var statement = try connection.prepare("SELECT request FROM keyed_writes WHERE key = ?1", copyKey)
        return try statement.step() ? statement.string(at: 0) : nil
    }

    /// Stores the fingerprint of the source of an unfinished copy, within a transaction. If `fingerprint` is nil, the
    /// stored fingerprint is removed.
    ///
    /// The row has the latest possible time. Every version of this program deletes only rows that are older than a time
    /// limit. So this row stays until the copy is complete.
    static func setUnfinishedCopy(of fingerprint: String?, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM keyed_writes WHERE key = ?1", copyKey)
        guard let fingerprint else { return }
        try connection.run(
            "INSERT INTO keyed_writes (key, request, outcome, written_at) VALUES (?1, ?2, 'null', ?3)", copyKey,
            fingerprint, Int64.max)
    }

    /// The key of the row for an unfinished copy. A caller's key contains no space, so it cannot equal this key.
    private static let copyKey = " copy"

    /// Removes the results that contain the profile with this id.
    ///
    /// - Returns: Whether there were any.
    static func erase(_ id: Int64, _ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        let beginning = KeyedOutcome.storedBeginning(ofProfile: id)
        try connection.run(
            "DELETE FROM keyed_writes WHERE substr(outcome, 1, length(?1)) = ?1", beginning)
        return connection.changes > 0
    }

    // MARK: Expired results

    private static func forget(upTo time: Timestamp, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run(
            """
            DELETE FROM keyed_writes WHERE key IN (
                SELECT key FROM keyed_writes WHERE written_at <= ?1 ORDER BY written_at LIMIT ?2)
            """, time.millisecondsSince1970, mostForgotten)
    }

    /// The maximum number of expired results that one write removes. Each write adds one result, so the limit must be
    /// more than 1. The limit is small, so the removal hardly delays the write.
    private static let mostForgotten: Int64 = 8
}
