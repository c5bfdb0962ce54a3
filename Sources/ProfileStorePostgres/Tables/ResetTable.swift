internal import PostgresAccess
internal import ProfileStore

/// The table `resets`: leave to set a password. A row goes with its profile, by a foreign key.
enum ResetTable {
    /// The reset of a token, unless it has expired.
    static func selectLive(_ token: TokenHash, at time: Timestamp) -> Command {
        Command(
            """
            SELECT profile_id, username, resets.created_at, expires_at
            FROM resets JOIN profiles ON profiles.id = profile_id WHERE hash = $1 AND expires_at > $2
            """, [.text(token.text), .number(time.millisecondsSince1970)])
    }

    static func reset(in rows: Rows) -> PasswordReset? {
        guard !rows.isEmpty else { return nil }
        return PasswordReset(
            profileID: rows.number(0, 0) ?? 0, username: rows.text(0, 1) ?? "", createdAt: rows.time(0, 2),
            expiresAt: rows.time(0, 3))
    }

    /// Keeps one, in the place of the profile's former one.
    static func put(_ reset: PasswordReset, _ token: TokenHash) -> Command {
        Command(
            """
            INSERT INTO resets (profile_id, hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (profile_id) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at,
                expires_at = excluded.expires_at
            """,
            [
                .number(reset.profileID), .text(token.text), .number(reset.createdAt.millisecondsSince1970),
                .number(reset.expiresAt.millisecondsSince1970),
            ])
    }

    static func remove(of profileID: Int64) -> Command {
        Command("DELETE FROM resets WHERE profile_id = $1", [.number(profileID)])
    }

    /// Removes some of those that have expired and that nobody else is at.
    static func removeExpired(at time: Timestamp, atMost limit: Int64) -> Command {
        Command(
            """
            DELETE FROM resets WHERE profile_id IN (
                SELECT profile_id FROM resets WHERE expires_at <= $1 ORDER BY expires_at, profile_id LIMIT $2
                FOR UPDATE SKIP LOCKED)
            """, [.number(time.millisecondsSince1970), .number(limit)])
    }
}
