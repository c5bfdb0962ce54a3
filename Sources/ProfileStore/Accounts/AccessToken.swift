/// What lets a program in: made by an administrator, of no profile, good for what its scopes say.
public struct AccessToken: Hashable, Identifiable, Sendable {
    /// What it is called for certain; it lets nobody in.
    public let id: TokenID
    /// What its maker calls it; no two have one name, whatever the case of its ASCII letters.
    public let name: AccountLabel
    /// What it is good for, in order.
    public let scopes: [AccessScope]
    /// When it was made.
    public let createdAt: Timestamp
    /// When it ends; nil if it does not.
    public let expiresAt: Timestamp?
    /// When it was used last, or up to a minute before that; nil if it never was.
    public let lastUsedAt: Timestamp?

    package init(
        id: TokenID, name: AccountLabel, scopes: [AccessScope], createdAt: Timestamp, expiresAt: Timestamp?,
        lastUsedAt: Timestamp?
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }

    /// Whether it has ended by itself; it is listed until it is revoked.
    public func isExpired(at time: Timestamp) -> Bool { expiresAt.map { $0 <= time } ?? false }
}
