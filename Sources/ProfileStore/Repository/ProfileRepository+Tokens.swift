internal import ProfileCore
internal import SecretHashing

// What sessions, access tokens and resets share.
extension ProfileRepository {
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
