internal import ProfileStore
internal import SQLiteAccess

/// The table `resets`: leave to set a password. A row goes with its profile, by a foreign key.
enum ResetTable {
    /// The reset of a token, unless it has expired.
    static func live(
        _ token: TokenHash, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> PasswordReset? {
        var statement = try connection.prepare(
            """
            SELECT profile_id, username, resets.created_at, expires_at
            FROM resets CROSS JOIN profiles ON profiles.id = profile_id WHERE hash = ?1 AND expires_at > ?2
            """)
        try statement.bind(token.text, at: 1)
        try statement.bind(time.millisecondsSince1970, at: 2)
        guard try statement.step() else { return nil }
        return PasswordReset(
            profileID: statement.integer(at: 0), username: statement.string(at: 1) ?? "",
            createdAt: statement.time(at: 2), expiresAt: statement.time(at: 3))
    }

    // MARK: Writing, within a transaction

    /// Keeps one, in the place of the profile's former one.
    static func put(
        _ reset: PasswordReset, _ token: TokenHash, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        var statement = try connection.prepare(
            """
            INSERT INTO resets (profile_id, hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (profile_id) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at,
                expires_at = excluded.expires_at
            """)
        try statement.bind(reset.profileID, at: 1)
        try statement.bind(token.text, at: 2)
        try statement.bind(reset.createdAt.millisecondsSince1970, at: 3)
        try statement.bind(reset.expiresAt.millisecondsSince1970, at: 4)
        try statement.run()
    }

    static func remove(of profileID: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("DELETE FROM resets WHERE profile_id = ?1")
        try statement.bind(profileID, at: 1)
        try statement.run()
    }

    static func removeAll(_ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM resets")
    }

    /// Removes some of those that have expired.
    ///
    /// - Returns: How many.
    static func removeExpired(
        at time: Timestamp, atMost limit: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int {
        var statement = try connection.prepare(
            """
            DELETE FROM resets WHERE profile_id IN (
                SELECT profile_id FROM resets WHERE expires_at <= ?1 ORDER BY expires_at, profile_id LIMIT ?2)
            """)
        try statement.bind(time.millisecondsSince1970, at: 1)
        try statement.bind(limit, at: 2)
        try statement.run()
        return Int(connection.changes)
    }
}
