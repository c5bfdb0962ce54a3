public import ProfileCore
internal import SecretHashing

extension ProfileSchema {
    /// The SHA-256, in lower-case hexadecimal digits, of the schema's one-line document. Schemas with the same rules
    /// have the same fingerprint.
    public var fingerprint: String { SHA256.hexadecimal(Array(document().utf8).span) }
}
