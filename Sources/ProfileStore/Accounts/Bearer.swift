/// The person or the program that has presented a token.
public enum Bearer: Hashable, Sendable {
    /// A person, by the session of a device.
    case session(LoginSession)
    /// A program.
    case access(AccessToken)
}
