public import ProfileCore

/// Checks a username and a password. An implementation may use a store or a remote service. In a test, it may return
/// fixed answers.
///
/// ``LoginService`` calls the authenticator in a new task. When the attempt ends, the service cancels this task.
public protocol Authenticator: Sendable {
    /// Returns the profile of a user if the password is correct.
    ///
    /// - Parameters:
    ///   - username: The username, without white space around it.
    ///   - password: The password as it was typed.
    /// - Returns: The profile of this username.
    /// - Throws: ``LoginError``. The service throws the same error to its caller.
    func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile
}
