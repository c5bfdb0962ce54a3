package import ProfileCore
internal import SecretHashing

/// What is kept of a token: the SHA-256 of its 256 bits, in hexadecimal digits.
///
/// A token is looked up by it in an index. How long that takes may tell how far two hashes agree, and helps nobody: to come
/// closer to a stored one, a guess would have to be chosen by its hash. So nothing here is compared in constant time.
package struct TokenHash: Hashable, Sendable {
    /// 64 lower-case hexadecimal digits.
    package let text: String

    /// What is known of a token that somebody shows; nil for anything but a token of this kind.
    package init?(of token: Secret, _ kind: TokenKind) {
        guard let token = BearerToken(token, prefix: kind.prefix) else { return nil }
        text = token.hash
    }

    /// Takes a hash from where it is kept.
    package init(stored text: String) { self.text = text }

    /// What the token is called.
    package var id: TokenID { TokenID(firstDigitsOf: text) }
}
