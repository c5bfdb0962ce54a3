public import ProfileCore

extension ProfileRepository {
    /// Creates, finds and revokes access tokens.
    public var tokens: AccessTokens { AccessTokens(repository: self) }

    /// The access tokens of a store, with which programs authenticate.
    public struct AccessTokens: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.AccessTokens {
    /// Creates an access token, which belongs to no profile.
    ///
    /// - Parameters:
    ///   - name: The name of the token. Names are unique, ignoring the case of ASCII letters.
    ///   - scopes: The scopes of the token, which the service interprets.
    ///   - validity: The time for which the token is valid, at least a millisecond. The default is no limit.
    /// - Returns: The access token and its text, which is not shown again.
    /// - Throws: `tokenExists`, `busy`, …
    public func create(
        _ name: AccountLabel, scopes: Set<AccessScope>, validFor validity: Duration? = nil
    ) async throws(ProfileStoreError) -> IssuedToken<AccessToken> {
        let new = try repository.newToken(.access)
        let now = repository.options.now()
        let token = StoredToken(
            new.hash, name: name, scopes: scopes.sorted(), createdAt: now,
            expiresAt: validity.map { now.advanced(by: max($0, .milliseconds(1))) })
        let refusal = ProfileStoreError.tokenExists(name: name.text)
        let issued = try await repository.ask(
            .createToken, refusal: { $0 == nil ? refusal.code.rawValue : nil },
            await repository.engine.issue(token, to: nil, atMost: .max))
        guard let access = issued.flatMap(AccessToken.init) else { throw refusal }
        return IssuedToken(access, new.text)
    }

    /// Returns the access token with this text, and notes its use; nil if there is no such token, or if it has expired
    /// or was revoked.
    ///
    /// The look-up works as for a session, and the time of use is written at most once a minute; see
    /// ``ProfileRepository/Sessions/find(_:)``.
    public func find(_ token: Secret) async throws(ProfileStoreError) -> AccessToken? {
        try await repository.use(token, .access).flatMap(AccessToken.init)
    }

    /// Returns all access tokens, including expired ones, sorted by name.
    public func list() async throws(ProfileStoreError) -> [AccessToken] {
        try await repository.ask(.listTokens, rows: \.count, await repository.engine.tokens(.access)).compactMap(
            AccessToken.init)
    }

    /// Removes an access token. Another process may still accept the token for at most
    /// ``ProfileRepository/Options/tokenLookInterval``.
    ///
    /// - Returns: The removed token; nil if no token has this id.
    @discardableResult
    public func revoke(_ id: TokenID) async throws(ProfileStoreError) -> AccessToken? {
        defer { repository.tokenLooks.forget() }
        let ended = try await repository.ask(
            .revokeToken, rows: { $0?.count ?? 0 }, await repository.engine.end(.one(.access, id)))
        return ended?.first.flatMap(AccessToken.init)
    }
}
