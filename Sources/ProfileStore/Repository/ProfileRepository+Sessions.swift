public import ProfileCore
internal import SecretHashing

// Who is logged in, after the password has been proven once.
extension ProfileRepository {
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
    public func startSession(
        _ password: Secret, for username: String, label: AccountLabel? = nil, policy: SessionPolicy? = nil
    ) async throws(CredentialError) -> IssuedToken<Session> {
        let token = try await store { () throws(ProfileStoreError) in try newToken(.session) }
        let proof = try await attempt(
            password, .password, username, starting: newSession(token, label: label, policy: policy))
        // The password is another one since it was proven.
        guard let session = proof.session.flatMap(Session.init) else { throw .wrong }
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
    public func startSession(
        vouchingFor username: String, label: AccountLabel? = nil, policy: SessionPolicy? = nil
    ) async throws(ProfileStoreError) -> IssuedToken<Session> {
        let token = try newToken(.session)
        let new = newSession(token, label: label, policy: policy)
        let issued = try await ask(
            .startSession, rows: \.rowCount,
            await engine.issue(new.token, to: username, atMost: new.mostOfProfile))
        guard let session = issued.flatMap(Session.init) else { throw .notFound(username: username) }
        return IssuedToken(session, token.text)
    }

    /// The session of a token, which is used by this; nil for any other text, and once the session has ended.
    ///
    /// A session that was looked up less than ``Options/tokenLookInterval`` ago is not looked up again, so that one that
    /// was ended elsewhere is honoured for as long at the most. When it was used is written down beside the caller, once in
    /// a tenth of the idle time, and once a minute at the most.
    public func session(for token: Secret) async throws(ProfileStoreError) -> Session? {
        try await use(token, .session).flatMap(Session.init)
    }

    /// The sessions of a profile, that which was used last first.
    ///
    /// - Throws: `notFound`, …
    public func sessions(of username: String) async throws(ProfileStoreError) -> [Session] {
        try await call { () throws(ProfileStoreError) in
            guard let profile = try await profile(username: username) else { throw .notFound(username: username) }
            return try await sessions(of: profile.id, after: nil, limit: .max)
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
    public func sessions(after last: Session? = nil, limit: Int = 100) async throws(ProfileStoreError) -> [Session] {
        try await sessions(of: nil, after: last, limit: max(1, limit))
    }

    private func sessions(
        of profileID: Int64?, after last: Session?, limit: Int
    ) async throws(ProfileStoreError) -> [Session] {
        let list = TokenList.sessions(of: profileID, after: last, limit: limit, at: options.now())
        return try await ask(.listSessions, rows: \.count, await engine.tokens(list)).compactMap(Session.init)
    }

    /// Ends a session, in every process.
    ///
    /// - Returns: The session; nil where there is none of this id.
    @discardableResult
    public func endSession(_ id: TokenID) async throws(ProfileStoreError) -> Session? {
        defer { tokenLooks.forget() }
        let now = options.now()
        let ended = try await ask(.endSession, rows: { $0?.count ?? 0 }, await engine.end(.one(.session, id)))
        return ended?.first { !$0.isExpired(at: now) }.flatMap(Session.init)
    }

    /// Ends the session of a token, as when somebody logs out.
    ///
    /// - Returns: The session; nil where there is none of this token.
    @discardableResult
    public func endSession(for token: Secret) async throws(ProfileStoreError) -> Session? {
        guard let hash = TokenHash(of: token, .session) else { return nil }
        return try await endSession(hash.id)
    }

    /// Ends every session of a profile, in every process.
    ///
    /// - Returns: How many there were.
    /// - Throws: `notFound`, `busy`, …
    @discardableResult
    public func endSessions(of username: String) async throws(ProfileStoreError) -> Int {
        defer { tokenLooks.forget() }
        let now = options.now()
        let ended = try await ask(
            .endSession, rows: { $0?.count ?? 0 }, await engine.end(.all(.session, of: username)))
        guard let ended else { throw .notFound(username: username) }
        return ended.count { !$0.isExpired(at: now) }
    }

    /// Removes sessions and resets that have expired, some hundreds at a time. Nothing depends on it but room in the store:
    /// a few are removed whenever a session is started.
    ///
    /// - Returns: How many there were.
    @discardableResult
    package func removeExpired() async throws(ProfileStoreError) -> Int {
        var total = 0
        while true {
            let count = try await ask(.removeExpired, rows: { $0 }, await engine.removeExpired(at: options.now()))
            guard count > 0 else { return total }
            total += count
        }
    }

    private func newSession(_ token: NewToken, label: AccountLabel?, policy: SessionPolicy?) -> NewSession {
        NewSession(token.hash, label: label, under: policy ?? options.sessionPolicy, at: options.now())
    }
}

// What sessions and access tokens share.
extension ProfileRepository {
    func newToken(_ kind: TokenKind) throws(ProfileStoreError) -> NewToken {
        do throws(HashingError) { return try NewToken(kind) } catch { throw .hashing(error) }
    }

    /// Returns the token of this kind that has this text, unless it has expired, and notes the use. A token that was read
    /// less than ``Options/tokenLookInterval`` ago is not read again.
    func use(_ text: Secret, _ kind: TokenKind) async throws(ProfileStoreError) -> StoredToken? {
        guard let hash = TokenHash(of: text, kind) else { return nil }
        let now = options.now()
        // Before the look: what ends the session after that is not in what it finds.
        let time = options.uptime()
        let token: StoredToken
        if let known = tokenLooks.token(of: hash, at: time) {
            token = known
        } else {
            let forgotten = tokenLooks.forgotten
            let name: Observer.Operation.Name = kind == .access ? .lookUpToken : .lookUpSession
            guard let found = try await ask(name, rows: \.rowCount, await engine.token(hash, at: now)) else {
                return nil
            }
            tokenLooks.keep(found, lookedUpAt: time, after: forgotten)
            token = found
        }
        guard !token.isExpired(at: now) else { return nil }
        guard token.isUseDue(at: now) else { return token }
        tokenUses.note(TokenUse(hash, at: now))
        tokenLooks.update(hash) { $0.used(at: now) }
        return token.used(at: now)
    }
}
