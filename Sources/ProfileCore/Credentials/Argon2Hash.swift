extension PasswordHash {
    /// The cost of an Argon2 hash (RFC 9106, section 3.1).
    public struct Argon2Cost: Sendable, Equatable {
        /// The memory in KiB, `m`.
        public let memoryKiB: Int
        /// The number of passes over the memory, `t`.
        public let iterations: Int
        /// The number of lanes, `p`.
        public let parallelism: Int

        /// Creates a cost. This initializer does not check the limits. `PasswordHash` and `HashingPolicy` check them.
        public init(memoryKiB: Int, iterations: Int, parallelism: Int) {
            self.memoryKiB = memoryKiB
            self.iterations = iterations
            self.parallelism = parallelism
        }

        /// The maximum memory of a hash in KiB: 1 GiB.
        public static let maximumMemoryKiB = 1_048_576
        /// The maximum number of passes of a hash.
        public static let maximumIterations = 10
        /// The maximum number of lanes of a hash.
        public static let maximumParallelism = 16
    }
}

extension PasswordHash.Argon2Cost {
    /// Parses the text after `$argon2id$`: `v=19$m=…,t=…,p=…$SALT$HASH`. Accepts the same texts as libsodium's decoder,
    /// if all values are within the limits.
    ///
    /// Like libsodium, it refuses the optional `keyid` and `data`, a different order of the parameters, and all
    /// versions except 19.
    init(parsing reader: inout HashReader, of scheme: PasswordHash.Scheme) throws(UnsupportedHash) {
        var version = 16  // Hashes of Argon2 1.0 contain no version.
        if reader.take("v=") {
            guard let number = reader.takeDecimal(), reader.take("$") else { throw .malformed(scheme) }
            version = number
        }
        guard reader.take("m="), let memoryKiB = reader.takeDecimal(),
            reader.take(",t="), let iterations = reader.takeDecimal(),
            reader.take(",p="), let parallelism = reader.takeDecimal(), reader.take("$")
        else { throw .malformed(scheme) }

        try UnsupportedHash.require(.version, version, in: 19...19)
        try UnsupportedHash.require(.parallelism, parallelism, in: 1...Self.maximumParallelism)
        try UnsupportedHash.require(.memoryKiB, memoryKiB, in: 8 * parallelism...Self.maximumMemoryKiB)
        try UnsupportedHash.require(.iterations, iterations, in: 1...Self.maximumIterations)

        guard let saltBytes = reader.take(.standard).byteCount(highBitsFirst: true), reader.take("$"),
            let hashBytes = reader.take(.standard).byteCount(highBitsFirst: true), reader.isAtEnd
        else { throw .malformed(scheme) }
        try UnsupportedHash.require(.saltBytes, saltBytes, in: 8...64)
        try UnsupportedHash.require(.hashBytes, hashBytes, in: 16...128)

        self.init(memoryKiB: memoryKiB, iterations: iterations, parallelism: parallelism)
    }
}
