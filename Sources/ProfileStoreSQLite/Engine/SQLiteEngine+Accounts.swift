internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Who is let in without a password: by sessions, access tokens and resets.
extension SQLiteEngine {
    // MARK: Sessions

    func startSession(
        _ new: NewSession, of username: String
    ) async throws(ProfileStoreError) -> Session? {
        try await session.write { connection in
            guard let profile = try self.rulesInForce(connection).table.profile(.username(username), connection) else {
                return nil
            }
            return try SessionTable.start(new, of: profile.id, profile.username, connection)
        }
    }

    func liveSession(_ token: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> Session? {
        try session.read { connection in try SessionTable.live(token, at: time, connection) }
    }

    func sessions(
        of profileID: Int64?, after last: Session?, limit: Int, at time: Timestamp
    ) async throws(ProfileStoreError) -> [Session] {
        try session.read { connection in
            try SessionTable.live(of: profileID, after: last, limit: limit, at: time, connection)
        }
    }

    func endSession(_ id: TokenID, at time: Timestamp) async throws(ProfileStoreError) -> Session? {
        try await session.write { connection in try SessionTable.remove(id, at: time, connection) }
    }

    func endSessions(of username: String, at time: Timestamp) async throws(ProfileStoreError) -> Int? {
        try await session.write { connection in
            guard let id = try ProfileTable.owner(of: username, in: .username, connection) else { return nil }
            let live = try SessionTable.live(of: id, after: nil, limit: .max, at: time, connection)
            try SessionTable.removeAll(of: id, connection)
            return live.count
        }
    }

    // MARK: Access tokens

    func create(_ token: AccessToken, _ hash: TokenHash) async throws(ProfileStoreError) -> Bool {
        try await session.write { connection in try AccessTokenTable.insert(token, hash, connection) }
    }

    func accessToken(_ token: TokenHash) async throws(ProfileStoreError) -> AccessToken? {
        try session.read { connection in try AccessTokenTable.token(token, connection) }
    }

    func accessTokens() async throws(ProfileStoreError) -> [AccessToken] {
        try session.read { connection in try AccessTokenTable.all(connection) }
    }

    func revoke(_ id: TokenID) async throws(ProfileStoreError) -> AccessToken? {
        try await session.write { connection in try AccessTokenTable.remove(id, connection) }
    }

    func note(_ uses: [TokenUse]) async throws(ProfileStoreError) {
        try await session.write { connection in
            for use in uses {
                switch use.kind {
                case .session: try SessionTable.note(use, connection)
                case .access: try AccessTokenTable.note(use, connection)
                // It is used once, and gone.
                case .reset: break
                }
            }
        }
    }

    // MARK: Resets

    func issueReset(
        _ token: TokenHash, of username: String, at time: Timestamp, until expiry: Timestamp
    ) async throws(ProfileStoreError) -> PasswordReset? {
        try await session.write { connection in
            guard let profile = try self.rulesInForce(connection).table.profile(.username(username), connection) else {
                return nil
            }
            let reset = PasswordReset(
                profileID: profile.id, username: profile.username, createdAt: time, expiresAt: expiry)
            try ResetTable.put(reset, token, connection)
            return reset
        }
    }

    func liveReset(_ token: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> PasswordReset? {
        try session.read { connection in try ResetTable.live(token, at: time, connection) }
    }

    func redeemReset(
        _ token: TokenHash, _ hash: PasswordHash, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile? {
        let profile = try await session.write { connection -> Profile? in
            let rules = try self.rulesInForce(connection, being: schema)
            guard let reset = try ResetTable.live(token, at: time, connection) else { return nil }
            let id = reset.profileID
            try UnjudgedPasswords.counting(of: id, under: rules, connection) {
                try ProfileTable.raiseRevision(of: id, at: time, connection)
                try ProfileTable.setPassword(
                    hash.text, isJudged: true, of: id, schemaVersion: rules.adopted.version, connection)
            }
            // Whatever its hash: it is used up.
            try ProfileTable.endAccess(to: id, connection)
            try ThrottleTable.forget(reset.username, .password, connection)
            for kind in [ProfileChange.Kind.edited, .credentialChanged] {
                try self.record(kind, id...id, WriteStamp(at: time), connection)
            }
            return try Self.justWritten(id, rules, connection)
        }
        if profile != nil { announce() }
        return profile
    }

    // MARK: Room

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        try await session.write { connection in
            try SessionTable.removeExpired(at: time, atMost: 256, connection)
                + ResetTable.removeExpired(at: time, atMost: 256, connection)
        }
    }
}
