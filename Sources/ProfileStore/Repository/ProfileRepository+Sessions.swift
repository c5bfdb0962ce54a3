public import ProfileCore
internal import SecretHashing

extension ProfileRepository {
    /// Starts, finds and ends sessions.
    public var sessions: Sessions { Sessions(repository: self) }

    /// The sessions of a store: who is logged in, after the password was checked once.
    public struct Sessions: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Sessions {
    /// Checks a password and starts a session of its profile: in one transaction, so that a password which is changed at
    /// the same moment starts none.
    ///
    /// The attempt counts as any other.
    /// - Parameters:
    ///   - password: As it was typed.
    ///   - username: Whose, whatever the case of its ASCII letters.
    ///   - label: What the caller says of the device.
    ///   - policy: How long it lasts; that of the options by default.
    /// - Returns: The session, and the token that is to be given to the device. It is not shown again.
    /// - Throws: `wrong`, `throttled`, `locked`, …
    public func start(
        _ password: Secret, for username: String, label: AccountLabel? = nil, policy: SessionPolicy? = nil
    ) async throws(CredentialError) -> IssuedToken<LoginSession> {
        let token = try await repository.store { () throws(ProfileStoreError) in try repository.newToken(.session) }
        let proof = try await repository.attempt(
            password, .password, username, starting: newSession(token, label: label, policy: policy))
        // The password is another one since it was proven.
        guard let session = proof.session.flatMap(LoginSession.init) else { throw .wrong }
        return IssuedToken(session, token.text)
    }

    /// Starts a session of somebody whom the caller has authenticated by other means: no password is asked for here, and
    /// nothing is checked.
    ///
    /// - Parameters:
    ///   - username: Whose, whatever the case of its ASCII letters.
    ///   - label: What the caller says of the device.
    ///   - policy: How long it lasts; that of the options by default.
    /// - Returns: The session, and the token that is to be given to the device. It is not shown again.
    /// - Throws: `notFound`, `busy`, …
    public func start(
        vouchingFor username: String, label: AccountLabel? = nil, policy: SessionPolicy? = nil
    ) async throws(ProfileStoreError) -> IssuedToken<LoginSession> {
        let token = try repository.newToken(.session)
        let new = newSession(token, label: label, policy: policy)
        let issued = try await repository.ask(
            .startSession, rows: \.rowCount,
            await repository.engine.issue(new.token, to: username, atMost: new.mostOfProfile))
        guard let session = issued.flatMap(LoginSession.init) else { throw .notFound(username: username) }
        return IssuedToken(session, token.text)
    }

    /// The session of a token, which is used by this; nil for any other text, and once the session has ended.
    ///
    /// A session that was looked up less than ``Options/tokenLookInterval`` ago is not looked up again, so that one that
    /// was ended elsewhere is honoured for as long at the most. When it was used is written down beside the caller, once in
    /// a tenth of the idle time, and once a minute at the most.
    public func find(_ token: Secret) async throws(ProfileStoreError) -> LoginSession? {
        try await repository.use(token, .session).flatMap(LoginSession.init)
    }

    /// The sessions of a profile, that which was used last first.
    ///
    /// - Throws: `notFound`, …
    public func list(of username: String) async throws(ProfileStoreError) -> [LoginSession] {
        try await repository.call { () throws(ProfileStoreError) in
            guard let profile = try await repository.profile(username: username) else {
                throw .notFound(username: username)
            }
            return try await list(of: profile.id, after: nil, limit: .max)
                .sorted { ($1.lastUsedAt, $0.id) < ($0.lastUsedAt, $1.id) }
        }
    }

    /// The sessions of all profiles, by profile, some at a time.
    ///
    /// - Parameters:
    ///   - last: Only those that come after this one: the last of the page before, which may have ended since.
    ///   - limit: Most of them.
    /// - Returns: The sessions; fewer than the limit are the last.
    /// - Throws: `corrupt`, …
    public func list(after last: LoginSession? = nil, limit: Int = 100) async throws(ProfileStoreError)
        -> [LoginSession]
    {
        try await list(of: nil, after: last, limit: max(1, limit))
    }

    private func list(
        of profileID: Int64?, after last: LoginSession?, limit: Int
    ) async throws(ProfileStoreError) -> [LoginSession] {
        let list = TokenList.sessions(of: profileID, after: last, limit: limit, at: repository.options.now())
        return try await repository.ask(.listSessions, rows: \.count, await repository.engine.tokens(list)).compactMap(
            LoginSession.init)
    }

    /// Ends a session, in every process.
    ///
    /// - Returns: The session; nil where there is none of this id.
    @discardableResult
    public func end(_ id: TokenID) async throws(ProfileStoreError) -> LoginSession? {
        defer { repository.tokenLooks.forget() }
        let now = repository.options.now()
        let ended = try await repository.ask(
            .endSession, rows: { $0?.count ?? 0 }, await repository.engine.end(.one(.session, id)))
        return ended?.first { !$0.isExpired(at: now) }.flatMap(LoginSession.init)
    }

    /// Ends the session of a token, as when somebody logs out.
    ///
    /// - Returns: The session; nil where there is none of this token.
    @discardableResult
    public func end(for token: Secret) async throws(ProfileStoreError) -> LoginSession? {
        guard let hash = TokenHash(of: token, .session) else { return nil }
        return try await end(hash.id)
    }

    /// Ends every session of a profile, in every process.
    ///
    /// - Returns: How many there were.
    /// - Throws: `notFound`, `busy`, …
    @discardableResult
    public func endAll(of username: String) async throws(ProfileStoreError) -> Int {
        defer { repository.tokenLooks.forget() }
        let now = repository.options.now()
        let ended = try await repository.ask(
            .endSession, rows: { $0?.count ?? 0 }, await repository.engine.end(.all(.session, of: username)))
        guard let ended else { throw .notFound(username: username) }
        return ended.count { !$0.isExpired(at: now) }
    }

    private func newSession(_ token: NewToken, label: AccountLabel?, policy: SessionPolicy?) -> NewSession {
        NewSession(
            token.hash, label: label, under: policy ?? repository.options.sessionPolicy, at: repository.options.now())
    }
}
