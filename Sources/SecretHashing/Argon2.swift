internal import CSodium
internal import Platform
internal import ProfileCore

/// Argon2 through libsodium.
enum Argon2 {
    /// Initialises libsodium once per process.
    static func prepare() throws(HashingError) {
        guard sodium_init() >= 0 else { throw .unavailable }
    }

    /// Makes a hash with a random salt.
    static func hash(_ secret: Secret, under policy: HashingPolicy) throws(HashingError) -> PasswordHash {
        let outcome: Result<PasswordHash, HashingError> = secret.withCString { characters, count in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(crypto_pwhash_argon2id_STRBYTES)) { text in
                guard let start = text.baseAddress,
                    crypto_pwhash_argon2id_str(
                        start, characters, UInt64(count), policy.cost.operations, policy.cost.memoryBytes) == 0
                else { return .failure(.outOfMemory) }
                let bytes = UnsafeRawBufferPointer(start: start, count: strlen(start)).bindMemory(to: UInt8.self)
                return Result { () throws(UnsupportedHash) in try PasswordHash(parsing: bytes.span) }
                    .mapError { _ in .unverifiable(.argon2id) }
            }
        }
        return try outcome.get()
    }

    /// Computes a hash and discards it, because the call must take as long as a real verification.
    static func spend(_ secret: Secret, under policy: HashingPolicy) throws(HashingError) {
        let salt = [UInt8](repeating: 0, count: saltBytes)
        _ = try compute(secret, .argon2id, policy.cost, salt: salt, byteCount: 32)
    }

    /// Returns whether an Argon2id or Argon2i hash matches the secret.
    ///
    /// - Throws: `.outOfMemory`, or `.unverifiable` if libsodium cannot read the hash.
    static func matches(_ secret: Secret, _ hash: PasswordHash) throws(HashingError) -> Bool {
        guard let stored = StoredHash(hash) else { throw .unverifiable(hash.scheme) }
        guard stored.canBeComputed else { return try verify(secret, hash, stored.cost) }
        return try compute(secret, hash.scheme, stored.cost, salt: stored.salt, byteCount: stored.hash.count)
            == stored.hash
    }

    /// The length of a salt that `crypto_pwhash` accepts.
    private static let saltBytes = Int(crypto_pwhash_argon2id_SALTBYTES)

    /// Computes a hash of one lane with a salt of 16 bytes.
    ///
    /// - Returns: The bytes of the hash as a `Secret`. The reason: a `Secret` is compared in constant time, and its
    ///   memory is zeroed.
    private static func compute(
        _ secret: Secret, _ scheme: PasswordHash.Scheme, _ cost: PasswordHash.Argon2Cost, salt: [UInt8], byteCount: Int
    ) throws(HashingError) -> Secret {
        let (function, algorithm) =
            scheme == .argon2i
            ? (crypto_pwhash_argon2i, crypto_pwhash_argon2i_ALG_ARGON2I13)
            : (crypto_pwhash_argon2id, crypto_pwhash_argon2id_ALG_ARGON2ID13)
        return try Secret(capacity: byteCount) { output throws(HashingError) in
            let (code, reason) = output.withUnsafeMutableBufferPointer { buffer, used -> (Int32, Int32) in
                guard let start = buffer.baseAddress else { return (-1, EINVAL) }
                used = byteCount
                return secret.withCString { characters, count in
                    errno = 0
                    let code = function(
                        start, UInt64(byteCount), characters, UInt64(count), salt, cost.operations, cost.memoryBytes,
                        algorithm)
                    return (code, errno)
                }
            }
            guard code != 0 else { return }
            // If libsodium does not accept an argument, it sets `errno` to one of these two values. The only other
            // reason for a failure is a lack of memory.
            throw reason == EINVAL || reason == EFBIG ? .unverifiable(scheme) : .outOfMemory
        }
    }

    /// Verifies a hash with any salt and any number of lanes.
    ///
    /// libsodium 1.0.18 returns false both for a lack of memory and for a wrong secret. So this method first checks
    /// that the memory is available. If another thread uses the memory after this check, the method may return false
    /// for the right secret. It never returns true for a wrong secret.
    private static func verify(
        _ secret: Secret, _ hash: PasswordHash, _ cost: PasswordHash.Argon2Cost
    ) throws(HashingError) -> Bool {
        try MemoryProbe.require(cost)
        let verify = hash.scheme == .argon2i ? crypto_pwhash_argon2i_str_verify : crypto_pwhash_argon2id_str_verify
        let (code, reason) = secret.withCString { characters, count in
            hash.text.withCString { text in
                errno = 0
                return (verify(text, characters, UInt64(count)), errno)
            }
        }
        if code == 0 { return true }
        // For a mismatch, libsodium sets `EINVAL`. For a hash that it cannot decode, it does not set `errno`.
        guard reason == EINVAL else { throw .unverifiable(hash.scheme) }
        return false
    }

    /// The parts of the text of an Argon2 hash.
    private struct StoredHash {
        let cost: PasswordHash.Argon2Cost
        let salt: [UInt8]
        let hash: Secret
        /// The minimum number of passes that `crypto_pwhash` accepts for the scheme.
        private let leastIterations: UInt32

        init?(_ hash: PasswordHash) {
            switch hash.parameters {
            case .argon2id(let cost): (self.cost, leastIterations) = (cost, crypto_pwhash_argon2id_OPSLIMIT_MIN)
            case .argon2i(let cost): (self.cost, leastIterations) = (cost, crypto_pwhash_argon2i_OPSLIMIT_MIN)
            case .bcrypt, .yescrypt, .scrypt, .sha512crypt: return nil
            }
            // Salt and hash are the last two parts: `$argon2id$v=19$m=…,t=…,p=…$SALT$HASH`.
            let parts = hash.text.split(separator: "$").suffix(2).compactMap(Self.decoded)
            guard parts.count == 2, let salt = parts.first, let computed = parts.last else { return nil }
            self.salt = salt
            self.hash = Secret(computed.span)
        }

        /// Whether `crypto_pwhash` can compute this hash. `crypto_pwhash` is preferred, because it reports a lack of
        /// memory. `crypto_pwhash_…_str_verify` does not report it.
        var canBeComputed: Bool {
            salt.count == saltBytes && cost.parallelism == 1 && cost.iterations >= leastIterations
        }

        private static func decoded(_ text: Substring) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: text.utf8.count)
            var count = 0
            let code = text.withCString {
                sodium_base642bin(
                    &bytes, bytes.count, $0, text.utf8.count, nil, &count, nil,
                    sodium_base64_VARIANT_ORIGINAL_NO_PADDING)
            }
            return code == 0 ? Array(bytes.prefix(count)) : nil
        }
    }
}

extension PasswordHash.Argon2Cost {
    /// The cost in libsodium's units. The limits of `PasswordHash` prevent an overflow.
    fileprivate var operations: UInt64 { UInt64(iterations) }
    fileprivate var memoryBytes: Int { memoryKiB * 1024 }
}

extension Secret {
    /// Passes a copy of the bytes to C code, with a NUL at the end. The copy is zeroed afterwards.
    ///
    /// - Parameter body: Receives the characters and their number, without the NUL.
    /// - Returns: The result of `body`.
    func withCString<Result>(_ body: (UnsafePointer<CChar>, Int) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { buffer in
            let bytes = self.bytes
            for index in bytes.indices { buffer.initializeElement(at: index, to: bytes[index]) }
            buffer.initializeElement(at: count, to: 0)
            defer { if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) } }
            return buffer.withMemoryRebound(to: CChar.self) { characters in
                // The buffer is never empty, so the empty string is never used.
                characters.baseAddress.map { body($0, count) } ?? body("", 0)
            }
        }
    }
}
