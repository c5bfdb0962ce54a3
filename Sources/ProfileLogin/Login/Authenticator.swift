public import ProfileCore

/// Whoever knows which password is right: a store, a remote service, or a test.
///
/// ``LoginService`` asks one, in a task of its own that it cancels when nobody waits for the answer any more.
public protocol Authenticator: Sendable {
    /// Says who somebody is.
    ///
    /// - Parameters:
    ///   - username: Without white space around it.
    ///   - password: As it was typed.
    /// - Returns: The profile of this username.
    /// - Throws: ``LoginError``, which reaches the caller of the service unchanged.
    func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile
}
