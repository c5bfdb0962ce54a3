/// One of the two secrets of a profile.
public enum CredentialKind: String, Sendable, CaseIterable {
    /// The password that a user logs in with. It is a field of the schema.
    case password
    /// The passcode. It must satisfy ``/SecretHashing/PasscodePolicy``. ``ProfileRepository/Passcodes`` creates,
    /// validates and edits passcodes.
    case passcode
}
