internal import ProfileStore
internal import SQLiteAccess

/// The table `tokens`: sessions, access tokens, resets and devices. If a profile is removed, a foreign key also removes
/// the profile's tokens.
enum TokenTable {
    // A field of the schema can have the same name as one of these columns. Then the table `profiles` also has a column
    // with this name. So the subquery qualifies each column with its table.
    private static let columns = """
        hash, kind, profile_id, (SELECT profiles.username FROM profiles WHERE profiles.id = tokens.profile_id),
        name, scopes, created_at, last_used_at, expires_at, idle_time, latest_expiry
        """

    static let selectByHash = "SELECT \(columns) FROM tokens WHERE hash = ?1 AND kind = ?2"

    static let selectAccess = "SELECT \(columns) FROM tokens WHERE kind = 'access' ORDER BY name"

    static let selectOfProfile = """
        SELECT \(columns) FROM tokens
        WHERE profile_id = ?1 AND hash > ?2 AND kind = ?5 AND expires_at > ?3 ORDER BY hash LIMIT ?4
        """

    static let selectOfProfiles = """
        SELECT \(columns) FROM tokens
        WHERE (profile_id, hash) > (?1, ?2) AND kind = ?5 AND expires_at > ?3
        ORDER BY profile_id, hash LIMIT ?4
        """

    // MARK: Reading

