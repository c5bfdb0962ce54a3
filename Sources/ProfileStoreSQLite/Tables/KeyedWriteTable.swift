internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// The table `keyed_writes`: what came of writes that have a key, for those who repeat them.
enum KeyedWriteTable {
    /// What came of a write that was made with the request's key; nil where none was, or too long ago.
    ///
    /// - Throws: `keyReused` when it was another write.
    static func outcome(
        of request: KeyedRequest, at time: Timestamp, under schema: ProfileSchema, _ connection: borrowing Connection
    ) throws -> KeyedOutcome? {
        var statement = try connection.prepare(
            "SELECT request, outcome FROM keyed_writes WHERE key = ?1 AND written_at > ?2")
        try statement.bind(request.key.text, at: 1)
        try statement.bind(WriteKey.forgotten(at: time).millisecondsSince1970, at: 2)
        guard try statement.step() else { return nil }
        return try request.outcome(of: statement.string(at: 0), stored: statement.string(at: 1), under: schema)
    }

    /// Remembers what came of a write, within its transaction, and forgets a few that are too old.
    static func remember(
        _ outcome: KeyedOutcome, of request: KeyedRequest, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        try forget(upTo: WriteKey.forgotten(at: time), connection)
        var statement = try connection.prepare(
            "INSERT OR REPLACE INTO keyed_writes (key, request, outcome, written_at) VALUES (?1, ?2, ?3, ?4)")
        try statement.bind(request.key.text, at: 1)
        try statement.bind(request.fingerprint, at: 2)
        try statement.bind(outcome.stored, at: 3)
        try statement.bind(time.millisecondsSince1970, at: 4)
        try statement.run()
    }

    // MARK: A copy that is not at its end

    /// The fingerprint of the store of which this one is a copy that is not at its end.
    static func unfinishedCopy(_ connection: borrowing Connection) throws(SQLiteError) -> String? {
        var statement = try connection.prepare("SELECT request FROM keyed_writes WHERE key = ?1")
        try statement.bind(copyKey, at: 1)
        return try statement.step() ? statement.string(at: 0) : nil
    }

    /// Remembers it, within a transaction, or that there is none any more.
    ///
    /// The row's time is the latest there is. Rows are deleted by their age, in programs of every version, so this one
    /// stays until the copy is complete.
    static func setUnfinishedCopy(of fingerprint: String?, _ connection: borrowing Connection) throws(SQLiteError) {
        var removal = try connection.prepare("DELETE FROM keyed_writes WHERE key = ?1")
        try removal.bind(copyKey, at: 1)
        try removal.run()
        guard let fingerprint else { return }
        var statement = try connection.prepare(
            "INSERT INTO keyed_writes (key, request, outcome, written_at) VALUES (?1, ?2, 'null', ?3)")
        try statement.bind(copyKey, at: 1)
        try statement.bind(fingerprint, at: 2)
        try statement.bind(Int64.max, at: 3)
        try statement.run()
    }

    /// No key of a caller's has a space.
    private static let copyKey = " copy"

    // MARK: Room

    private static func forget(upTo time: Timestamp, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare(
            """
            DELETE FROM keyed_writes WHERE key IN (
                SELECT key FROM keyed_writes WHERE written_at <= ?1 ORDER BY written_at LIMIT ?2)
            """)
        try statement.bind(time.millisecondsSince1970, at: 1)
        try statement.bind(mostForgotten, at: 2)
        try statement.run()
    }

    /// As many as one write forgets: more than one, so that they get fewer, and few, so that it takes no longer.
    private static let mostForgotten: Int64 = 8
}
