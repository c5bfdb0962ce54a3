package import ProfileCore
internal import SecretHashing

/// The stored form of a token: its kind, and the SHA-256 of its 256 bits in hexadecimal digits.
///
/// A token is looked up by it in an index. How long that takes may tell how far two hashes agree, and helps nobody: to come
/// closer to a stored one, a guess would have to be chosen by its hash. So nothing here is compared in constant time.
package struct TokenHash: Hashable, Sendable {
    package let kind: TokenKind
    /// 64 lower-case hexadecimal digits.
    package let text: String

    /// What is known of a token that somebody shows; nil for anything but a token of this kind.
    package init?(of token: Secret, _ kind: TokenKind) {
        guard let token = BearerToken(token, prefix: kind.prefix) else { return nil }
        self.kind = kind
        text = token.hash
    }

    /// Takes a hash that is stored for a token of this kind.
    package init(stored text: String, _ kind: TokenKind) {
        self.kind = kind
        self.text = text
    }

    /// What the token is called.
    package var id: TokenID { TokenID(firstDigitsOf: text) }
}
