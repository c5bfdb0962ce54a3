/// Somebody who is logged in, on one device.
public struct Session: Hashable, Identifiable, Sendable {
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
    /// How long it may be left alone, in milliseconds.
    package let idleTime: Int64

    package init(
        id: TokenID, profileID: Int64, username: String, label: AccountLabel?, createdAt: Timestamp,
        lastUsedAt: Timestamp, idleExpiresAt: Timestamp, expiresAt: Timestamp, idleTime: Int64
    ) {
        self.id = id
        self.profileID = profileID
        self.username = username
        self.label = label
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.idleExpiresAt = idleExpiresAt
        self.expiresAt = expiresAt
        self.idleTime = idleTime
    }

    /// Whether it has ended by itself, since nobody used it or for its age.
    public func isExpired(at time: Timestamp) -> Bool { idleExpiresAt <= time }
}

/// A session that is to be started.
package struct NewSession: Sendable {
    package let hash: TokenHash
    package let label: AccountLabel?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// In milliseconds.
    package let idleTime: Int64
    /// Most sessions of the profile; those that were used least lately give way.
    package let mostOfProfile: Int

    package init(_ hash: TokenHash, label: AccountLabel?, under policy: SessionPolicy, at time: Timestamp) {
        self.hash = hash
        self.label = label
        createdAt = time
        expiresAt = time.advanced(by: policy.lifetime)
        idleTime = policy.idleTime.wholeMilliseconds
        mostOfProfile = policy.mostOfProfile
    }

    package var idleExpiresAt: Timestamp { min(createdAt.advanced(byMilliseconds: idleTime), expiresAt) }

    /// The session, once it is known whose it is.
    package func session(of profileID: Int64, _ username: String) -> Session {
        Session(
            id: hash.id, profileID: profileID, username: username, label: label, createdAt: createdAt,
            lastUsedAt: createdAt, idleExpiresAt: idleExpiresAt, expiresAt: expiresAt, idleTime: idleTime)
    }
}
