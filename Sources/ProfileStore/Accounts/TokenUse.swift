/// That a session or an access token was used.
package struct TokenUse: Hashable, Sendable {
    /// `session` or `access`.
    package let kind: TokenKind
    package let hash: TokenHash
    package let time: Timestamp

    package init(_ kind: TokenKind, _ hash: TokenHash, at time: Timestamp) {
        self.kind = kind
        self.hash = hash
        self.time = time
    }
}

/// What a token stands for, as somebody shows it again and again.
protocol UsedByToken: Sendable {
    static var kind: TokenKind { get }

    func isExpired(at time: Timestamp) -> Bool

    /// Whether it is time to write down that it is used: that is not done with each use.
    func isUseDue(at time: Timestamp) -> Bool

    /// The same, used at a time.
    func used(at time: Timestamp) -> Self
}

extension Session: UsedByToken {
    static var kind: TokenKind { .session }

    func isUseDue(at time: Timestamp) -> Bool {
        lastUsedAt.advanced(byMilliseconds: min(idleTime / 10, 60_000)) <= time
    }

    package func used(at time: Timestamp) -> Session {
        Session(
            id: id, profileID: profileID, username: username, label: label, createdAt: createdAt, lastUsedAt: time,
            idleExpiresAt: min(time.advanced(byMilliseconds: idleTime), expiresAt), expiresAt: expiresAt,
            idleTime: idleTime)
    }
}

extension AccessToken: UsedByToken {
    static var kind: TokenKind { .access }

    func isUseDue(at time: Timestamp) -> Bool { lastUsedAt.map { $0.advanced(byMilliseconds: 60_000) <= time } ?? true }

    package func used(at time: Timestamp) -> AccessToken {
        AccessToken(
            id: id, name: name, scopes: scopes, createdAt: createdAt, expiresAt: expiresAt, lastUsedAt: time)
    }
}
