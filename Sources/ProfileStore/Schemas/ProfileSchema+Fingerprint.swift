public import ProfileCore
internal import SecretHashing

extension ProfileSchema {
    /// The SHA-256 of the schema's document, written on one line, in lower-case hexadecimal digits. Files with the same
    /// rules have the same fingerprint.
    public var fingerprint: String { SHA256.hexadecimal(Array(document().utf8).span) }
}
