internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The table `tokens`: sessions, access tokens, resets and devices. If a profile is deleted, a foreign key deletes the
/// rows of its tokens.
enum TokenTable {
    // A schema may have a field with the name of one of these columns. Then `profiles` has a column of that name too,
    // so the subquery qualifies each column with its table.
    private static let columns = """
        hash, kind, profile_id, (SELECT profiles.username FROM profiles WHERE profiles.id = tokens.profile_id),
        name, scopes, created_at, last_used_at, expires_at, idle_time, latest_expiry
        """

    // MARK: Reading

    static func select(_ list: TokenList) -> Command {
        switch list {
        case .one(let hash, let time):
            return Command(
                """
                SELECT \(columns) FROM tokens WHERE hash = $1 AND kind = $2 AND (expires_at IS NULL OR expires_at > $3)
                """, [.text(hash.text), .text(hash.kind.rawValue), .number(time.millisecondsSince1970)])
        case .access:
            return Command("SELECT \(columns) FROM tokens WHERE kind = 'access' ORDER BY name_key")
        case .owned(let kind, let profileID, let last, let limit, let time):
            let start = TokenList.start(of: profileID, after: last)
            let place = profileID == nil ? "(profile_id, hash) > ($1, $2)" : "profile_id = $1 AND hash > $2"
            return Command(
                """
                SELECT \(columns) FROM tokens WHERE \(place) AND kind = $5 AND expires_at > $3
                ORDER BY profile_id, hash LIMIT $4
                """,
                [
                    .number(start.profileID), .text(start.hash), .number(time.millisecondsSince1970),
                    .number(Int64(limit)), .text(kind.rawValue),
                ])
        }
    }

    /// Selects the token of this kind that has this id, even if it has expired.
    static func select(_ kind: TokenKind, _ id: TokenID) -> Command {
        Command(
            "SELECT \(columns) FROM tokens WHERE hash > $1 AND hash < $2 AND kind = $3",
            [.text(id.description), .text(id.endOfHashes), .text(kind.rawValue)])
    }

    /// Returns the tokens in an answer. Rows of an unknown kind are skipped: only another program can have written such
    /// rows.
    static func tokens(in rows: Rows) -> [StoredToken] { (0..<rows.count).compactMap { token(in: rows, $0) } }

    private static func token(in rows: Rows, _ row: Int) -> StoredToken? {
        guard let kind = TokenKind(rawValue: rows.text(row, 1) ?? "") else { return nil }
        return StoredToken(
            TokenHash(stored: rows.text(row, 0) ?? "", kind),
            of: rows.text(row, 3).map { StoredToken.Owner(profileID: rows.number(row, 2) ?? 0, username: $0) },
            name: rows.text(row, 4).flatMap(AccountLabel.init(fitting:)),
            scopes: [AccessScope](stored: rows.text(row, 5)), createdAt: rows.time(row, 6),
            expiresAt: rows.number(row, 8).map(Timestamp.init(millisecondsSince1970:)),
            renewal: rows.number(row, 10).map { latest in
                StoredToken.Renewal(
                    idleTime: rows.number(row, 9) ?? 0, latestExpiry: Timestamp(millisecondsSince1970: latest))
            }, lastUsedAt: rows.number(row, 7).map(Timestamp.init(millisecondsSince1970:)))
    }

    // MARK: Writing

    /// Stores a token of a profile. Before that, removes some expired tokens. If the profile would have more than
    /// `limit` tokens of this kind, also removes its least recently used tokens of this kind. The transaction must have
    /// locked the profile's row.
    static func issue(
        _ token: StoredToken, to profileID: Int64, atMost limit: Int, _ transaction: Transaction
    ) async throws -> StoredToken? {
        let answers = try await transaction.run([
            removeExpired(at: token.createdAt, atMost: StoredToken.mostRemovedByIssuing),
            Command(
                """
                DELETE FROM tokens WHERE hash IN (
                    SELECT hash FROM tokens WHERE profile_id = $1 AND kind = $2
                    ORDER BY last_used_at DESC, hash OFFSET $3)
                """, [.number(profileID), .text(token.kind.rawValue), .number(Int64(limit - 1))]),
            insert(token, of: profileID),
        ])
        return answers.last.flatMap { tokens(in: $0).first }
    }

