public import ProfileCore
internal import SecretHashing

extension ProfileSchema {
    /// SHA-256 of the document on one line, in lower-case hexadecimal digits: the same for files with the same rules.
    public var fingerprint: String { SHA256.hexadecimal(Array(document().utf8).span) }
}
