/// A token with which a program authenticates. An administrator creates it. It belongs to no profile, and has scopes.
public struct AccessToken: Hashable, Identifiable, Sendable {
    /// The id, which gives no access.
    public let id: TokenID
    /// The name. Names are unique, ignoring the case of ASCII letters.
    public let name: AccountLabel
    /// The scopes, sorted.
    public let scopes: [AccessScope]
    /// The time of creation.
    public let createdAt: Timestamp
    /// The time of expiry; nil if the token never expires.
    public let expiresAt: Timestamp?
    /// The time of the last use, or up to a minute before that use; nil if the token was never used.
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

    /// Returns whether the token has expired. An expired token is listed until it is revoked.
    public func isExpired(at time: Timestamp) -> Bool { expiresAt.map { $0 <= time } ?? false }
}
