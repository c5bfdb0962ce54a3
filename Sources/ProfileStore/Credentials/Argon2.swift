import CSodium
import Glibc
import ProfileCore

/// Argon2 through libsodium.
enum Argon2 {
    /// Prepares libsodium, once a process however often it is called.
    static func prepare() throws(HashingError) {
        guard sodium_init() >= 0 else { throw .unavailable }
    }

    /// Makes a hash with a random salt.
    static func hash(_ secret: Secret, under policy: HashingPolicy) throws(HashingError) -> PasswordHash {
        let outcome: Result<PasswordHash, HashingError> = secret.withCString { characters, count in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(crypto_pwhash_argon2id_STRBYTES)) { text in
                guard let start = text.baseAddress,
                    crypto_pwhash_argon2id_str(
                        start, characters, UInt64(count), policy.operations, policy.memoryBytes) == 0
                else { return .failure(.outOfMemory) }
                let bytes = UnsafeRawBufferPointer(start: start, count: strlen(start)).bindMemory(to: UInt8.self)
                return Result { () throws(UnsupportedHash) in try PasswordHash(parsing: bytes.span) }
                    .mapError { _ in .unverifiable(.argon2id) }
            }
        }
        return try outcome.get()
    }

    /// Computes a hash and throws it away, to spend the time that one takes.
    static func spend(_ secret: Secret, under policy: HashingPolicy) throws(HashingError) {
        let code = secret.withCString { characters, count in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 48) { buffer -> Int32 in
                buffer.initialize(repeating: 0)
                guard let output = buffer.baseAddress else { return -1 }
                let salt = UnsafePointer(output + 32)
                let code = crypto_pwhash_argon2id(
                    output, 32, characters, UInt64(count), salt, policy.operations, policy.memoryBytes,
                    crypto_pwhash_argon2id_ALG_ARGON2ID13)
                explicit_bzero(output, buffer.count)
                return code
            }
        }
        guard code == 0 else { throw .outOfMemory }
    }

    /// Whether the secret is the one of an Argon2id or Argon2i hash.
    ///
    /// libsodium 1.0.18 does not tell a lack of memory from a wrong secret: it answers false for both.
    ///
    /// - Throws: `.unverifiable` when libsodium cannot read the hash.
    static func matches(_ secret: Secret, _ hash: PasswordHash) throws(HashingError) -> Bool {
        let verify = hash.scheme == .argon2i ? crypto_pwhash_argon2i_str_verify : crypto_pwhash_argon2id_str_verify
        let (code, reason) = secret.withCString { characters, count in
            hash.text.withCString { text in
                errno = 0
                return (verify(text, characters, UInt64(count)), errno)
            }
        }
        if code == 0 { return true }
        // The errno of a mismatch; text that cannot be decoded sets none.
        guard reason == EINVAL else { throw .unverifiable(hash.scheme) }
        return false
    }
}

extension HashingPolicy {
    /// In libsodium's units; the bounds of a policy are far from overflow.
    fileprivate var operations: UInt64 { UInt64(cost.iterations) }
    fileprivate var memoryBytes: Int { cost.memoryKiB * 1024 }
}

extension Secret {
    /// Lends the bytes to C with a NUL after them, in a copy that is zeroed afterwards.
    ///
    /// - Parameter body: gets the characters and their number, the NUL not counted.
    /// - Returns: what `body` returns.
    func withCString<Result>(_ body: (UnsafePointer<CChar>, Int) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { buffer in
            let bytes = self.bytes
            for index in bytes.indices { buffer.initializeElement(at: index, to: bytes[index]) }
            buffer.initializeElement(at: count, to: 0)
            defer { if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) } }
            return buffer.withMemoryRebound(to: CChar.self) { characters in
                // The buffer has one element at least.
                characters.baseAddress.map { body($0, count) } ?? body("", 0)
            }
        }
    }
}
