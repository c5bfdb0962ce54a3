package import ProfileCore
internal import SecretHashing

/// The stored form of a token: its kind, and the SHA-256 hash of its 256 bits. The hash is written in hexadecimal
/// digits.
///
/// An index finds a token by this hash. If an attacker measures the time of a look-up, the attacker may learn how many
/// leading digits the hash of the presented token shares with a stored hash. This does not help the attacker, because a
/// token cannot be computed from its hash. So hashes are not compared in constant time.
package struct TokenHash: Hashable, Sendable {
    package let kind: TokenKind
    /// 64 lower-case hexadecimal digits.
    package let text: String

    /// Hashes the text of a token. Returns nil if the text is not a token of this kind.
    package init?(of token: Secret, _ kind: TokenKind) {
        guard let token = BearerToken(token, prefix: kind.prefix) else { return nil }
        self.kind = kind
        text = token.hash
    }

    /// Creates the hash from its stored form.
    package init(stored text: String, _ kind: TokenKind) {
        self.kind = kind
        self.text = text
    }

    /// The id of the token.
    package var id: TokenID { TokenID(firstDigitsOf: text) }
}
