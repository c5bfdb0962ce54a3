/// The reason why a given hash is refused.
///
/// It may contain the scheme, a length, the version or a cost of the hash, but never its salt or digest.
public enum UnsupportedHash: Error, Hashable, Sendable {
    /// The text does not begin with the prefix of a supported scheme.
    case unknownScheme
    /// The text does not follow the grammar of its scheme. A part is missing, has the wrong length, or is not in its
    /// canonical encoding. Or a yescrypt hash has a mode that is not supported.
    case malformed(PasswordHash.Scheme)
    /// A length, version or cost is outside the allowed range.
    ///
    /// If the number in the text has more than 18 digits, the value is `Int.max`.
    case outOfBounds(Measure, value: Int, allowed: ClosedRange<Int>)

    /// A measured property of a hash. The name of a size in bytes or KiB contains the unit.
    public enum Measure: String, Sendable {
        /// The length of the whole text in bytes.
        case textBytes = "text_bytes"
        /// The version of Argon2. 19 is version 1.3, which RFC 9106 defines.
        case version
        /// The memory in KiB: `m` of Argon2, or 128·N·r of scrypt and yescrypt.
        case memoryKiB = "memory_kib"
        /// `t` of Argon2, the number of rounds of SHA-512-crypt, or `t` of a yescrypt hash in scrypt mode.
        case iterations
        /// `p` of Argon2, scrypt and yescrypt.
        case parallelism
        /// `r` of scrypt and yescrypt.
        case blockSize = "block_size"
        /// The cost of bcrypt, or log₂ N of scrypt and yescrypt.
        case logarithmicCost = "logarithmic_cost"
        /// N·r·p·(t + 1) of scrypt and yescrypt. For scrypt, t is 0.
        case work
        /// The length of the salt in bytes. If the scheme encodes the salt, this is the decoded length.
        case saltBytes = "salt_bytes"
        /// The length of the decoded hash in bytes. Salt and parameters are not included.
        case hashBytes = "hash_bytes"
    }
}
