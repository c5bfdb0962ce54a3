internal import PostgresAccess
internal import ProfileStore

/// The table `sessions`: who is logged in. A row goes with its profile, by a foreign key.
enum SessionTable {
    private static let columns =
        "hash, profile_id, username, label, sessions.created_at, last_used_at, idle_expires_at, expires_at, idle_time"
    private static let selection =
        "SELECT \(columns) FROM sessions JOIN profiles ON profiles.id = profile_id"

    // MARK: Reading

    /// The session of a token, unless it has expired.
    static func selectLive(_ token: TokenHash, at time: Timestamp) -> Command {
        Command(
            selection + " WHERE hash = $1 AND idle_expires_at > $2",
            [.text(token.text), .number(time.millisecondsSince1970)])
    }

    /// Sessions that have not expired, of one profile or of all, by profile and then by id.
    static func selectLive(of profileID: Int64?, after last: Session?, limit: Int, at time: Timestamp) -> Command {
        let place =
            profileID == nil ? "(profile_id, hash) > ($1, $2)" : "profile_id = $1 AND hash > $2"
        return Command(
            selection + " WHERE \(place) AND idle_expires_at > $3 ORDER BY profile_id, hash LIMIT $4",
            [
                .number(profileID ?? last?.profileID ?? .min), .text(last.map { end(of: $0.id) } ?? ""),
                .number(time.millisecondsSince1970), .number(Int64(limit)),
            ])
    }

    static func sessions(in rows: Rows) -> [Session] { (0..<rows.count).map { session(in: rows, $0) } }

    private static func session(in rows: Rows, _ row: Int) -> Session {
        Session(
            id: TokenHash(stored: rows.text(row, 0) ?? "").id, profileID: rows.number(row, 1) ?? 0,
            username: rows.text(row, 2) ?? "", label: rows.text(row, 3).flatMap(AccountLabel.init(fitting:)),
            createdAt: rows.time(row, 4), lastUsedAt: rows.time(row, 5), idleExpiresAt: rows.time(row, 6),
            expiresAt: rows.time(row, 7), idleTime: rows.number(row, 8) ?? 0)
    }

    /// What comes after every hash that begins with the digits of an id.
    static func end(of id: TokenID) -> String { id.description + "g" }

    // MARK: Writing

    /// Adds a session to those of a profile, whose row the transaction holds, and removes what has to give way.
    static func start(
        _ session: NewSession, of profileID: Int64, _ username: String, _ transaction: Transaction
    ) async throws -> Session {
        try await transaction.run([
            removeExpired(at: session.createdAt, atMost: mostRemovedByTheWay),
            Command(
                """
                DELETE FROM sessions WHERE hash IN (
                    SELECT hash FROM sessions WHERE profile_id = $1 ORDER BY last_used_at DESC, hash OFFSET $2)
                """, [.number(profileID), .number(Int64(session.mostOfProfile - 1))]),
            Command(
                """
                INSERT INTO sessions
                    (hash, profile_id, label, created_at, last_used_at, idle_time, idle_expires_at, expires_at)
                VALUES ($1, $2, $3, $4, $4, $5, $6, $7)
                """,
                [
                    .text(session.hash.text), .number(profileID), .text(session.label?.text),
                    .number(session.createdAt.millisecondsSince1970), .number(session.idleTime),
                    .number(session.idleExpiresAt.millisecondsSince1970),
                    .number(session.expiresAt.millisecondsSince1970),
                ]),
        ])
        return session.session(of: profileID, username)
    }

    /// Writes down a use, and moves the expiry. A session that has expired by then stays so.
    static func note(_ use: TokenUse) -> Command {
        Command(
            """
            UPDATE sessions SET last_used_at = $2, idle_expires_at = least($2 + idle_time, expires_at)
            WHERE hash = $1 AND last_used_at < $2 AND idle_expires_at > $2
            """, [.text(use.hash.text), .number(use.time.millisecondsSince1970)])
    }

    /// Finds a session by its id, and holds it.
    static func hold(_ id: TokenID) -> Command {
        Command(
            selection + " WHERE hash > $1 AND hash < $2 FOR UPDATE OF sessions",
            [.text(id.description), .text(end(of: id))])
    }

    static func remove(_ id: TokenID) -> Command {
        Command("DELETE FROM sessions WHERE hash > $1 AND hash < $2", [.text(id.description), .text(end(of: id))])
    }

    static func removeAll(of profileID: Int64) -> Command {
        Command("DELETE FROM sessions WHERE profile_id = $1", [.number(profileID)])
    }

    /// Removes some of those that have expired and that nobody else is at.
    static func removeExpired(at time: Timestamp, atMost limit: Int64) -> Command {
        Command(
            """
            DELETE FROM sessions WHERE hash IN (
                SELECT hash FROM sessions WHERE idle_expires_at <= $1 ORDER BY idle_expires_at, hash LIMIT $2
                FOR UPDATE SKIP LOCKED)
            """, [.number(time.millisecondsSince1970), .number(limit)])
    }

    /// Only a few, so that it takes no longer: each start of a session removes more than it adds.
    private static let mostRemovedByTheWay: Int64 = 8
}
