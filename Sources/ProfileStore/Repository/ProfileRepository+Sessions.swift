public import ProfileCore
internal import SecretHashing

extension ProfileRepository {
    /// Starts, finds and ends sessions.
    public var sessions: Sessions { Sessions(repository: self) }

    /// The sessions of people who are logged in.
    public struct Sessions: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Sessions {
    /// Checks a password, and starts a session of its profile. One transaction stores the outcome of the check and the
    /// session. If the password changes during the check, no session starts.
    ///
    /// The attempt counts for throttling, like any other attempt.
    /// - Parameters:
    ///   - password: The password as it was typed.
    ///   - username: The username, ignoring the case of ASCII letters.
    ///   - label: A description of the device.
    ///   - policy: The policy for the age and the idle time of the session. The default is the policy of the options.
    /// - Returns: The session and its token. The token is for the device, and is not shown again.
    /// - Throws: `wrong`, `throttled`, `locked`, …
    public func start(
        _ password: Secret, for username: String, label: AccountLabel? = nil, policy: SessionPolicy? = nil
    ) async throws(CredentialError) -> IssuedToken<LoginSession> {
        let tokens = try NewTokens(in: repository, withDevice: false)
        let proof = try await repository.attempt(
            password, .password, username, starting: newSession(tokens, label: label, policy: policy))
        return try tokens.started(proof.success).session
    }

    /// Checks a password, starts a session of its profile, and remembers the device.
    ///
    /// A device on which the person has logged in before presents its token. Attempts from this device are counted for
    /// the device, by the same rule as for a username. So other people's failed attempts at the username do not delay
    /// this login, and failed attempts from this device do not delay logins elsewhere. A token that is unknown, has
    /// expired, or is one of another profile has no effect.
    /// - Parameters:
    ///   - password: The password as it was typed.
    ///   - username: The username, ignoring the case of ASCII letters.
    ///   - device: The token that the device has from an earlier login; nil if it has none.
    ///   - label: A description of the device.
    ///   - policy: The policy for the age and the idle time of the session. The default is the policy of the options.
    /// - Returns: The session, and the device with its token. A device that was known keeps its token for another
    ///   ``KnownDevice/lifetime``.
    /// - Throws: `wrong`, `throttled`, `locked`, …
    public func start(
        _ password: Secret, for username: String, on device: Secret?, label: AccountLabel? = nil,
        policy: SessionPolicy? = nil
    ) async throws(CredentialError) -> StartedSession {
        try await repository.call { () throws(CredentialError) in
            let presented = try await repository.store { () throws(ProfileStoreError) in
                try await repository.devices.find(device)
            }
            let tokens = try NewTokens(in: repository, withDevice: true)
            let new = newSession(tokens, label: label, policy: policy, presenting: presented?.hash)
            let proof = try await repository.attempt(
                password, .password, username, starting: new,
                countedFor: ProfileRepository.AttemptCounter(presented))
            return try tokens.started(proof.success, presenting: device)
        }
    }

    /// Starts a session of a person. The caller has already authenticated this person in another way. The method checks
    /// no secret.
    ///
    /// - Parameters:
    ///   - username: The username, ignoring the case of ASCII letters.
    ///   - label: A description of the device.
    ///   - policy: The policy for the age and the idle time of the session. The default is the policy of the options.
    /// - Returns: The session and its token. The token is for the device, and is not shown again.
    /// - Throws: `notFound`, `busy`, …
    public func start(
        vouchingFor username: String, label: AccountLabel? = nil, policy: SessionPolicy? = nil
    ) async throws(ProfileStoreError) -> IssuedToken<LoginSession> {
        let token = try repository.newToken(.session)
        let new = newSession(NewTokens(session: token), label: label, policy: policy)
        let issued = try await repository.ask(
            .startSession, rows: \.rowCount,
            await repository.engine.issue(new.token, to: username, atMost: new.mostOfProfile))
        guard let session = issued.flatMap(LoginSession.init) else { throw .notFound(username: username) }
        return IssuedToken(session, token.text)
    }

    /// Checks the present password of a person who is logged in, and sets a new one. One transaction sets the password,
    /// raises the revision, forgets the failed attempts at the password, ends all sessions and the reset of the profile,
    /// and starts a new session.
    ///
    /// The new password also ends all devices of the profile. Attempts are counted for the session and not for the
    /// username. So failed attempts to log in do not prevent the change, and failed attempts in the session do not
    /// prevent a login.
    /// - Parameters:
    ///   - present: The present password as it was typed.
    ///   - new: The new password as it was typed. The rules in force validate it.
    ///   - session: The session of the person.
    ///   - remembersDevice: Whether the device of the session is remembered for later logins.
    ///   - policy: The policy of the new session. The default is the policy of the options.
    ///   - author: The author of the change.
    /// - Returns: The new session with its token, and the device if it is remembered. Both have the label of the old
    ///   session.
    /// - Throws: `wrong` if the present password is wrong, if it was changed meanwhile, or if the session has ended;
    ///   `throttled`, `locked`; `store(.invalid)` with the issues of the new password, before an attempt is counted; …
    public func changePassword(
        from present: Secret, to new: Secret, in session: LoginSession, remembersDevice: Bool = false,
        policy: SessionPolicy? = nil, by author: Author? = nil
    ) async throws(CredentialError) -> StartedSession {
        try await repository.call { () throws(CredentialError) in
            let passwords = repository.passwords
            let rules = try await passwords.rulesJudging(new)
            let tokens = try NewTokens(in: repository, withDevice: remembersDevice)
            let right = try await rightAttempt(present, in: session)
            let success: LoginAttempt.Success?
            do throws(CredentialError) {
                let hash = try await repository.hash(new)
                let proof = PasswordProof(
                    profileID: session.profileID, session: session.id, hash: right.hash, attempt: right.attempt,
                    next: newSession(tokens, label: session.label, policy: policy))
                success = try await passwords.set(
                    hash, by: .proof(proof), judgedBy: rules, .changePassword, repository.stamp(author))
            } catch {
                // The present password was right, so the attempt must not count as a failure.
                await repository.withdraw(right.attempt)
                throw error
            }
            return try tokens.started(success)
        }
    }

