/// A password hash that was parsed completely. Its cost is within the limits.
///
/// A caller may verify a password against it without further checks. The verification takes at most 1 GiB of memory and
/// a few seconds (P8).
///
/// | scheme | text | limits |
/// |---|---|---|
/// | Argon2id, Argon2i | `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH` (PHC string) | m ≤ 1,048,576 KiB, m ≥ 8·p, t ≤ 10, p ≤ 16, salt 8–64 bytes, hash 16–128 bytes |
/// | bcrypt | `$2b$12$` and 53 characters; also `$2a$`, `$2y$` | cost 4–16 |
/// | yescrypt | `$y$j9T$SALT$HASH`; hashes that use yescrypt's ROM or upgrades are refused | the limits of scrypt |
/// | scrypt | `$7$CU..../....SALT$HASH` | 128·N·r ≤ 1 GiB, r·p ≤ 4,096, N·r·p·(t + 1) ≤ 2²⁴ |
/// | SHA-512-crypt | `$6$rounds=5000$SALT$HASH`; `rounds` is optional | rounds 1,000–1,000,000 |
///
/// `Argon2Cost` explains m, t and p. `ScryptCost` explains N, r, p and t. The format of Argon2 is defined by the PHC
/// string format and RFC 9106. All other formats are defined by crypt(5) of libxcrypt.
public struct PasswordHash: Sendable, Equatable {
    /// The text of the hash as it was given. It is ASCII.
    public let text: String
    /// The scheme and its cost parameters.
    public let parameters: Parameters

    /// Parses a hash. This is the only way to create a `PasswordHash`.
    ///
    /// - Parameter bytes: The whole text. No white space may surround it.
    /// - Throws: `UnsupportedHash` if the scheme is unknown, the text is malformed, or a parameter is out of bounds.
    public init(parsing bytes: Span<UInt8>) throws(UnsupportedHash) {
        parameters = try Parameters(parsing: bytes)
        text = String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for index in bytes.indices { buffer[index] = bytes[index] }
            return bytes.count
        }
    }

    /// Checks a hash in the same way as `init(parsing:)`. It creates no value and allocates no memory.
    ///
    /// - Returns: The reason why the hash is refused, or nil if it is supported.
    public static func check(_ bytes: Span<UInt8>) -> UnsupportedHash? {
        do throws(UnsupportedHash) {
            _ = try Parameters(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// The scheme of the hash.
    public var scheme: Scheme { parameters.scheme }

    /// The supported hash schemes.
    public enum Scheme: String, Sendable, CaseIterable {
        /// `$argon2id$` (RFC 9106). New passwords are hashed with this scheme.
        case argon2id
        /// `$argon2i$` (RFC 9106). Its memory access pattern does not depend on the password.
        case argon2i
        /// `$2b$`, `$2y$` and `$2a$`.
        case bcrypt
        /// `$y$`, the successor of scrypt. It is the default of crypt(3) on many Linux systems.
        case yescrypt
        /// `$7$` (RFC 7914), in the notation of crypt(3).
        case scrypt
        /// `$6$`. It runs many rounds of SHA-512 and needs hardly any memory.
        case sha512crypt = "sha512-crypt"
    }

    /// A scheme with its cost parameters.
    public enum Parameters: Sendable, Equatable {
        /// Argon2id with its memory, passes and lanes.
        case argon2id(Argon2Cost)
        /// Argon2i with its memory, passes and lanes.
        case argon2i(Argon2Cost)
        /// bcrypt with 2 to the power of `cost` rounds.
        case bcrypt(cost: Int)
        /// yescrypt with its N, r, p and t.
        case yescrypt(ScryptCost)
        /// scrypt with its N, r and p; t is 0.
        case scrypt(ScryptCost)
        /// SHA-512-crypt with its number of rounds, which is 5,000 if the text has no `rounds`.
        case sha512crypt(rounds: Int)

        /// The scheme of the parameters.
        public var scheme: Scheme {
            switch self {
            case .argon2id: .argon2id
            case .argon2i: .argon2i
            case .bcrypt: .bcrypt
            case .yescrypt: .yescrypt
            case .scrypt: .scrypt
            case .sha512crypt: .sha512crypt
            }
        }
    }

    /// The maximum length of a hash in bytes. Every hash within the limits of its scheme is much shorter.
    public static let maximumLength = 512
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme only. The hash is omitted, because programs often write descriptions to logs.
    public var description: String { "PasswordHash(\(scheme.rawValue))" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Shows the parameters only.
    public var customMirror: Mirror { Mirror(self, children: ["parameters": parameters], displayStyle: .struct) }
}

extension PasswordHash.Parameters {
    init(parsing bytes: Span<UInt8>) throws(UnsupportedHash) {
        let lengths = 0...PasswordHash.maximumLength
        try UnsupportedHash.require(.textBytes, bytes.count, in: lengths)
        var reader = HashReader(bytes)
        if reader.take("$argon2id$") {
            self = .argon2id(try PasswordHash.Argon2Cost(parsing: &reader, of: .argon2id))
        } else if reader.take("$argon2i$") {
            self = .argon2i(try PasswordHash.Argon2Cost(parsing: &reader, of: .argon2i))
        } else if reader.take("$2b$") || reader.take("$2y$") || reader.take("$2a$") {
            self = .bcrypt(cost: try parseBcrypt(&reader))
        } else if reader.take("$6$") {
            self = .sha512crypt(rounds: try parseSHA512Crypt(&reader))
        } else if reader.take("$y$") {
            self = .yescrypt(try PasswordHash.ScryptCost(parsingYescrypt: &reader))
        } else if reader.take("$7$") {
            self = .scrypt(try PasswordHash.ScryptCost(parsingScrypt: &reader))
        } else {
            throw .unknownScheme
        }
    }
}

extension UnsupportedHash {
    /// Throws `outOfBounds` if a value is not in the allowed range.
    @inline(__always)
    static func require(
        _ measure: Measure, _ value: Int, in allowed: ClosedRange<Int>
    ) throws(UnsupportedHash) {
        guard allowed.contains(value) else { throw .outOfBounds(measure, value: value, allowed: allowed) }
    }
}