    /// Returns the token that has this hash, unless it has expired.
    static func token(
        _ hash: TokenHash, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredToken? {
        var statement = try connection.prepare(selectByHash, hash.text, hash.kind.rawValue)
        guard try statement.step(), let token = token(in: statement), !token.isExpired(at: time) else { return nil }
        return token
    }

    /// Returns the token of this kind that has this id, even if it has expired.
    static func token(
        _ kind: TokenKind, _ id: TokenID, _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredToken? {
        try tokens(
            of: connection.prepare(
                "SELECT \(columns) FROM tokens WHERE hash > ?1 AND hash < ?2 AND kind = ?3", id.description,
                id.endOfHashes, kind.rawValue)
        ).first
    }

    static func tokens(
        _ list: TokenList, _ connection: borrowing Connection
    ) throws(SQLiteError) -> [StoredToken] {
        switch list {
        case .one(let hash, let time):
            return try token(hash, at: time, connection).map { [$0] } ?? []
        case .access:
            return try tokens(of: connection.prepare(selectAccess))
        case .owned(let kind, let profileID, let last, let limit, let time):
            let start = TokenList.start(of: profileID, after: last)
            return try tokens(
                of: connection.prepare(
                    profileID == nil ? selectOfProfiles : selectOfProfile, start.profileID, start.hash,
                    time.millisecondsSince1970, limit, kind.rawValue))
        }
    }

    static func hasAccessTokens(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare("SELECT 1 FROM tokens WHERE kind = 'access' LIMIT 1")
        return try statement.step()
    }

    private static func tokens(of statement: consuming Statement) throws(SQLiteError) -> [StoredToken] {
        var tokens: [StoredToken] = []
        while try statement.step() { if let token = token(in: statement) { tokens.append(token) } }
        return tokens
    }

    /// Returns the token in a row. Returns nil if the kind is unknown: only another program can have written such a
    /// row.
    private static func token(in row: borrowing Statement) -> StoredToken? {
        guard let kind = TokenKind(rawValue: row.string(at: 1) ?? "") else { return nil }
        let renewal =
            row.isNull(at: 10)
            ? nil : StoredToken.Renewal(idleTime: row.integer(at: 9), latestExpiry: row.time(at: 10))
        return StoredToken(
            TokenHash(stored: row.string(at: 0) ?? "", kind),
            of: row.string(at: 3).map { StoredToken.Owner(profileID: row.integer(at: 2), username: $0) },
            name: row.string(at: 4).flatMap(AccountLabel.init(fitting:)),
            scopes: [AccessScope](stored: row.string(at: 5)), createdAt: row.time(at: 6),
            expiresAt: row.isNull(at: 8) ? nil : row.time(at: 8), renewal: renewal,
            lastUsedAt: row.isNull(at: 7) ? nil : row.time(at: 7))
    }

    // MARK: Writing, within a transaction

    /// Stores a token of a profile. Before that, removes some expired tokens. If the profile would have more than
    /// `limit` tokens of this kind, also removes its least recently used tokens of this kind.
    static func issue(
        _ token: StoredToken, to profileID: Int64, atMost limit: Int, _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredToken? {
        _ = try removeExpired(at: token.createdAt, atMost: StoredToken.mostRemovedByIssuing, connection)
        try connection.run(
            """
            DELETE FROM tokens WHERE hash IN (
                SELECT hash FROM tokens WHERE profile_id = ?1 AND kind = ?2
                ORDER BY last_used_at DESC, hash LIMIT -1 OFFSET ?3)
            """, profileID, token.kind.rawValue, limit - 1)
        return try insert(token, of: profileID, connection)
    }

    /// Stores the token of a new session. If the session has a device to remember, also stores the device's token.
    static func start(
        _ new: NewSession, of profile: Profile, _ connection: borrowing Connection
    ) throws(SQLiteError) -> LoginAttempt.Success {
        let session = try issue(new.token, to: profile.id, atMost: new.mostOfProfile, connection)
        guard let new = new.device else { return LoginAttempt.Success(profile: profile, session: session) }
        var presented: StoredToken?
        if let hash = new.presented { presented = try token(hash, at: new.token.createdAt, connection) }
        let renewed = new.renewed(presented, of: profile.id)
        if let renewed { _ = try remove(.device, renewed.hash.id, connection) }
        let device = try issue(
            renewed ?? new.token, to: profile.id, atMost: KnownDevice.mostOfProfile, connection)
        return LoginAttempt.Success(profile: profile, session: session, device: device)
    }

    /// Stores a token. `profileID` is nil for an access token.
    ///
    /// - Returns: The stored token; nil if another access token has the same name.
    static func insert(
        _ token: StoredToken, of profileID: Int64?, _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredToken? {
        let stored = try tokens(
            of: connection.prepare(
                """
                INSERT INTO tokens (
                    hash, kind, profile_id, name, scopes, created_at, last_used_at, expires_at, idle_time,
                    latest_expiry)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                ON CONFLICT (name) WHERE kind = 'access' DO NOTHING RETURNING \(columns)
                """, token.hash.text, token.kind.rawValue, profileID, token.name?.text, token.storedScopes,
                token.createdAt.millisecondsSince1970, token.lastUsedAt?.millisecondsSince1970,
                token.expiresAt?.millisecondsSince1970, token.renewal?.idleTime,
                token.renewal?.latestExpiry.millisecondsSince1970))
        return stored.first
    }

    /// Records a use of a token. If the token is a session, also postpones its expiry. If the token had already expired
    /// at the time of the use, it stays expired.
    static func note(_ use: TokenUse, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE tokens
            SET last_used_at = ?3, expires_at = coalesce(min(?3 + idle_time, latest_expiry), expires_at)
            WHERE hash = ?1 AND kind = ?2 AND (last_used_at IS NULL OR last_used_at < ?3)
                AND (expires_at IS NULL OR expires_at > ?3)
            """, use.hash.text, use.hash.kind.rawValue, use.time.millisecondsSince1970)
    }

    /// Removes the token that has this id, and returns it.
    static func remove(
        _ kind: TokenKind, _ id: TokenID, _ connection: borrowing Connection
    ) throws(SQLiteError) -> [StoredToken] {
        try tokens(
            of: connection.prepare(
                "DELETE FROM tokens WHERE hash > ?1 AND hash < ?2 AND kind = ?3 RETURNING \(columns)", id.description,
                id.endOfHashes, kind.rawValue))
    }

    /// Removes the tokens of this kind that belong to a profile, and returns them.
    static func removeAll(
        _ kind: TokenKind, of profileID: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) -> [StoredToken] {
        try tokens(
            of: connection.prepare(
                "DELETE FROM tokens WHERE profile_id = ?1 AND kind = ?2 RETURNING \(columns)", profileID, kind.rawValue)
        )
    }

    /// Removes all tokens of a profile, in the transaction that changes its password (H4).
    static func removeAll(of profileID: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM tokens WHERE profile_id = ?1", profileID)
    }

    /// Removes the tokens of all profiles. Access tokens stay.
    static func removeAllOfProfiles(_ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM tokens WHERE kind <> 'access'")
    }

    /// Removes expired tokens of profiles, the oldest first.
    ///
    /// - Returns: The number of removed tokens.
    static func removeExpired(
        at time: Timestamp, atMost limit: Int, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int {
        try connection.run(
            """
            DELETE FROM tokens WHERE hash IN (
                SELECT hash FROM tokens WHERE kind <> 'access' AND expires_at <= ?1
                ORDER BY expires_at, hash LIMIT ?2)
            """, time.millisecondsSince1970, limit)
        return Int(connection.changes)
    }
}

extension Statement {
    /// Returns the time in a column. The column must not be NULL.
    func time(at column: Int) -> Timestamp { Timestamp(millisecondsSince1970: integer(at: column)) }
}
