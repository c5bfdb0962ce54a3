public import ProfileCore

/// Checks a username and a password. It may use a store, a remote service, or scripted answers in a test.
///
/// ``LoginService`` calls the authenticator in a task of its own, which it cancels as soon as the attempt ends.
public protocol Authenticator: Sendable {
    /// Returns the profile of a user if the password is right.
    ///
    /// - Parameters:
    ///   - username: The username, without white space around it.
    ///   - password: The password as it was typed.
    /// - Returns: The profile of this username.
    /// - Throws: ``LoginError``, which reaches the caller of the service unchanged.
    func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile
}
