internal import CCrypt
internal import Platform
internal import ProfileCore

/// The function crypt(3) of libxcrypt. It verifies hashes of all schemes except Argon2.
enum SystemCrypt {
    /// Returns whether the bytes of the secret, as they were typed, match a hash.
    ///
    /// A C string ends at its first NUL, so only the part of a secret before a NUL would be compared. Therefore a
    /// secret with a NUL never matches.
    ///
    /// - Throws: `.outOfMemory`, or `.unverifiable` if the system's libcrypt was built without the scheme.
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
                // `errno` does not show the reason, because yescrypt and scrypt also set EINVAL if there is not enough
                // memory. If libxcrypt supports the scheme of a parsed hash, a lack of memory is the only possible
                // reason.
                let isKnown = crypt_checksalt(hash.text) != CRYPT_SALT_INVALID
                return .failure(isKnown ? .outOfMemory : .unverifiable(hash.scheme))
            }
            let computed = UnsafeRawBufferPointer(start: answer, count: strlen(answer)).bindMemory(to: UInt8.self)
            // `Secret` compares in constant time.
            return .success(Secret(computed.span) == Secret(hash.text))
        }
        return try outcome.get()
    }

    /// bcrypt reads only the first 72 bytes of a secret.
    static let bcryptLimit = 72

    /// Returns the part of the secret that is passed to crypt(3); nil if crypt(3) does not accept the secret.
    private static func phrase(from secret: Secret, for scheme: PasswordHash.Scheme) -> Secret? {
        let bytes = secret.bytes
        for index in bytes.indices where bytes[index] == 0 { return nil }
        // libxcrypt refuses more than 511 bytes for every scheme, even for bcrypt. bcrypt reads fewer bytes, so the
        // bytes that it would not read are removed first.
        if scheme == .bcrypt { return Secret(bytes.extracting(first: bcryptLimit)) }
        return bytes.count < CRYPT_MAX_PASSPHRASE_SIZE ? secret : nil
    }
}
