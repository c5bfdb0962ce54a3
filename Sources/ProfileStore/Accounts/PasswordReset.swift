/// Permits a user to set the password of a profile once. The user does not need the present password. The permission
/// expires after some time.
public struct PasswordReset: Hashable, Sendable {
    /// The profile that the reset applies to.
    public let profileID: Int64
    /// The present username of the profile.
    public let username: String
    /// The time at which an administrator issued the reset.
    public let createdAt: Timestamp
    /// The time of expiry.
    public let expiresAt: Timestamp

    package init(profileID: Int64, username: String, createdAt: Timestamp, expiresAt: Timestamp) {
        self.profileID = profileID
        self.username = username
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
