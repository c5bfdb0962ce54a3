internal import ProfileCore
internal import ProfileStore

/// Sessions, access tokens and resets that a store in memory keeps, by the hashes of their tokens.
struct MemoryAccounts: Sendable {
    /// What is known of them, with the username of when they were started.
    private var sessions: [TokenHash: Session] = [:]
    private var accessTokens: [TokenHash: AccessToken] = [:]
    private var resets: [Int64: (token: TokenHash, reset: PasswordReset)] = [:]

    // MARK: Sessions

    /// Adds a session to those of a profile, and removes what has to give way.
    mutating func start(_ new: NewSession, of profile: MemoryProfile) -> Session {
        _ = removeExpiredSessions(at: new.createdAt, atMost: Self.mostRemovedByTheWay)
        let others = sessions.filter { $0.value.profileID == profile.id }
            .sorted { ($1.value.lastUsedAt, $0.key.text) < ($0.value.lastUsedAt, $1.key.text) }
        for (hash, _) in others.dropFirst(new.mostOfProfile - 1) { sessions[hash] = nil }
        let session = new.session(of: profile.id, profile.username)
        sessions[new.hash] = session
        return session
    }

    func session(_ token: TokenHash, at time: Timestamp) -> Session? {
        sessions[token].flatMap { $0.isExpired(at: time) ? nil : $0 }
    }

    /// Those that have not expired, by profile and hash.
    func sessions(of profileID: Int64?, after last: Session?, limit: Int, at time: Timestamp) -> [Session] {
        let live = sessions.filter { _, session in
            !session.isExpired(at: time) && profileID.map { $0 == session.profileID } ?? true
        }
        let sorted = live.sorted { ($0.value.profileID, $0.key.text) < ($1.value.profileID, $1.key.text) }.map(\.value)
        guard let last else { return Array(sorted.prefix(limit)) }
        return Array(sorted.filter { ($0.profileID, $0.id) > (last.profileID, last.id) }.prefix(limit))
    }

    /// Removes a session, and gives it unless it had expired.
    mutating func end(_ id: TokenID, at time: Timestamp) -> Session? {
        guard let (hash, session) = sessions.first(where: { $0.key.id == id }) else { return nil }
        sessions[hash] = nil
        return session.isExpired(at: time) ? nil : session
    }

    /// Ends what a profile's password has let in, and leave to set another one.
    mutating func endAccess(to profileID: Int64) {
        endSessions(of: profileID)
        resets[profileID] = nil
    }

    mutating func endSessions(of profileID: Int64) {
        sessions = sessions.filter { $0.value.profileID != profileID }
    }

    // MARK: Access tokens

    /// - Returns: False if another one has its name.
    mutating func create(_ token: AccessToken, _ hash: TokenHash) -> Bool {
        guard !accessTokens.values.contains(where: { $0.comparedName == token.comparedName }) else { return false }
        accessTokens[hash] = token
        return true
    }

    func accessToken(_ token: TokenHash) -> AccessToken? { accessTokens[token] }

    var allAccessTokens: [AccessToken] {
        accessTokens.values.sorted { $0.comparedName < $1.comparedName }
    }

    var keptTokens: [StoreHead.KeptToken] { accessTokens.map { StoreHead.KeptToken(hash: $0.key, token: $0.value) } }

    mutating func revoke(_ id: TokenID) -> AccessToken? {
        guard let hash = accessTokens.keys.first(where: { $0.id == id }) else { return nil }
        return accessTokens.removeValue(forKey: hash)
    }

    mutating func note(_ use: TokenUse) {
        switch use.kind {
        case .session:
            guard let session = session(use.hash, at: use.time), session.lastUsedAt < use.time else { return }
            sessions[use.hash] = session.used(at: use.time)
        case .access:
            guard let token = accessTokens[use.hash], token.lastUsedAt.map({ $0 < use.time }) ?? true else { return }
            accessTokens[use.hash] = token.used(at: use.time)
        case .reset: break
        }
    }

    // MARK: Resets

    mutating func put(_ reset: PasswordReset, _ token: TokenHash) { resets[reset.profileID] = (token, reset) }

    func reset(_ token: TokenHash, at time: Timestamp) -> PasswordReset? {
        resets.values.first { $0.token == token && $0.reset.expiresAt > time }?.reset
    }

    // MARK: Room

    /// - Returns: How many there were.
    mutating func removeExpired(at time: Timestamp, atMost limit: Int) -> Int {
        let oldest = resets.values.map(\.reset).filter { $0.expiresAt <= time }
            .sorted { ($0.expiresAt, $0.profileID) < ($1.expiresAt, $1.profileID) }.prefix(limit)
        for reset in oldest { resets[reset.profileID] = nil }
        return oldest.count + removeExpiredSessions(at: time, atMost: limit)
    }

    private mutating func removeExpiredSessions(at time: Timestamp, atMost limit: Int) -> Int {
        let oldest = sessions.filter { $0.value.isExpired(at: time) }
            .sorted { ($0.value.idleExpiresAt, $0.key.text) < ($1.value.idleExpiresAt, $1.key.text) }.prefix(limit)
        for (hash, _) in oldest { sessions[hash] = nil }
        return oldest.count
    }

    private static let mostRemovedByTheWay = 8
}

extension AccessToken {
    /// Its name as names are compared: whatever the case of its ASCII letters.
    fileprivate var comparedName: ComparedText { ComparedText(name.text, in: .username) }
}
