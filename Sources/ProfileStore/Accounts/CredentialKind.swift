/// One of the two secrets of a profile.
public enum CredentialKind: String, Sendable, CaseIterable {
    /// A field of the schema, used to log in.
    case password
    /// Follows ``/SecretHashing/PasscodePolicy``, and has flows to create, validate and edit it.
    case passcode
}
