internal import CSodium
package import ProfileCore

/// A bearer token of 256 random bits, for example the token of a session.
///
/// A token is shown once, as text. The store keeps the SHA-256 hash of the token. A slow hash or a salt is not
/// necessary, because 256 random bits cannot be guessed.
package struct BearerToken: Sendable {
    private static let byteCount = 32
    private static let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
    /// The number of characters of a token in base64url without padding (RFC 4648, section 5).
    private static let characterCount = 43

    private let bytes: Secret

    /// Draws a random token.
    ///
    /// - Throws: `HashingError.unavailable` if libsodium cannot be initialised.
    package init() throws(HashingError) {
        try Argon2.prepare()
        bytes = Secret(capacity: Self.byteCount) { output in
            output.withUnsafeMutableBufferPointer { buffer, used in
                guard let start = buffer.baseAddress else { return }
                randombytes_buf(start, Self.byteCount)
                used = Self.byteCount
            }
        }
    }

    /// Creates a token from its text. The result is nil if the text is not a token with this prefix.
    ///
    /// - Parameters:
    ///   - text: The token as text.
    ///   - prefix: The prefix of all tokens of this kind.
    package init?(_ text: Secret, prefix: String) {
        let characters = text.bytes
        let start = prefix.utf8.count
        guard characters.count == start + Self.characterCount else { return nil }
        for (index, byte) in prefix.utf8.enumerated() where characters[index] != byte { return nil }
        bytes = Secret(capacity: Self.byteCount) { output in
            output.withUnsafeMutableBufferPointer { buffer, used in
                characters.extracting(start...).withUnsafeBytes { characters in
                    guard let place = buffer.baseAddress, let text = characters.baseAddress else { return }
                    var count = 0
                    let code = sodium_base642bin(
                        place, Self.byteCount, text.assumingMemoryBound(to: CChar.self), characters.count, nil, &count,
                        nil, Self.variant)
                    used = code == 0 ? count : 0
                }
            }
        }
        guard bytes.count == Self.byteCount else { return nil }
    }

    /// The token as text: the prefix for this kind of token, then 43 characters. Each character is a letter, a digit, a
    /// hyphen or an underscore.
    package func text(prefix: String) -> Secret {
        let start = prefix.utf8.count
        // The capacity includes the NUL that libsodium writes after the text.
        return Secret(capacity: start + Self.characterCount + 1) { output in
            for byte in prefix.utf8 { output.append(byte) }
            output.withUnsafeMutableBufferPointer { buffer, used in
                bytes.bytes.withUnsafeBufferPointer { bytes in
                    guard let place = buffer.baseAddress.map({ UnsafeMutableRawPointer($0 + start) }) else { return }
                    _ = sodium_bin2base64(
                        place.assumingMemoryBound(to: CChar.self), Self.characterCount + 1, bytes.baseAddress,
                        bytes.count, Self.variant)
                }
                used = start + Self.characterCount
            }
        }
    }

    /// The stored form: SHA-256 in 64 lower-case hexadecimal digits.
    package var hash: String { SHA256.hexadecimal(bytes.bytes) }
}
