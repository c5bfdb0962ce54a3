internal import CCrypt
internal import Platform
internal import ProfileCore

/// crypt(3) of libxcrypt, which verifies the schemes that are not Argon2.
enum SystemCrypt {
    /// Whether the secret, byte by byte as it was typed, is the one of a hash.
    ///
    /// A C string ends at its first NUL, so that a secret with one would be taken for its beginning: it never matches.
    ///
    /// - Throws: `.outOfMemory`, or `.unverifiable` where the system's libcrypt was built without the scheme.
    static func matches(_ secret: Secret, _ hash: PasswordHash) throws(HashingError) -> Bool {
        guard let phrase = phrase(from: secret, for: hash.scheme) else { return false }
        var memory: UnsafeMutableRawPointer?
        var size: Int32 = 0
        defer {
            if let memory { explicit_bzero(memory, Int(size)) }
            free(memory)
        }
        let outcome: Result<Bool, HashingError> = phrase.withCString { characters, _ in
            guard let answer = crypt_ra(characters, hash.text, &memory, &size) else {
                // Its errno does not say: yescrypt and scrypt set EINVAL for want of memory too. But a hash that was
                // parsed whole, of a scheme that libxcrypt has, fails of nothing else.
                let isKnown = crypt_checksalt(hash.text) != CRYPT_SALT_INVALID
                return .failure(isKnown ? .outOfMemory : .unverifiable(hash.scheme))
            }
            let computed = UnsafeRawBufferPointer(start: answer, count: strlen(answer)).bindMemory(to: UInt8.self)
            // `Secret` compares in constant time.
            return .success(Secret(computed.span) == Secret(hash.text))
        }
        return try outcome.get()
    }

    /// bcrypt reads 72 bytes of a secret and no more.
    static let bcryptLimit = 72

    /// What crypt(3) is given, or nil where it cannot be given the secret.
    private static func phrase(from secret: Secret, for scheme: PasswordHash.Scheme) -> Secret? {
        let bytes = secret.bytes
        for index in bytes.indices where bytes[index] == 0 { return nil }
        // libxcrypt takes 511 bytes at most, whatever the scheme would read of them.
        if scheme == .bcrypt { return Secret(bytes.extracting(first: bcryptLimit)) }
        return bytes.count < CRYPT_MAX_PASSPHRASE_SIZE ? secret : nil
    }
}
