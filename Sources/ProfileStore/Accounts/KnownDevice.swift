/// A device on which a person has logged in to a profile. The device has a token, which OWASP calls a device cookie.
///
/// Attempts to log in to this profile from this device are counted for the device and not for the username. So the
/// person can log in from the device even if failed attempts of strangers have locked the username.
public struct KnownDevice: Hashable, Identifiable, Sendable {
    /// The id. A client cannot present the id in place of the token.
    public let id: TokenID
    /// The id of the profile.
    public let profileID: Int64
    /// The present username of the profile.
    public let username: String
    /// The description of the device.
    public let label: AccountLabel?
    /// The time of the first login on the device.
    public let createdAt: Timestamp
    /// The time of the last login on the device.
    public let lastUsedAt: Timestamp
    /// The time at which the device is forgotten unless the person logs in on it again.
    public let expiresAt: Timestamp

    /// A device stays known for this time after its last login: 180 days.
    public static let lifetime = Duration.seconds(180 * 86_400)
    /// The maximum number of devices of one profile. If a profile gets one more device, the device with the oldest last
    /// login is forgotten.
    public static let mostOfProfile = 20

    /// Creates a device from a stored token. Returns nil if the token is not the token of a device.
    package init?(_ token: StoredToken) {
        guard token.kind == .device, let owner = token.owner, let expiry = token.expiresAt else { return nil }
        id = token.hash.id
        profileID = owner.profileID
        username = owner.username
        label = token.name
        createdAt = token.createdAt
        lastUsedAt = token.lastUsedAt ?? token.createdAt
        expiresAt = expiry
    }
}

/// A session that has started on a device.
public struct StartedSession: Sendable {
    /// The session and its token.
    public let session: IssuedToken<LoginSession>
    /// The device and its token, which the device presents at its next login. Nil if the caller did not ask for it.
    public let device: IssuedToken<KnownDevice>?
}

/// A device to remember when a session starts.
package struct NewDevice: Sendable {
    /// The token that the device has presented; nil if it has none.
    package let presented: TokenHash?
    /// The new token of the device. It is used unless the presented token belongs to the profile and has not expired.
    package let token: StoredToken

    package init(presented: TokenHash?, _ hash: TokenHash, label: AccountLabel?, at time: Timestamp) {
        self.presented = presented
        token = StoredToken(
            hash, name: label, createdAt: time, expiresAt: time.advanced(by: KnownDevice.lifetime), lastUsedAt: time)
    }

    /// Returns the presented token with a new expiry; nil if the token has ended or belongs to another profile.
    package func renewed(_ found: StoredToken?, of profileID: Int64) -> StoredToken? {
        guard let found, found.owner?.profileID == profileID, !found.isExpired(at: token.createdAt) else { return nil }
        return StoredToken(
            found.hash, name: found.name, createdAt: found.createdAt, expiresAt: token.expiresAt,
            lastUsedAt: token.lastUsedAt)
    }
}
