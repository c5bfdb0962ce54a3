package import ProfileCore
internal import SecretHashing

/// The stored form of a token: its kind, and the SHA-256 of its 256 bits in hexadecimal digits.
///
/// An index finds a token by this hash. The time of a look-up may reveal how many leading digits of the searched hash
/// and a stored hash agree. That does not help an attacker, because it is not feasible to find the token of a given
/// hash. So hashes are not compared in constant time.
package struct TokenHash: Hashable, Sendable {
    package let kind: TokenKind
    /// 64 lower-case hexadecimal digits.
    package let text: String

    /// Hashes the text of a token; nil if the text is not that of a token of this kind.
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
