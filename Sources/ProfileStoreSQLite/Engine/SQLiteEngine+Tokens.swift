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

    func setPassword(
        _ hash: PasswordHash, by grant: PasswordGrant, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> LoginAttempt.Success? {
        let success = try await session.write { connection -> LoginAttempt.Success? in
            let rules = try self.rulesInForce(connection, being: schema)
            guard let owner = try Self.owner(of: grant, at: stamp.time, connection) else { return nil }
            let id = owner.profileID
            try UnjudgedPasswords.counting(of: id, under: rules, connection) {
                try ProfileTable.raiseRevision(of: id, at: stamp.time, connection)
                try ProfileTable.setPassword(
                    hash.text, isJudged: true, of: id, schemaVersion: rules.adopted.version, connection)
            }
            // All tokens of the profile are removed. If a reset was used, it is one of these tokens.
            try TokenTable.removeAll(of: id, connection)
            for name in grant.countedNames(of: owner) {
                try ThrottleTable.forget(name, .password, connection)
            }
            let profile = try Self.justWritten(id, rules, connection)
            let changes = LoggedChange.edited(id, revision: profile.revision, .newPassword, setsPassword: true)
            try self.record(changes, stamp, connection)
            guard let next = grant.proof?.next else { return LoginAttempt.Success(profile: profile, session: nil) }
            return try TokenTable.start(next, of: profile, connection)
        }
        if success != nil { announce() }
        return success
    }

    /// Returns the profile whose password may be set; nil if the reset or the session has ended, or if the password has
    /// changed since the old password was verified.
    private static func owner(
        of grant: PasswordGrant, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredToken.Owner? {
        switch grant {
        case .reset(let token): return try TokenTable.token(token, at: time, connection)?.owner
        case .proof(let proof):
            let session = try TokenTable.token(.session, proof.session, connection)
            guard proof.isValid(session),
                try ProfileTable.passwordHash(of: proof.profileID, connection) == proof.hash.text
            else { return nil }
            return session?.owner
        }
    }

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        try await session.write { connection in
            try TokenTable.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce, connection)
                + HistoryTable.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce, connection)
        }
    }
}
