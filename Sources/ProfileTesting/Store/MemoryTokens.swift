internal import ProfileCore
internal import ProfileStore

/// The tokens of an in-memory store. A token contains the username that its owner had when the token was issued.
struct MemoryTokens: Sendable {
    private var tokens: [TokenHash: StoredToken] = [:]

    /// Stores a token. If the token has an owner, also removes some expired tokens. An owner has at most `limit` tokens
    /// of a kind: to stay within this limit, also removes the least recently used ones.
    ///
    /// - Returns: The stored token. Nil if another access token has the same name.
    mutating func issue(_ token: StoredToken, to owner: StoredToken.Owner?, atMost limit: Int) -> StoredToken? {
        if let owner {
            _ = removeExpired(at: token.createdAt, atMost: StoredToken.mostRemovedByIssuing)
            let others = tokens.values.filter { $0.kind == token.kind && $0.owner?.profileID == owner.profileID }
                .sorted { ($1.lastUse, $0.hash.text) < ($0.lastUse, $1.hash.text) }
            for other in others.dropFirst(limit - 1) { tokens[other.hash] = nil }
        } else if access.contains(where: { $0.comparedName == token.comparedName }) {
            return nil
        }
        tokens[token.hash] = token.issued(to: owner)
        return tokens[token.hash]
    }

    /// Stores the token of a new session. If the session has a device to remember, also stores the device's token.
    mutating func start(_ new: NewSession, of profile: Profile) -> LoginAttempt.Success {
        let owner = StoredToken.Owner(profileID: profile.id, username: profile.username)
        let session = issue(new.token, to: owner, atMost: new.mostOfProfile)
        guard let new = new.device else { return LoginAttempt.Success(profile: profile, session: session) }
        let presented = new.presented.flatMap { token($0, at: new.token.createdAt) }
        let renewed = new.renewed(presented, of: profile.id)
        if let renewed { tokens[renewed.hash] = nil }
        let device = issue(renewed ?? new.token, to: owner, atMost: KnownDevice.mostOfProfile)
        return LoginAttempt.Success(profile: profile, session: session, device: device)
    }

    func ofProfile(_ id: Int64) -> [StoredToken] { tokens.values.filter { $0.owner?.profileID == id } }

    func token(_ hash: TokenHash, at time: Timestamp) -> StoredToken? {
        tokens[hash].flatMap { $0.isExpired(at: time) ? nil : $0 }
    }

    /// Returns the token of this kind that has this id, even if it has expired.
    func token(_ kind: TokenKind, _ id: TokenID) -> StoredToken? {
        tokens.values.first { $0.kind == kind && $0.hash.id == id }
    }

    func tokens(_ list: TokenList) -> [StoredToken] {
        switch list {
        case .one(let hash, let time): return token(hash, at: time).map { [$0] } ?? []
        case .access: return access.sorted { $0.comparedName < $1.comparedName }
        case .owned(let kind, let profileID, let last, let limit, let time):
            let owned = tokens.values.filter { $0.kind == kind && !$0.isExpired(at: time) }
                .filter { token in profileID.map { $0 == token.profileID } ?? true }
                .filter { token in
                    last.map { ($0.profileID, $0.id) < (token.profileID, token.hash.id) } ?? true
                }
            return Array(
                owned.sorted { ($0.profileID, $0.hash.text) < ($1.profileID, $1.hash.text) }.prefix(limit))
        }
    }

    private var access: [StoredToken] { tokens.values.filter { $0.kind == .access } }

    mutating func note(_ use: TokenUse) {
        guard let token = token(use.hash, at: use.time), token.lastUsedAt.map({ $0 < use.time }) ?? true else { return }
        tokens[use.hash] = token.used(at: use.time)
    }

    /// Removes the tokens that satisfy a condition, and returns them.
    mutating func end(where isEnding: (StoredToken) -> Bool) -> [StoredToken] {
        let ending = tokens.values.filter(isEnding)
        for token in ending { tokens[token.hash] = nil }
        return ending
    }

    /// Removes expired tokens, the oldest first. An access token stays until it is revoked.
    ///
    /// - Returns: The number of removed tokens.
    mutating func removeExpired(at time: Timestamp, atMost limit: Int) -> Int {
        let oldest = tokens.values.filter { $0.kind != .access && $0.isExpired(at: time) }
            .sorted { ($0.expiresAt ?? time, $0.hash.text) < ($1.expiresAt ?? time, $1.hash.text) }.prefix(limit)
        for token in oldest { tokens[token.hash] = nil }
        return oldest.count
    }
}

extension StoredToken {
    /// The name of an access token in a form for comparisons. Comparisons of names ignore the case of ASCII letters.
    fileprivate var comparedName: ComparedText { ComparedText(name?.text ?? "", in: .username) }

    fileprivate var profileID: Int64 { owner?.profileID ?? 0 }

    /// The time of the last use in milliseconds since 1970. If the token was never used: the smallest possible number.
    fileprivate var lastUse: Int64 { lastUsedAt?.millisecondsSince1970 ?? .min }
}
