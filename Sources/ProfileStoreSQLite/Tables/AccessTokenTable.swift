internal import ProfileStore
internal import SQLiteAccess

/// The table `access_tokens`: what lets programs in.
enum AccessTokenTable {
    private static let selection =
        "SELECT hash, name, scopes, created_at, expires_at, last_used_at FROM access_tokens"

    static func token(
        _ token: TokenHash, _ connection: borrowing Connection
    ) throws(SQLiteError) -> AccessToken? {
        var statement = try connection.prepare(selection + " WHERE hash = ?1")
        try statement.bind(token.text, at: 1)
        return try statement.step() ? accessToken(in: statement) : nil
    }

    static func all(_ connection: borrowing Connection) throws(SQLiteError) -> [AccessToken] {
        var statement = try connection.prepare(selection + " ORDER BY name")
        var tokens: [AccessToken] = []
        while try statement.step() { tokens.append(accessToken(in: statement)) }
        return tokens
    }

    /// All of them with what they are known by, for a copy of the store.
    static func kept(_ connection: borrowing Connection) throws(SQLiteError) -> [StoreHead.KeptToken] {
        var statement = try connection.prepare(selection)
        var tokens: [StoreHead.KeptToken] = []
        while try statement.step() {
            let hash = TokenHash(stored: statement.string(at: 0) ?? "")
            tokens.append(StoreHead.KeptToken(hash: hash, token: accessToken(in: statement)))
        }
        return tokens
    }

    static func isEmpty(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare("SELECT 1 FROM access_tokens LIMIT 1")
        return try !statement.step()
    }

    private static func accessToken(in row: borrowing Statement) -> AccessToken {
        AccessToken(
            id: TokenHash(stored: row.string(at: 0) ?? "").id,
            name: row.string(at: 1).flatMap(AccountLabel.init(fitting:)) ?? .unreadable,
            scopes: (row.string(at: 2) ?? "").split(separator: " ").compactMap { AccessScope(String($0)) },
            createdAt: row.time(at: 3), expiresAt: row.isNull(at: 4) ? nil : row.time(at: 4),
            lastUsedAt: row.isNull(at: 5) ? nil : row.time(at: 5))
    }

    // MARK: Writing, within a transaction

    /// - Returns: False if another one has its name.
    static func insert(
        _ token: AccessToken, _ hash: TokenHash, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare(
            """
            INSERT INTO access_tokens (hash, name, scopes, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (name) DO NOTHING
            """)
        try statement.bind(hash.text, at: 1)
        try statement.bind(token.name.text, at: 2)
        try statement.bind(token.scopes.map(\.text).joined(separator: " "), at: 3)
        try statement.bind(token.createdAt.millisecondsSince1970, at: 4)
        if let expiry = token.expiresAt { try statement.bind(expiry.millisecondsSince1970, at: 5) }
        try statement.run()
        return connection.changes == 1
    }

    static func note(_ use: TokenUse, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare(
            """
            UPDATE access_tokens SET last_used_at = ?2
            WHERE hash = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)
            """)
        try statement.bind(use.hash.text, at: 1)
        try statement.bind(use.time.millisecondsSince1970, at: 2)
        try statement.run()
    }

    static func remove(
        _ id: TokenID, _ connection: borrowing Connection
    ) throws(SQLiteError) -> AccessToken? {
        // Hexadecimal digits alone begin with an id and come before "g".
        var statement = try connection.prepare(
            """
            DELETE FROM access_tokens WHERE hash > ?1 AND hash < ?1 || 'g'
            RETURNING hash, name, scopes, created_at, expires_at, last_used_at
            """)
        try statement.bind(id.description, at: 1)
        var removed: AccessToken?
        while try statement.step() { removed = accessToken(in: statement) }
        return removed
    }
}