    /// Checks the password of the owner of a session. The attempt is counted for the session.
    private func rightAttempt(
        _ password: Secret, in session: LoginSession
    ) async throws(CredentialError) -> ProfileRepository.RightAttempt {
        // The profile may have been renamed after the session was read.
        let profile = try await repository.store { () throws(ProfileStoreError) in
            try await repository.profile(id: session.profileID) { $0 == nil }
        }
        guard let profile else { throw .wrong }
        return try await repository.rightAttempt(
            password, .password, profile.username, countedFor: ProfileRepository.AttemptCounter(session))
    }

    /// Returns the session that has this token, and records its use. Returns nil if there is no such session, or if it
    /// has ended.
    ///
    /// A session that was looked up less than ``ProfileRepository/Options/tokenLookInterval`` ago is not looked up
    /// again. After another process has ended a session, this process may still accept the session for
    /// ``ProfileRepository/Options/tokenLookInterval``. The time of use is written in the background. At least one
    /// minute passes between two writes. If a tenth of the idle time is less than one minute, the minimum is a tenth of
    /// the idle time.
    public func find(_ token: Secret) async throws(ProfileStoreError) -> LoginSession? {
        try await repository.use(token, .session).flatMap(LoginSession.init)
    }

    /// Returns the sessions of a profile. The most recently used session comes first.
    ///
    /// - Throws: `notFound`, …
    public func list(of username: String) async throws(ProfileStoreError) -> [LoginSession] {
        try await repository.call { () throws(ProfileStoreError) in
            try await list(of: repository.id(of: username), after: nil, limit: .max)
                .sorted { ($1.lastUsedAt, $0.id) < ($0.lastUsedAt, $1.id) }
        }
    }

    /// Returns the sessions of all profiles, ordered by profile, page by page.
    ///
    /// - Parameters:
    ///   - last: The last session of the previous page; nil for the first page. This session may have ended meanwhile.
    ///   - limit: The maximum number of sessions.
    /// - Returns: The sessions. If the page has fewer sessions than the limit, it is the last page.
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

    /// Ends a session. Another process may still accept the session for at most
    /// ``ProfileRepository/Options/tokenLookInterval``.
    ///
    /// - Returns: The session; nil if no session has this id.
    @discardableResult
    public func end(_ id: TokenID) async throws(ProfileStoreError) -> LoginSession? {
        try await repository.end(.one(.session, id), .endSession)?.first.flatMap(LoginSession.init)
    }

    /// Ends the session of a token, for example at a logout.
    ///
    /// - Returns: The session; nil if no session has this token.
    @discardableResult
    public func end(for token: Secret) async throws(ProfileStoreError) -> LoginSession? {
        guard let hash = TokenHash(of: token, .session) else { return nil }
        return try await end(hash.id)
    }

    /// Ends every session of a profile. Another process may still accept the sessions for at most
    /// ``ProfileRepository/Options/tokenLookInterval``.
    ///
    /// - Returns: The number of ended sessions.
    /// - Throws: `notFound`, `busy`, …
    @discardableResult
    public func endAll(of username: String) async throws(ProfileStoreError) -> Int {
        try await repository.endAll(.session, of: username, .endSession)
    }

    private func newSession(
        _ tokens: NewTokens, label: AccountLabel?, policy: SessionPolicy?, presenting presented: TokenHash? = nil
    ) -> NewSession {
        let now = repository.options.now()
        let device = tokens.device.map { NewDevice(presented: presented, $0.hash, label: label, at: now) }
        return NewSession(
            tokens.session.hash, label: label, under: policy ?? repository.options.sessionPolicy, at: now,
            device: device)
    }
}

/// The new tokens of a session, and of a device if it is to be remembered.
private struct NewTokens {
    let session: NewToken
    let device: NewToken?

    init(session: NewToken) {
        self.session = session
        device = nil
    }

    init(in repository: ProfileRepository, withDevice: Bool) throws(CredentialError) {
        do throws(ProfileStoreError) {
            session = try repository.newToken(.session)
            device = withDevice ? try repository.newToken(.device) : nil
        } catch {
            throw .store(error)
        }
    }

    /// Adds the tokens to the started session and to its device.
    ///
    /// - Parameters:
    ///   - success: The outcome. Its session is nil if the password was changed after the check.
    ///   - presented: The token that the device has presented. The device keeps this token if the token belongs to the
    ///     profile and has not expired.
    /// - Returns: The session and the device.
    /// - Throws: `wrong` if no session has started.
    func started(
        _ success: LoginAttempt.Success?, presenting presented: Secret? = nil
    ) throws(CredentialError) -> StartedSession {
        guard let started = success?.session.flatMap(LoginSession.init) else { throw .wrong }
        var known: IssuedToken<KnownDevice>?
        if let device, let stored = success?.device, let value = KnownDevice(stored) {
            known = IssuedToken(value, stored.hash == device.hash ? device.text : presented ?? device.text)
        }
        return StartedSession(session: IssuedToken(started, session.text), device: known)
    }
}
