public import ProfileCore
internal import SecretHashing

/// A token that was just made, beside what it stands for: the one time that it is shown.
///
/// It is never stored or printed by itself; `token` is a ``/ProfileCore/Secret``.
public struct IssuedToken<Value: Sendable>: Sendable {
    /// What the token stands for.
    public let value: Value
    /// The token: `ps_`, `pt_` or `pr_`, by its kind, and 43 letters, digits, hyphens and underscores.
    public let token: Secret

    init(_ value: Value, _ token: Secret) {
        self.value = value
        self.token = token
    }
}

/// A token of which nothing is stored yet.
struct NewToken {
    let text: Secret
    let hash: TokenHash

    init(_ kind: TokenKind) throws(HashingError) {
        let token = try BearerToken()
        text = token.text(prefix: kind.prefix)
        hash = TokenHash(stored: token.hash, kind)
    }
}
