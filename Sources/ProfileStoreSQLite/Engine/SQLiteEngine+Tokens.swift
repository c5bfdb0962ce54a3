internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Sessions, access tokens and resets.
extension SQLiteEngine {
    func issue(
        _ token: StoredToken, to username: String?, atMost limit: Int
    ) async throws(ProfileStoreError) -> StoredToken? {
        try await session.write { connection in
            guard let username else { return try TokenTable.insert(token, of: nil, connection) }
            guard let id = try ProfileTable.owner(of: username, in: .username, connection) else { return nil }
            return try TokenTable.issue(token, to: id, atMost: limit, connection)
        }
    }

    func tokens(_ list: TokenList) async throws(ProfileStoreError) -> [StoredToken] {
        try session.read { connection in try TokenTable.tokens(list, connection) }
    }

    func note(_ uses: [TokenUse]) async throws(ProfileStoreError) {
        try await session.write { connection in for use in uses { try TokenTable.note(use, connection) } }
    }

    func end(_ tokens: EndingTokens) async throws(ProfileStoreError) -> [StoredToken]? {
        try await session.write { connection in
            switch tokens {
            case .one(let kind, let id): return try TokenTable.remove(kind, id, connection)
            case .all(let kind, let username):
                guard let id = try ProfileTable.owner(of: username, in: .username, connection) else { return nil }
                return try TokenTable.removeAll(kind, of: id, connection)
            }
        }
    }

    func redeemReset(
        _ token: TokenHash, _ hash: PasswordHash, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile? {
        let profile = try await session.write { connection -> Profile? in
            let rules = try self.rulesInForce(connection, being: schema)
            let found = try TokenTable.token(token, at: time, connection)
            guard let reset = found.flatMap(PasswordReset.init) else { return nil }
            let id = reset.profileID
            try UnjudgedPasswords.counting(of: id, under: rules, connection) {
                try ProfileTable.raiseRevision(of: id, at: time, connection)
                try ProfileTable.setPassword(
                    hash.text, isJudged: true, of: id, schemaVersion: rules.adopted.version, connection)
            }
            // All tokens of the profile are removed. The reset is one of these tokens, and it was used.
            try TokenTable.removeAll(of: id, connection)
            try ThrottleTable.forget(reset.username, .password, connection)
            let profile = try Self.justWritten(id, rules, connection)
            let changes = LoggedChange.edited(id, revision: profile.revision, .newPassword, setsPassword: true)
            let origin = ChangeOrigin(command: self.options.command)
            try self.record(changes, WriteStamp(at: time, from: origin), connection)
            return profile
        }
        if profile != nil { announce() }
        return profile
    }

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        try await session.write { connection in
            try TokenTable.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce, connection)
                + HistoryTable.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce, connection)
        }
    }
}
