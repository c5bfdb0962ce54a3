/// A token that a program uses to authenticate. An administrator creates it. The token has scopes. It does not belong
/// to a profile.
public struct AccessToken: Hashable, Identifiable, Sendable {
    /// The id. A program cannot authenticate with the id.
    public let id: TokenID
    /// The name. Names are unique, ignoring the case of ASCII letters.
    public let name: AccountLabel
    /// The scopes, sorted.
    public let scopes: [AccessScope]
    /// The time of creation.
    public let createdAt: Timestamp
    /// The time of expiry; nil if the token never expires.
    public let expiresAt: Timestamp?
    /// The time of the last stored use. The real last use may be later, but by at most one minute. Nil if the token was
    /// never used.
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

    /// Returns whether the token has expired. An expired token stays in the list of tokens until it is revoked.
    public func isExpired(at time: Timestamp) -> Bool { expiresAt.map { $0 <= time } ?? false }
}
