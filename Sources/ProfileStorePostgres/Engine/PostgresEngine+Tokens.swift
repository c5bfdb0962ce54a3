internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// Sessions, access tokens and resets.
extension PostgresEngine {
    func issue(
        _ token: StoredToken, to username: String?, atMost limit: Int
    ) async throws(ProfileStoreError) -> StoredToken? {
        try await session.write(at: token.createdAt) { transaction, _ in
            guard let username else {
                let rows = try await transaction.run([TokenTable.insert(token, of: nil)])[0]
                return PostgresSession.Outcome(value: TokenTable.tokens(in: rows).first)
            }
            let rows = try await transaction.run(
                "SELECT id FROM profiles WHERE username$key = $1 FOR UPDATE", [.text(ProfileTable.key(of: username))])
            guard !rows.isEmpty, let id = rows.number(0, 0) else { return PostgresSession.Outcome(value: nil) }
            return PostgresSession.Outcome(
                value: try await TokenTable.issue(token, to: id, atMost: limit, transaction))
        }
    }

    func tokens(_ list: TokenList) async throws(ProfileStoreError) -> [StoredToken] {
        try await session.read { connection in
            TokenTable.tokens(in: try await connection.run([TokenTable.select(list)])[0])
        }
    }

    func note(_ uses: [TokenUse]) async throws(ProfileStoreError) {
        guard !uses.isEmpty else { return }
        // The rows are locked in the order of their hashes. So two database sessions that record uses of the same
        // tokens cannot deadlock.
        let commands = uses.sorted { $0.hash.text < $1.hash.text }.map { TokenTable.note($0) }
        try await session.write(at: options.now()) { _, _ in PostgresSession.Outcome(value: (), last: commands) }
    }

    func end(_ tokens: EndingTokens) async throws(ProfileStoreError) -> [StoredToken]? {
        try await session.write(at: options.now()) { transaction, _ in
            let removal: Command
            switch tokens {
            case .one(let kind, let id): removal = TokenTable.remove(kind, id)
            case .all(let kind, let username):
                let rows = try await transaction.run([ProfileTable.selectID(of: username)])[0]
                guard !rows.isEmpty, let id = rows.number(0, 0) else { return PostgresSession.Outcome(value: nil) }
                removal = TokenTable.removeAll(kind, of: id)
            }
            return PostgresSession.Outcome(value: TokenTable.tokens(in: try await transaction.run([removal])[0]))
        }
    }

    func setPassword(
        _ hash: PasswordHash, by grant: PasswordGrant, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> LoginAttempt.Success? {
        try await changeOnce(stamp) { transaction -> Written<LoginAttempt.Success?> in
            let rules = try await rulesInForce(transaction, being: schema)
            let find =
                switch grant {
                case .reset(let token): TokenTable.select(.one(token, at: stamp.time))
                case .proof(let proof): TokenTable.select(.session, proof.session)
                }
            guard let owner = TokenTable.tokens(in: try await transaction.run([find])[0]).first?.owner else {
                return Written(value: nil)
            }
            let id = owner.profileID
            // This lock makes concurrent calls wait for each other. So only one of these calls still finds the token.
            let stored = try await transaction.run(
                "SELECT password_hash FROM profiles WHERE id = $1 FOR UPDATE", [.number(id)]
            ).firstText
            guard let found = TokenTable.tokens(in: try await transaction.run([find])[0]).first else {
                return Written(value: nil)
            }
            if let proof = grant.proof {
                guard proof.isValid(found), stored == proof.hash.text else { return Written(value: nil) }
            }
            let set = ProfileTable.settingPassword(
                hash.text, isJudged: true, of: id, schemaVersion: rules.version)
            let raise = Command(
                "UPDATE profiles SET revision = revision + 1, updated_at = $2 WHERE id = $1",
                [.number(id), .number(stamp.time.millisecondsSince1970)])
            // The tokens are removed even if the new hash equals the old hash. Otherwise a used reset would stay valid.
            let end = TokenTable.removeAll(of: id)
            let answers = try await transaction.run(set + [raise, end, rules.table.select(.id(id))])
            guard let profile = answers.last.flatMap({ rules.table.profile(in: $0) }) else {
                throw ProfileStoreError.corrupt(.missingProfile)
            }
            var success = LoginAttempt.Success(profile: profile, session: nil)
            if let next = grant.proof?.next {
                success = try await TokenTable.start(next, of: profile, transaction)
            }
            return Written(
                value: success,
                changes: LoggedChange.edited(id, revision: profile.revision, .newPassword, setsPassword: true),
                last: grant.countedNames(of: owner).flatMap { ThrottleTable.forget($0, .password) })
        }
    }

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        let count = try await session.write(at: time) { transaction, _ in
            let removed = try await transaction.run([
                TokenTable.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce),
                KeyedWriteTable.forgettingSome(at: time),
                HistoryTable.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce),
                HistoryTable.removeExpiredChanges(at: time, atMost: StoredToken.mostRemovedAtOnce),
            ])
            return PostgresSession.Outcome(value: removed[0].affectedCount + removed[2].affectedCount)
        }
        // Keeps the log short if no process reads it.
        _ = try await changeNumber()
        return count
    }
}
