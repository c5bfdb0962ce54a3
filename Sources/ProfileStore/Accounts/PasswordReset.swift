/// Leave to set a profile's password without knowing the present one: once, and not for long.
public struct PasswordReset: Hashable, Sendable {
    /// Whose password.
    public let profileID: Int64
    /// What the profile is called now.
    public let username: String
    /// When an administrator gave it.
    public let createdAt: Timestamp
    /// When it ends unless it is used before.
    public let expiresAt: Timestamp

    package init(profileID: Int64, username: String, createdAt: Timestamp, expiresAt: Timestamp) {
        self.profileID = profileID
        self.username = username
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
