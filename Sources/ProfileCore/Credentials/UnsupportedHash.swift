/// Why a hash that someone brought is not taken.
///
/// It carries facts only, never a part of the hash.
public enum UnsupportedHash: Error, Hashable, Sendable {
    /// No scheme that we know begins like this.
    case unknownScheme
    /// The text breaks its scheme's grammar: a part is missing, of the wrong length, or not in its canonical encoding.
    case malformed(PasswordHash.Scheme)
    /// A length, version or cost lies outside of what is taken.
    ///
    /// The value is `Int.max` where the number in the text does not fit an `Int`.
    case outOfBounds(Measure, value: Int, allowed: ClosedRange<Int>)

    /// What was measured of a hash, in the unit that its name says.
    public enum Measure: String, Sendable {
        /// Length of the whole text in bytes.
        case textBytes = "text_bytes"
        /// Version of Argon2; 19 is 1.3, the one of RFC 9106.
        case version
        /// Argon2's `m` in KiB; for scrypt and yescrypt, 128·N·r in KiB.
        case memoryKiB = "memory_kib"
        /// Argon2's `t`; the rounds of SHA-512-crypt.
        case iterations
        /// Argon2's, scrypt's and yescrypt's `p`.
        case parallelism
        /// scrypt's and yescrypt's `r`.
        case blockSize = "block_size"
        /// The binary logarithm of the work: bcrypt's cost, or N of scrypt and yescrypt.
        case logarithmicCost = "logarithmic_cost"
        /// N·r·p·(t + 1) of scrypt and yescrypt; scrypt's t is 0.
        case work
        /// Length of the salt, decoded, in bytes.
        case saltBytes = "salt_bytes"
        /// Length of the hash proper, decoded, in bytes.
        case hashBytes = "hash_bytes"
    }
}