    /// Stores the token of a new session. If the device is to be remembered, also stores the token of the device. The
    /// transaction must have locked the profile's row.
    static func start(
        _ new: NewSession, of profile: Profile, _ transaction: Transaction
    ) async throws -> LoginAttempt.Success {
        let session = try await issue(new.token, to: profile.id, atMost: new.mostOfProfile, transaction)
        guard let new = new.device else { return LoginAttempt.Success(profile: profile, session: session) }
        var presented: StoredToken?
        if let hash = new.presented {
            let rows = try await transaction.run([select(.one(hash, at: new.token.createdAt))])[0]
            presented = tokens(in: rows).first
        }
        let renewed = new.renewed(presented, of: profile.id)
        if let renewed { try await transaction.run([remove(.device, renewed.hash.id)]) }
        let device = try await issue(
            renewed ?? new.token, to: profile.id, atMost: KnownDevice.mostOfProfile, transaction)
        return LoginAttempt.Success(profile: profile, session: session, device: device)
    }

    /// Inserts a token and returns it. `profileID` is nil for a token without a profile. If another access token has
    /// the same name, nothing is inserted.
    static func insert(_ token: StoredToken, of profileID: Int64?) -> Command {
        Command(
            """
            INSERT INTO tokens (
                hash, kind, profile_id, name, name_key, scopes, created_at, last_used_at, expires_at, idle_time,
                latest_expiry)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT (name_key) WHERE kind = 'access' DO NOTHING RETURNING \(columns)
            """,
            [
                .text(token.hash.text), .text(token.kind.rawValue), .number(profileID), .text(token.name?.text),
                .text(token.kind == .access ? ProfileTable.key(of: token.name?.text ?? "") : nil),
                .text(token.storedScopes),
                .number(token.createdAt.millisecondsSince1970), .number(token.lastUsedAt?.millisecondsSince1970),
                .number(token.expiresAt?.millisecondsSince1970), .number(token.renewal?.idleTime),
                .number(token.renewal?.latestExpiry.millisecondsSince1970),
            ])
    }

    /// Records a use of a token. If the token is a session, also postpones its expiry. If the token had already expired
    /// at the time of the use, it stays expired.
    static func note(_ use: TokenUse) -> Command {
        Command(
            """
            UPDATE tokens
            SET last_used_at = $3, expires_at = least($3 + idle_time, coalesce(latest_expiry, expires_at))
            WHERE hash = $1 AND kind = $2 AND (last_used_at IS NULL OR last_used_at < $3)
                AND (expires_at IS NULL OR expires_at > $3)
            """, [.text(use.hash.text), .text(use.hash.kind.rawValue), .number(use.time.millisecondsSince1970)])
    }

    /// Removes the token that has this id, and returns it.
    static func remove(_ kind: TokenKind, _ id: TokenID) -> Command {
        Command(
            "DELETE FROM tokens WHERE hash > $1 AND hash < $2 AND kind = $3 RETURNING \(columns)",
            [.text(id.description), .text(id.endOfHashes), .text(kind.rawValue)])
    }

    /// Removes the tokens of this kind that belong to a profile, and returns them.
    static func removeAll(_ kind: TokenKind, of profileID: Int64) -> Command {
        Command(
            "DELETE FROM tokens WHERE profile_id = $1 AND kind = $2 RETURNING \(columns)",
            [.number(profileID), .text(kind.rawValue)])
    }

    /// Removes all tokens of a profile.
    static func removeAll(of profileID: Int64) -> Command {
        Command("DELETE FROM tokens WHERE profile_id = $1", [.number(profileID)])
    }

    /// Removes expired tokens of profiles, the oldest first. Tokens that another transaction has locked are skipped.
    static func removeExpired(at time: Timestamp, atMost limit: Int) -> Command {
        Command(
            """
            DELETE FROM tokens WHERE hash IN (
                SELECT hash FROM tokens WHERE kind <> 'access' AND expires_at <= $1 ORDER BY expires_at, hash LIMIT $2
                FOR UPDATE SKIP LOCKED)
            """, [.number(time.millisecondsSince1970), .number(Int64(limit))])
    }
}
