internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// Who is let in without a password: by sessions, access tokens and resets.
extension PostgresEngine {
    // MARK: Sessions

    func startSession(_ new: NewSession, of username: String) async throws(ProfileStoreError) -> Session? {
        try await session.write(at: new.createdAt) { transaction, _ in
            let rows = try await transaction.run(
                "SELECT id, username FROM profiles WHERE username$key = $1 FOR UPDATE",
                [.text(ProfileTable.key(of: username))])
            guard !rows.isEmpty, let id = rows.number(0, 0) else { return PostgresSession.Outcome(value: nil) }
            return PostgresSession.Outcome(
                value: try await SessionTable.start(new, of: id, rows.text(0, 1) ?? "", transaction))
        }
    }

    func liveSession(_ token: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> Session? {
        try await session.read { connection in
            SessionTable.sessions(in: try await connection.run([SessionTable.selectLive(token, at: time)])[0]).first
        }
    }

    func sessions(
        of profileID: Int64?, after last: Session?, limit: Int, at time: Timestamp
    ) async throws(ProfileStoreError) -> [Session] {
        try await session.read { connection in
            let command = SessionTable.selectLive(of: profileID, after: last, limit: limit, at: time)
            return SessionTable.sessions(in: try await connection.run([command])[0])
        }
    }

    func endSession(_ id: TokenID, at time: Timestamp) async throws(ProfileStoreError) -> Session? {
        try await session.write(at: time) { transaction, _ in
            let found = SessionTable.sessions(in: try await transaction.run([SessionTable.hold(id)])[0]).first
            return PostgresSession.Outcome(
                value: found.flatMap { $0.isExpired(at: time) ? nil : $0 },
                last: found == nil ? [] : [SessionTable.remove(id)])
        }
    }

    func endSessions(of username: String, at time: Timestamp) async throws(ProfileStoreError) -> Int? {
        try await session.write(at: time) { transaction, _ in
            let id = try await transaction.run([ProfileTable.selectID(of: username)])[0]
            guard !id.isEmpty, let id = id.number(0, 0) else { return PostgresSession.Outcome(value: nil) }
            let removed = try await transaction.run(
                "DELETE FROM sessions WHERE profile_id = $1 RETURNING idle_expires_at", [.number(id)])
            let live = (0..<removed.count).count { removed.time($0, 0) > time }
            return PostgresSession.Outcome(value: live)
        }
    }

    // MARK: Access tokens

    func create(_ token: AccessToken, _ hash: TokenHash) async throws(ProfileStoreError) -> Bool {
        try await session.write(at: token.createdAt) { transaction, _ in
            let rows = try await transaction.run([AccessTokenTable.insert(token, hash)])[0]
            return PostgresSession.Outcome(value: rows.affectedCount == 1)
        }
    }

    func accessToken(_ token: TokenHash) async throws(ProfileStoreError) -> AccessToken? {
        try await session.read { connection in
            AccessTokenTable.tokens(in: try await connection.run([AccessTokenTable.select(token)])[0]).first
        }
    }

    func accessTokens() async throws(ProfileStoreError) -> [AccessToken] {
        try await session.read { connection in
            AccessTokenTable.tokens(in: try await connection.run(AccessTokenTable.selectAll))
        }
    }

    func revoke(_ id: TokenID) async throws(ProfileStoreError) -> AccessToken? {
        try await session.write(at: options.now()) { transaction, _ in
            let rows = try await transaction.run([AccessTokenTable.remove(id)])[0]
            return PostgresSession.Outcome(value: AccessTokenTable.tokens(in: rows).first)
        }
    }

    func note(_ uses: [TokenUse]) async throws(ProfileStoreError) {
        // In one order, so that two who note the same tokens do not lock each other out.
        let commands = uses.sorted { $0.hash.text < $1.hash.text }.compactMap { use -> Command? in
            switch use.kind {
            case .session: SessionTable.note(use)
            case .access: AccessTokenTable.note(use)
            // It is used once, and gone.
            case .reset: nil
            }
        }
        guard !commands.isEmpty else { return }
        try await session.write(at: options.now()) { _, _ in PostgresSession.Outcome(value: (), last: commands) }
    }

    // MARK: Resets

    func issueReset(
        _ token: TokenHash, of username: String, at time: Timestamp, until expiry: Timestamp
    ) async throws(ProfileStoreError) -> PasswordReset? {
        try await session.write(at: time) { transaction, _ in
            let rows = try await transaction.run(
                "SELECT id, username FROM profiles WHERE username$key = $1 FOR UPDATE",
                [.text(ProfileTable.key(of: username))])
            guard !rows.isEmpty, let id = rows.number(0, 0) else { return PostgresSession.Outcome(value: nil) }
            let reset = PasswordReset(
                profileID: id, username: rows.text(0, 1) ?? "", createdAt: time, expiresAt: expiry)
            return PostgresSession.Outcome(value: reset, last: [ResetTable.put(reset, token)])
        }
    }

    func liveReset(_ token: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> PasswordReset? {
        try await session.read { connection in
            ResetTable.reset(in: try await connection.run([ResetTable.selectLive(token, at: time)])[0])
        }
    }

    func redeemReset(
        _ token: TokenHash, _ hash: PasswordHash, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile? {
        try await changeOnce(WriteStamp(at: time)) { transaction -> Written<Profile?> in
            let rules = try await rulesInForce(transaction, being: schema)
            let found = try await transaction.run([ResetTable.selectLive(token, at: time)])[0]
            guard let reset = ResetTable.reset(in: found) else { return Written(value: nil) }
            let id = reset.profileID
            // Of several at once one finds the profile with the reset still there.
            try await transaction.run("SELECT 1 FROM profiles WHERE id = $1 FOR UPDATE", [.number(id)])
            let again = try await transaction.run([ResetTable.selectLive(token, at: time)])[0]
            guard ResetTable.reset(in: again) != nil else { return Written(value: nil) }
            let set = ProfileTable.settingPassword(
                hash.text, isJudged: true, of: id, schemaVersion: rules.version)
            let raise = Command(
                "UPDATE profiles SET revision = revision + 1, updated_at = $2 WHERE id = $1",
                [.number(id), .number(time.millisecondsSince1970)])
            // Whatever its hash: the reset is used up.
            let end = [SessionTable.removeAll(of: id), ResetTable.remove(of: id)]
            let answers = try await transaction.run(set + [raise] + end + [rules.table.select(.id(id))])
            guard let profile = answers.last.flatMap({ rules.table.profile(in: $0) }) else {
                throw ProfileStoreError.corrupt("a profile just written is missing")
            }
            return Written(
                value: profile, changes: [Change(.edited, id), Change(.credentialChanged, id)],
                last: ThrottleTable.forget(reset.username, .password))
        }
    }

    // MARK: Room

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        let count = try await session.write(at: time) { transaction, _ in
            let removed = try await transaction.run([
                SessionTable.removeExpired(at: time, atMost: 256), ResetTable.removeExpired(at: time, atMost: 256),
                KeyedWriteTable.forgettingSome(at: time),
            ])
            return PostgresSession.Outcome(value: removed[0].affectedCount + removed[1].affectedCount)
        }
        // Keeps the log short where nobody reads it.
        _ = try await changeNumber()
        return count
    }
}
