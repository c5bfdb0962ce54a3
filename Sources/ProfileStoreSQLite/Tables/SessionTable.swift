internal import ProfileStore
internal import SQLiteAccess

/// The table `sessions`: who is logged in. A row goes with its profile, by a foreign key.
enum SessionTable {
    // Whose names come last: SQLite would otherwise begin with all profiles.
    private static let selection = """
        SELECT hash, profile_id, username, label, sessions.created_at, last_used_at, idle_expires_at, expires_at, idle_time
        FROM sessions CROSS JOIN profiles ON profiles.id = profile_id
        """

    static let selectByHash = selection + " WHERE hash = ?1 AND idle_expires_at > ?2"

    static let selectOfProfile =
        selection + " WHERE profile_id = ?1 AND hash > ?2 AND idle_expires_at > ?3 ORDER BY hash LIMIT ?4"

    static let selectAll =
        selection
        + " WHERE (profile_id, hash) > (?1, ?2) AND idle_expires_at > ?3 ORDER BY profile_id, hash LIMIT ?4"

    // MARK: Reading

    /// The session of a token, unless it has expired.
    static func live(
        _ token: TokenHash, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Session? {
        var statement = try connection.prepare(selectByHash)
        try statement.bind(token.text, at: 1)
        try statement.bind(time.millisecondsSince1970, at: 2)
        return try statement.step() ? session(in: statement) : nil
    }

    /// Sessions that have not expired, of one profile or of all.
    static func live(
        of profileID: Int64?, after last: Session?, limit: Int, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> [Session] {
        var statement = try connection.prepare(profileID == nil ? selectAll : selectOfProfile)
        try statement.bind(profileID ?? last?.profileID ?? .min, at: 1)
        try statement.bind(last.map { end(of: $0.id) } ?? "", at: 2)
        try statement.bind(time.millisecondsSince1970, at: 3)
        try statement.bind(Int64(limit), at: 4)
        var sessions: [Session] = []
        while try statement.step() { sessions.append(session(in: statement)) }
        return sessions
    }

    private static func session(in row: borrowing Statement) -> Session {
        Session(
            id: TokenHash(stored: row.string(at: 0) ?? "").id, profileID: row.integer(at: 1),
            username: row.string(at: 2) ?? "", label: row.string(at: 3).flatMap(AccountLabel.init(fitting:)),
            createdAt: row.time(at: 4), lastUsedAt: row.time(at: 5), idleExpiresAt: row.time(at: 6),
            expiresAt: row.time(at: 7), idleTime: row.integer(at: 8))
    }

    /// What comes after every hash that begins with the digits of an id.
    private static func end(of id: TokenID) -> String { id.description + "g" }

    // MARK: Writing, within a transaction

    /// Adds a session to those of a profile, and removes what has to give way.
    static func start(
        _ session: NewSession, of profileID: Int64, _ username: String, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Session {
        _ = try removeExpired(at: session.createdAt, atMost: mostRemovedByTheWay, connection)
        try makeRoom(for: session, of: profileID, connection)
        var statement = try connection.prepare(
            """
            INSERT INTO sessions (hash, profile_id, label, created_at, last_used_at, idle_time, idle_expires_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7)
            """)
        try statement.bind(session.hash.text, at: 1)
        try statement.bind(profileID, at: 2)
        try statement.bind(session.label?.text, at: 3)
        try statement.bind(session.createdAt.millisecondsSince1970, at: 4)
        try statement.bind(session.idleTime, at: 5)
        try statement.bind(session.idleExpiresAt.millisecondsSince1970, at: 6)
        try statement.bind(session.expiresAt.millisecondsSince1970, at: 7)
        try statement.run()
        return session.session(of: profileID, username)
    }

    /// Writes down a use, and moves the expiry. A session that has expired by then stays so.
    static func note(_ use: TokenUse, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare(
            """
            UPDATE sessions SET last_used_at = ?2, idle_expires_at = min(?2 + idle_time, expires_at)
            WHERE hash = ?1 AND last_used_at < ?2 AND idle_expires_at > ?2
            """)
        try statement.bind(use.hash.text, at: 1)
        try statement.bind(use.time.millisecondsSince1970, at: 2)
        try statement.run()
    }

    /// Removes a session, and gives it unless it had expired.
    static func remove(
        _ id: TokenID, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Session? {
        var found: Session?
        do {
            var selection = try connection.prepare(selection + " WHERE hash > ?1 AND hash < ?2")
            try selection.bind(id.description, at: 1)
            try selection.bind(end(of: id), at: 2)
            if try selection.step() { found = session(in: selection) }
        }
        guard let found else { return nil }
        var deletion = try connection.prepare("DELETE FROM sessions WHERE hash > ?1 AND hash < ?2")
        try deletion.bind(id.description, at: 1)
        try deletion.bind(end(of: id), at: 2)
        try deletion.run()
        return found.isExpired(at: time) ? nil : found
    }

    static func removeAll(of profileID: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("DELETE FROM sessions WHERE profile_id = ?1")
        try statement.bind(profileID, at: 1)
        try statement.run()
    }

    static func removeAll(_ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM sessions")
    }

    /// Removes some of those that have expired.
    ///
    /// - Returns: How many.
    static func removeExpired(
        at time: Timestamp, atMost limit: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int {
        var statement = try connection.prepare(
            """
            DELETE FROM sessions WHERE hash IN (
                SELECT hash FROM sessions WHERE idle_expires_at <= ?1 ORDER BY idle_expires_at, hash LIMIT ?2)
            """)
        try statement.bind(time.millisecondsSince1970, at: 1)
        try statement.bind(limit, at: 2)
        try statement.run()
        return Int(connection.changes)
    }

    /// Leaves a profile as many sessions as it may have beside one more, those that were used last.
    private static func makeRoom(
        for session: NewSession, of profileID: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        var statement = try connection.prepare(
            """
            DELETE FROM sessions WHERE hash IN (
                SELECT hash FROM sessions WHERE profile_id = ?1 ORDER BY last_used_at DESC, hash LIMIT -1 OFFSET ?2)
            """)
        try statement.bind(profileID, at: 1)
        try statement.bind(Int64(session.mostOfProfile - 1), at: 2)
        try statement.run()
    }

    /// Only a few, since everybody waits meanwhile: each start of a session removes more than it adds.
    private static let mostRemovedByTheWay: Int64 = 8
}

extension Statement {
    /// The column as a moment; it must not be NULL.
    func time(at column: Int) -> Timestamp { Timestamp(millisecondsSince1970: integer(at: column)) }
}
