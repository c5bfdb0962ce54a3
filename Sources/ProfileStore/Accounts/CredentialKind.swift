/// One of the two secrets of a profile.
public enum CredentialKind: String, Sendable, CaseIterable {
    /// The password, which is a field of the schema and is used to log in.
    case password
    /// The passcode, which follows ``/SecretHashing/PasscodePolicy``. ``ProfileRepository/Passcodes`` creates,
    /// validates and edits it.
    case passcode
}
