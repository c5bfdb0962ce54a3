public import ProfileCore

extension ProfileRepository {
    /// Returns the session or the access token that has this token, and records its use. Returns nil if there is no such
    /// token, or if it has ended or expired.
    ///
    /// The prefix of the token decides where to look, so the call costs one look-up; see ``Sessions/find(_:)``. For the
    /// token of a reset, the call returns nil.
    public func bearer(_ token: Secret) async throws(ProfileStoreError) -> Bearer? {
        if let session = try await sessions.find(token) { return .session(session) }
        return try await tokens.find(token).map(Bearer.access)
    }
}
