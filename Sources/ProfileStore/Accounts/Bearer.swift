/// The person or the program that has presented a token.
public enum Bearer: Hashable, Sendable {
    /// A person who presented the token of a session.
    case session(LoginSession)
    /// A program that presented an access token.
    case access(AccessToken)
}
