/// Somebody who is logged in, on one device.
public struct LoginSession: Hashable, Identifiable, Sendable {
    /// What it is called; it lets nobody in.
    public let id: TokenID
    /// Whose it is.
    public let profileID: Int64
    /// What the profile is called now.
    public let username: String
    /// What the caller said of the device.
    public let label: AccountLabel?
    /// When it was started.
    public let createdAt: Timestamp
    /// When it was used last, or up to a tenth of the idle time, and a minute at the most, before that.
    public let lastUsedAt: Timestamp
    /// When it ends unless it is used before; ``expiresAt`` at the latest.
    public let idleExpiresAt: Timestamp
    /// When it ends, however often it is used.
    public let expiresAt: Timestamp

    package init(
        id: TokenID, profileID: Int64, username: String, label: AccountLabel?, createdAt: Timestamp,
        lastUsedAt: Timestamp, idleExpiresAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.profileID = profileID
        self.username = username
        self.label = label
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.idleExpiresAt = idleExpiresAt
        self.expiresAt = expiresAt
    }

    /// Whether it has ended by itself, since nobody used it or for its age.
    public func isExpired(at time: Timestamp) -> Bool { idleExpiresAt <= time }
}

/// A session to be started.
package struct NewSession: Sendable {
    /// The session's token, which has no owner yet and counts as used when the session starts.
    package let token: StoredToken
    /// The most sessions that the profile may have; the least recently used ones end.
    package let mostOfProfile: Int

    package init(_ hash: TokenHash, label: AccountLabel?, under policy: SessionPolicy, at time: Timestamp) {
        let renewal = StoredToken.Renewal(
            idleTime: policy.idleTime.wholeMilliseconds, latestExpiry: time.advanced(by: policy.lifetime))
        token = StoredToken(
            hash, name: label, createdAt: time, expiresAt: renewal.expiry(usedAt: time), renewal: renewal,
            lastUsedAt: time)
        mostOfProfile = policy.mostOfProfile
    }
}
