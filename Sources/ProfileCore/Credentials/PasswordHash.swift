/// A password hash that was parsed whole, and whose cost is known to be bounded.
///
/// Whoever holds one can verify it without another check: nothing that would cost more than a gibibyte of memory, or
/// more than some seconds, becomes one (P8).
///
/// | scheme | text | bounds |
/// |---|---|---|
/// | Argon2id, Argon2i | `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH` (PHC string) | m ≤ 1,048,576 KiB, m ≥ 8·p, t ≤ 10, p ≤ 16, salt 8–64 bytes, hash 16–128 bytes |
/// | bcrypt | `$2b$12$` and 53 characters; also `$2a$`, `$2y$` | cost 4–16 |
/// | yescrypt | `$y$j9T$SALT$HASH`; without ROM and upgrades | as scrypt |
/// | scrypt | `$7$CU..../....SALT$HASH` | 128·N·r ≤ 1 GiB, r·p ≤ 4,096, N·r·p·(t + 1) ≤ 2²⁴ |
/// | SHA-512-crypt | `$6$rounds=5000$SALT$HASH`, the rounds being optional | rounds 1,000–1,000,000 |
///
/// Sources: the PHC string format and RFC 9106 for Argon2, crypt(5) of libxcrypt for the others.
public struct PasswordHash: Sendable, Equatable {
    /// The hash as it was brought, which is ASCII.
    public let text: String
    /// The scheme and its cost.
    public let parameters: Parameters

    /// Parses a hash; the only way to make one.
    ///
    /// - Parameter bytes: the whole text, without space around it.
    /// - Throws: `UnsupportedHash` when the text is malformed or asks for too much work.
    public init(parsing bytes: Span<UInt8>) throws(UnsupportedHash) {
        parameters = try Parameters(parsing: bytes)
        text = String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for index in bytes.indices { buffer[index] = bytes[index] }
            return bytes.count
        }
    }

    /// Judges a hash as `init(parsing:)` does, without making one and without allocating memory.
    ///
    /// - Returns: what is wrong with it, or nil.
    public static func check(_ bytes: Span<UInt8>) -> UnsupportedHash? {
        do throws(UnsupportedHash) {
            _ = try Parameters(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// The scheme alone.
    public var scheme: Scheme { parameters.scheme }

    /// The ways of hashing that are understood.
    public enum Scheme: String, Sendable, CaseIterable {
        /// `$argon2id$` (RFC 9106): what new passwords are hashed with here.
        case argon2id
        /// `$argon2i$` (RFC 9106): the order in which it reads memory does not depend on the password.
        case argon2i
        /// `$2b$`, `$2y$` and `$2a$`.
        case bcrypt
        /// `$y$`: scrypt's successor, which crypt(3) makes by default on many Linux systems.
        case yescrypt
        /// `$7$`, as crypt(3) writes it (RFC 7914).
        case scrypt
        /// `$6$`: many rounds of SHA-512, and hardly any memory.
        case sha512crypt = "sha512-crypt"
    }

    /// A scheme with what decides its cost.
    public enum Parameters: Sendable, Equatable {
        /// Memory, passes and lanes of Argon2id.
        case argon2id(Argon2Cost)
        /// Memory, passes and lanes of Argon2i.
        case argon2i(Argon2Cost)
        /// 2 to the power of `cost` rounds.
        case bcrypt(cost: Int)
        /// N, r, p and t of yescrypt.
        case yescrypt(ScryptCost)
        /// N, r and p of scrypt; its t is 0.
        case scrypt(ScryptCost)
        /// Rounds of SHA-512; 5,000 where the text does not say.
        case sha512crypt(rounds: Int)

        /// The scheme alone.
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

    /// The longest text that is looked at, in bytes; every scheme's own bounds end well before it.
    public static let maximumLength = 512
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme; never the hash, since a log is no place for one.
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
    /// Throws `outOfBounds` for a value that is not allowed.
    @inline(__always)
    static func require(
        _ measure: Measure, _ value: Int, in allowed: ClosedRange<Int>
    ) throws(UnsupportedHash) {
        guard allowed.contains(value) else { throw .outOfBounds(measure, value: value, allowed: allowed) }
    }
}
