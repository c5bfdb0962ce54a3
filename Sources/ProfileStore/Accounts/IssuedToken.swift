public import ProfileCore
internal import SecretHashing

/// A new token and the value that it represents. The token cannot be read again later.
///
/// The token is a ``/ProfileCore/Secret``, so it is not printed by accident. The store keeps only the hash of the
/// token.
public struct IssuedToken<Value: Sendable>: Sendable {
    /// The session, access token, reset or device that the token represents.
    public let value: Value
    /// The token: a prefix, then 43 letters, digits, hyphens and underscores. The prefix is `ps_` for a session, `pt_`
    /// for an access token, `pr_` for a reset, and `pd_` for a device.
    public let token: Secret

    /// The token as a text, for a cookie or a header. The memory of a text cannot be zeroed. So read this property only
    /// once, when the token is sent.
    public var text: String { String(token.bytes) }

    init(_ value: Value, _ token: Secret) {
        self.value = value
        self.token = token
    }
}

/// A new token that is not stored yet.
struct NewToken {
    let text: Secret
    let hash: TokenHash

    init(_ kind: TokenKind) throws(HashingError) {
        let token = try BearerToken()
        text = token.text(prefix: kind.prefix)
        hash = TokenHash(stored: token.hash, kind)
    }
}
