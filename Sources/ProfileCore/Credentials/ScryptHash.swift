extension PasswordHash {
    /// The cost of a scrypt hash (RFC 7914) or of a yescrypt hash (the file PARAMETERS of yescrypt).
    public struct ScryptCost: Sendable, Equatable {
        /// The binary logarithm of N, the number of blocks.
        public let logarithmOfN: Int
        /// The size of a block in units of 128 bytes, `r`.
        public let blockSize: Int
        /// The parallelism, `p`.
        public let parallelism: Int
        /// The `t` of yescrypt. It adds work but needs no more memory. It is 0 for scrypt.
        public let time: Int

        /// Creates a cost. This initializer does not check the limits: `PasswordHash` does.
        public init(logarithmOfN: Int, blockSize: Int, parallelism: Int, time: Int) {
            self.logarithmOfN = logarithmOfN
            self.blockSize = blockSize
            self.parallelism = parallelism
            self.time = time
        }

        /// The memory in KiB. The exact amount is 128·N·r bytes.
        public var memoryKiB: Int { (blockSize << logarithmOfN) / 8 }
    }
}

extension PasswordHash.ScryptCost {
    /// Parses the text after `$7$`. It consists of one character for log₂ N, five for r, five for p, a salt, `$`, and
    /// 43 characters for the hash.
    init(parsingScrypt reader: inout HashReader) throws(UnsupportedHash) {
        guard let logarithm = reader.takeSixBits(), let blockSize = reader.takeFixedNumber(),
            let parallelism = reader.takeFixedNumber()
        else { throw .malformed(.scrypt) }
        self.init(logarithmOfN: logarithm, blockSize: blockSize, parallelism: parallelism, time: 0)
        try requireBounds()

        // scrypt uses the characters of the salt without decoding them. So no encoding has to be checked.
        let salt = reader.take(.crypt)
        guard reader.take("$"), reader.takeSHA256() else { throw .malformed(.scrypt) }
        try UnsupportedHash.require(.saltBytes, salt.length, in: 1...86)
    }

    /// Parses the text after `$y$`. It consists of the flavour, log₂ N, r, optional p and t, `$`, a salt, `$`, and 43
    /// characters for the hash.
    init(parsingYescrypt reader: inout HashReader) throws(UnsupportedHash) {
        guard let flavour = reader.takeNumber(from: 0).flatMap(YescryptFlavour.init),
            let logarithm = reader.takeNumber(from: 1), let blockSize = reader.takeNumber(from: 1)
        else { throw .malformed(.yescrypt) }

        var parallelism = 1
        var time = 0
        if reader.next != UInt8(ascii: "$") {
            // Each bit of this number stands for an optional parameter: 1 for p, 2 for t, 4 for upgrades and 8 for a
            // ROM. A hash with upgrades or with a ROM is refused.
            guard let present = reader.takeNumber(from: 1), present <= 3 else { throw .malformed(.yescrypt) }
            if present & 1 != 0 {
                guard let number = reader.takeNumber(from: 2) else { throw .malformed(.yescrypt) }
                parallelism = number
            }
            if present & 2 != 0 {
                guard let number = reader.takeNumber(from: 1) else { throw .malformed(.yescrypt) }
                time = number
            }
        }
        self.init(logarithmOfN: logarithm, blockSize: blockSize, parallelism: parallelism, time: time)
        try requireBounds()
        switch flavour {
        case .scrypt: try UnsupportedHash.require(.iterations, time, in: 0...0)
        case .writeOnceReadMany: break
        case .readWrite:
            // In this mode, the p lanes share the N blocks. N must be at least four times p.
            try UnsupportedHash.require(.parallelism, parallelism, in: 1...max(1, (1 << logarithm) / 4))
        }

        guard reader.take("$"), let saltBytes = reader.take(.crypt).byteCount(highBitsFirst: false),
            reader.take("$"), reader.takeSHA256()
        else { throw .malformed(.yescrypt) }
        try UnsupportedHash.require(.saltBytes, saltBytes, in: 1...64)
    }

    /// Checks the limits of P8. A verification may use at most 1 GiB of memory and a few seconds.
    private func requireBounds() throws(UnsupportedHash) {
        try UnsupportedHash.require(.logarithmicCost, logarithmOfN, in: 2...23)
        try UnsupportedHash.require(.blockSize, blockSize, in: 1...4096)
        try UnsupportedHash.require(.parallelism, parallelism, in: 1...4096 / blockSize)
        try UnsupportedHash.require(.memoryKiB, memoryKiB, in: 0...1_048_576)
        // The work is first checked without the factor `time + 1`. After this check, the multiplication by that factor
        // cannot overflow, although `time` may exceed 2³⁰.
        let untimed = (blockSize << logarithmOfN) * parallelism
        try UnsupportedHash.require(.work, untimed, in: 0...1 << 24)
        try UnsupportedHash.require(.work, untimed * (time + 1), in: 0...1 << 24)
    }
}

/// The modes of yescrypt that libxcrypt can verify.
private enum YescryptFlavour {
    case scrypt, writeOnceReadMany, readWrite

    init?(_ number: Int) {
        switch number {
        case 0: self = .scrypt
        case 1: self = .writeOnceReadMany
        // YESCRYPT_RW with 6 rounds, gather 4, simple 2 and S-boxes of 12 KiB. libxcrypt supports no other parameters
        // of YESCRYPT_RW.
        case 47: self = .readWrite
        default: return nil
        }
    }
}

extension HashReader {
    /// Reads one character of crypt(3)'s alphabet.
    fileprivate mutating func takeSixBits() -> Int? {
        guard let byte = next, Base64Alphabet.crypt.members.contains(byte) else { return nil }
        _ = takeByte()
        return Int(Base64Alphabet.crypt.value(of: byte))
    }

    /// Reads a 30-bit number from five characters. The first character contains the lowest bits.
    fileprivate mutating func takeFixedNumber() -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 30, by: 6) {
            guard let bits = takeSixBits() else { return nil }
            value |= bits << shift
        }
        return value
    }

    /// Reads a number in yescrypt's variable-length encoding. Its first character determines the number of characters.
    ///
    /// If the first character has one of its 48 lowest values, the number has one character. The next 8 values mean two
    /// characters, the next 4 values three, and the next 2 values four. The next value means five characters, and the
    /// last value six. The ranges are consecutive: the smallest number with two characters is the greatest number with
    /// one character, plus 1. The greatest number is below 2³¹.
    fileprivate mutating func takeNumber(from minimum: Int) -> Int? {
        guard let first = takeSixBits() else { return nil }
        var value = minimum
        var start = 0
        var end = 47
        var shift = 0
        while first > end {
            value += (end + 1 - start) << shift
            start = end + 1
            end = start + (62 - end) / 2
            shift += 6
        }
        value += (first - start) << shift
        while shift > 0 {
            guard let bits = takeSixBits() else { return nil }
            shift -= 6
            value += bits << shift
        }
        return value
    }

    /// Reads the rest of the text. Returns whether it consists of 43 characters that encode 32 bytes.
    fileprivate mutating func takeSHA256() -> Bool {
        take(.crypt).byteCount(highBitsFirst: false) == 32 && isAtEnd
    }
}
