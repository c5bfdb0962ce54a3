public import ProfileCore

extension ProfileRepository {
    /// Creates, finds and revokes access tokens.
    public var tokens: AccessTokens { AccessTokens(repository: self) }

    /// The access tokens of a store: what lets programs in.
    public struct AccessTokens: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.AccessTokens {
    /// Makes an access token, of no profile.
    ///
    /// - Parameters:
    ///   - name: What it is called; no two have one name, whatever the case of its ASCII letters.
    ///   - scopes: What it is good for, which whoever takes it interprets.
    ///   - validity: How long it lasts, a millisecond at the least; for ever by default.
    /// - Returns: What is known of it, and the token itself, which is not shown again.
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

    /// What is known of an access token, which is used by this; nil for any other text, and once it has expired or was
    /// revoked.
    ///
    /// It is looked up as a session is, and when it was used is written down once a minute at the most; see
    /// ``ProfileRepository/Sessions/find(_:)``.
    public func find(_ token: Secret) async throws(ProfileStoreError) -> AccessToken? {
        try await repository.use(token, .access).flatMap(AccessToken.init)
    }

    /// Every access token, those that have expired too, by name.
    public func list() async throws(ProfileStoreError) -> [AccessToken] {
        try await repository.ask(.listTokens, rows: \.count, await repository.engine.tokens(.access)).compactMap(
            AccessToken.init)
    }

    /// Removes an access token, in every process.
    ///
    /// - Returns: What was known of it; nil where there is none of this id.
    @discardableResult
    public func revoke(_ id: TokenID) async throws(ProfileStoreError) -> AccessToken? {
        defer { repository.tokenLooks.forget() }
        let ended = try await repository.ask(
            .revokeToken, rows: { $0?.count ?? 0 }, await repository.engine.end(.one(.access, id)))
        return ended?.first.flatMap(AccessToken.init)
    }
}
