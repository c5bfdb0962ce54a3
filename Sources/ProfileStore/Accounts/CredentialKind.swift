/// One of the two secrets of a profile.
public enum CredentialKind: String, Sendable, CaseIterable {
    /// The password. It is a field of the schema, and a user logs in with it.
    case password
    /// The passcode. It must satisfy ``/SecretHashing/PasscodePolicy``. ``ProfileRepository/Passcodes`` creates,
    /// validates and edits it.
    case passcode
}
