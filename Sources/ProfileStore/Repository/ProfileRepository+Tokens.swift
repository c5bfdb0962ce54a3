internal import ProfileCore
internal import SecretHashing

// The common functions of sessions, access tokens, resets and devices.
extension ProfileRepository {
    /// Removes all expired sessions, resets and devices, and all expired entries of the history, some hundreds in each
    /// transaction. Expired tokens and entries have no effect, so their removal only frees space. Each start of a
    /// session also removes a few expired tokens.
    ///
    /// - Returns: The number of removed tokens and entries.
    @discardableResult
    package func removeExpired() async throws(ProfileStoreError) -> Int {
        var total = 0
        while true {
            let count = try await ask(.removeExpired, rows: { $0 }, await engine.removeExpired(at: options.now()))
            guard count > 0 else { return total }
            total += count
        }
    }

    /// Ends tokens, and returns those that had not expired. Returns nil if `tokens` names a profile that does not
    /// exist.
    func end(
        _ tokens: EndingTokens, _ operation: StoreObserver.Operation.Name
    ) async throws(ProfileStoreError) -> [StoredToken]? {
        defer { tokenLooks.forget() }
        let now = options.now()
        let ended = try await ask(operation, rows: { $0?.count ?? 0 }, await engine.end(tokens))
        return ended?.filter { !$0.isExpired(at: now) }
    }

    /// Ends all tokens of a kind of a profile, and returns the number of those that had not expired.
    func endAll(
        _ kind: TokenKind, of username: String, _ operation: StoreObserver.Operation.Name
    ) async throws(ProfileStoreError) -> Int {
        guard let ended = try await end(.all(kind, of: username), operation) else {
            throw .notFound(username: username)
        }
        return ended.count
    }

    /// Returns the id of the profile with a username, for a list of the profile's tokens.
    func id(of username: String) async throws(ProfileStoreError) -> Int64 {
        guard let profile = try await profile(username: username) else { throw .notFound(username: username) }
        return profile.id
    }

    func newToken(_ kind: TokenKind) throws(ProfileStoreError) -> NewToken {
        do throws(HashingError) { return try NewToken(kind) } catch { throw .hashing(error) }
    }

    /// Returns the token of this kind that has this text, and records its use. Returns nil if there is no such token,
    /// or if it has expired. A token that was read less than ``Options/tokenLookInterval`` ago is not read again.
    func use(_ text: Secret, _ kind: TokenKind) async throws(ProfileStoreError) -> StoredToken? {
        guard let hash = TokenHash(of: text, kind) else { return nil }
        let now = options.now()
        // The age of a cached token is counted from the start of the look-up, because another process may end the
        // session during the look-up.
        let time = options.uptime()
        let token: StoredToken
        if let known = tokenLooks.token(of: hash, at: time) {
            token = known
        } else {
            let forgotten = tokenLooks.forgotten
            let name: StoreObserver.Operation.Name = kind == .access ? .lookUpToken : .lookUpSession
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
