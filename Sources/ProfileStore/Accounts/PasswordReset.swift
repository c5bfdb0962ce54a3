/// The permission to set the password of a profile once, for a limited time, without the present password.
public struct PasswordReset: Hashable, Sendable {
    /// The profile whose password can be set.
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
