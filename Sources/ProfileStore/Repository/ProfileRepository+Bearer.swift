public import ProfileCore

extension ProfileRepository {
    /// Returns the session or the access token that a token represents, and records its use. Returns nil if the token
    /// is unknown, or if the session or the access token has ended or expired.
    ///
    /// The prefix of the token shows its kind, so the call costs one look-up; see ``Sessions/find(_:)``. For the token
    /// of a reset or of a device, the call returns nil.
    public func bearer(_ token: Secret) async throws(ProfileStoreError) -> Bearer? {
        if let session = try await sessions.find(token) { return .session(session) }
        return try await tokens.find(token).map(Bearer.access)
    }
}
