internal import ProfileCore
internal import ProfileStore

// Who is let in without a password: by sessions, access tokens and resets.
extension MemoryEngine {
    // MARK: Sessions

    func startSession(_ new: NewSession, of username: String) async throws(ProfileStoreError) -> Session? {
        try await write { state in
            state.profile(.username(username)).map { state.accounts.start(new, of: $0) }
        }
    }

    func liveSession(_ token: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> Session? {
        let state = try current
        return state.accounts.session(token, at: time).map(state.named)
    }

    func sessions(
        of profileID: Int64?, after last: Session?, limit: Int, at time: Timestamp
    ) async throws(ProfileStoreError) -> [Session] {
        let state = try current
        return state.accounts.sessions(of: profileID, after: last, limit: limit, at: time).map(state.named)
    }

    func endSession(_ id: TokenID, at time: Timestamp) async throws(ProfileStoreError) -> Session? {
        try await write { state in state.accounts.end(id, at: time).map(state.named) }
    }

    func endSessions(of username: String, at time: Timestamp) async throws(ProfileStoreError) -> Int? {
        try await write { state in
            guard let id = state.owner(of: username, in: .username) else { return nil }
            let live = state.accounts.sessions(of: id, after: nil, limit: .max, at: time)
            state.accounts.endSessions(of: id)
            return live.count
        }
    }

    // MARK: Access tokens

    func create(_ token: AccessToken, _ hash: TokenHash) async throws(ProfileStoreError) -> Bool {
        try await write { state in state.accounts.create(token, hash) }
    }

    func accessToken(_ token: TokenHash) async throws(ProfileStoreError) -> AccessToken? {
        try current.accounts.accessToken(token)
    }

    func accessTokens() async throws(ProfileStoreError) -> [AccessToken] { try current.accounts.allAccessTokens }

    func revoke(_ id: TokenID) async throws(ProfileStoreError) -> AccessToken? {
        try await write { state in state.accounts.revoke(id) }
    }

    func note(_ uses: [TokenUse]) async throws(ProfileStoreError) {
        try await write { state in for use in uses { state.accounts.note(use) } }
    }

    // MARK: Resets

    func issueReset(
        _ token: TokenHash, of username: String, at time: Timestamp, until expiry: Timestamp
    ) async throws(ProfileStoreError) -> PasswordReset? {
        try await write { state in
            guard let profile = state.profile(.username(username)) else { return nil }
            let reset = PasswordReset(
                profileID: profile.id, username: profile.username, createdAt: time, expiresAt: expiry)
            state.accounts.put(reset, token)
            return reset
        }
    }

    func liveReset(_ token: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> PasswordReset? {
        let state = try current
        return state.accounts.reset(token, at: time).map(state.named)
    }

    func redeemReset(
        _ token: TokenHash, _ hash: PasswordHash, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile? {
        try await write { [options] state throws(ProfileStoreError) -> Profile? in
            let rules = try state.rules(being: schema)
            guard let reset = state.accounts.reset(token, at: time) else { return nil }
            let id = reset.profileID
            state.setPassword(hash.text, of: id, at: time)
            state.throttles.forget(state.named(reset).username, [.password])
            for kind in [ProfileChange.Kind.edited, .credentialChanged] {
                state.log.append(kind, id...id, WriteStamp(at: time), keeping: options.mostChanges)
            }
            return state.profiles[id]?.profile(under: rules.schema)
        }
    }

    // MARK: Room

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        try await write { state in state.accounts.removeExpired(at: time, atMost: 256) }
    }
}

extension MemoryState {
    /// A session with what its profile is called now.
    fileprivate func named(_ session: Session) -> Session {
        Session(
            id: session.id, profileID: session.profileID, username: username(of: session.profileID),
            label: session.label, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt,
            idleExpiresAt: session.idleExpiresAt, expiresAt: session.expiresAt, idleTime: session.idleTime)
    }

    fileprivate func named(_ reset: PasswordReset) -> PasswordReset {
        PasswordReset(
            profileID: reset.profileID, username: username(of: reset.profileID), createdAt: reset.createdAt,
            expiresAt: reset.expiresAt)
    }

    private func username(of id: Int64) -> String { profiles[id]?.username ?? "" }
}
