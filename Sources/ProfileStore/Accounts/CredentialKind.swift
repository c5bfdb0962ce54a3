/// Which of a profile's two secrets.
public enum CredentialKind: String, Sendable, CaseIterable {
    /// A field of the schema; logs in.
    case password
    /// Follows the ``/SecretHashing/PasscodePolicy``; the create, validate and edit flows.
    case passcode
}
