public import ProfileCore
internal import SecretHashing

/// A new token and the value that it represents. The token is shown only this once.
///
/// The token is a ``/ProfileCore/Secret``, so it is not printed by accident. The store keeps only its hash.
public struct IssuedToken<Value: Sendable>: Sendable {
    /// The session, access token or reset that the token represents.
    public let value: Value
    /// The token: `ps_`, `pt_` or `pr_` for its kind, and 43 letters, digits, hyphens and underscores.
    public let token: Secret

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
