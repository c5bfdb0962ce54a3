/// The session of a user on one device.
public struct LoginSession: Hashable, Identifiable, Sendable {
    /// The id. A client cannot authenticate with the id.
    public let id: TokenID
    /// The id of the user's profile.
    public let profileID: Int64
    /// The present username of the profile.
    public let username: String
    /// The description of the device.
    public let label: AccountLabel?
    /// The time of the start.
    public let createdAt: Timestamp
    /// The time of the last stored use. The real last use may be later, but by at most one minute and by at most a
    /// tenth of the idle time.
    public let lastUsedAt: Timestamp
    /// The time at which the session ends if it is not used again. This time is never later than ``expiresAt``.
    public let idleExpiresAt: Timestamp
    /// The time at which the session ends even if it is used.
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

    /// Returns whether the session has expired. A session expires at its maximum age, or earlier if it is not used.
    public func isExpired(at time: Timestamp) -> Bool { idleExpiresAt <= time }
}

/// A session to be started.
package struct NewSession: Sendable {
    /// The session's token. The token has no owner yet. The start of the session is stored as its first use.
    package let token: StoredToken
    /// The maximum number of sessions of the profile. If a profile has more sessions, the least recently used sessions
    /// end.
    package let mostOfProfile: Int
    /// The device to remember; nil if the caller did not ask for it.
    package let device: NewDevice?

    package init(
        _ hash: TokenHash, label: AccountLabel?, under policy: SessionPolicy, at time: Timestamp,
        device: NewDevice? = nil
    ) {
        self.device = device
        let renewal = StoredToken.Renewal(
            idleTime: policy.idleTime.wholeMilliseconds, latestExpiry: time.advanced(by: policy.lifetime))
        token = StoredToken(
            hash, name: label, createdAt: time, expiresAt: renewal.expiry(usedAt: time), renewal: renewal,
            lastUsedAt: time)
        mostOfProfile = policy.mostOfProfile
    }
}
