internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The table `access_tokens`: what lets programs in.
enum AccessTokenTable {
    private static let columns = "hash, name, scopes, created_at, expires_at, last_used_at"

    static func select(_ token: TokenHash) -> Command {
        Command("SELECT \(columns) FROM access_tokens WHERE hash = $1", [.text(token.text)])
    }

    static let selectAll = "SELECT \(columns) FROM access_tokens ORDER BY name_key"

    static func tokens(in rows: Rows) -> [AccessToken] {
        (0..<rows.count).map { row in
            AccessToken(
                id: TokenHash(stored: rows.text(row, 0) ?? "").id,
                name: rows.text(row, 1).flatMap(AccountLabel.init(fitting:)) ?? .unreadable,
                scopes: (rows.text(row, 2) ?? "").split(separator: " ").compactMap { AccessScope(String($0)) },
                createdAt: rows.time(row, 3),
                expiresAt: rows.number(row, 4).map(Timestamp.init(millisecondsSince1970:)),
                lastUsedAt: rows.number(row, 5).map(Timestamp.init(millisecondsSince1970:)))
        }
    }

    static func kept(in rows: Rows) -> [StoreHead.KeptToken] {
        zip(tokens(in: rows), 0..<rows.count).map { token, row in
            StoreHead.KeptToken(hash: TokenHash(stored: rows.text(row, 0) ?? ""), token: token)
        }
    }

    /// Inserts a token, unless another one has its name.
    static func insert(_ token: AccessToken, _ hash: TokenHash) -> Command {
        Command(
            """
            INSERT INTO access_tokens (hash, name, name_key, scopes, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name_key) DO NOTHING
            """,
            [
                .text(hash.text), .text(token.name.text), .text(ProfileTable.key(of: token.name.text)),
                .text(token.scopes.map(\.text).joined(separator: " ")),
                .number(token.createdAt.millisecondsSince1970), .number(token.expiresAt?.millisecondsSince1970),
            ])
    }

    static func note(_ use: TokenUse) -> Command {
        Command(
            """
            UPDATE access_tokens SET last_used_at = $2
            WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $2)
            """, [.text(use.hash.text), .number(use.time.millisecondsSince1970)])
    }

    static func remove(_ id: TokenID) -> Command {
        Command(
            "DELETE FROM access_tokens WHERE hash > $1 AND hash < $2 RETURNING \(columns)",
            [.text(id.description), .text(SessionTable.end(of: id))])
    }
}
