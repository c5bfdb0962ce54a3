internal import ProfileCore

/// The length, the first and last bytes, and a hash of a value. Digests are compared before the bytes of the values,
/// because the digests of a page are contiguous in memory and its values are scattered.
struct ValueDigest {
    /// The row of the value in its page.
    let row: Int
    /// The number of bytes.
    let length: Int
    /// Whether all characters are ASCII characters.
    let isASCII: Bool
    /// The first eight bytes as a big-endian number, so two numbers compare like their bytes. If the value is shorter,
    /// the missing bytes are zero.
    let start: UInt64
    /// The last eight bytes; zero if the value is shorter.
    let end: UInt64
    /// The hash of all bytes.
    let hash: UInt64

    /// If two values have at most this number of bytes, and equal lengths, starts and ends, they are the same value.
    static let mostDecidedBytes = 16

    /// Digests a value. Digests with different keys cannot be compared.
    init(_ value: Span<UInt8>, row: Int, key: Key) {
        self.row = row
        length = value.count
        var hash = UInt64(value.count)
        var union: UInt64 = 0
        (start, end) = value.withUnsafeBytes { bytes in
            guard bytes.count >= 8 else {
                var word: UInt64 = 0
                for byte in bytes { word = word << 8 | UInt64(byte) }
                union = word
                hash = key.multiply(hash + word)
                return (word << UInt64(8 * (8 - bytes.count)), 0)
            }
            var index = 0
            while index + 8 <= bytes.count {
                let word = Self.word(of: bytes, at: index)
                union |= word
                hash = key.multiply(hash + word >> 8)
                index += 7
            }
            // At most seven bytes are left. They are in the last eight bytes, whose first byte was already read.
            let word = Self.word(of: bytes, at: bytes.count - 8)
            union |= word
            hash = key.multiply(hash + word & Key.mostInWord)
            return (Self.word(of: bytes, at: 0), word)
        }
        isASCII = union & 0x8080_8080_8080_8080 == 0
        // Spreads the hash over 64 bits, as SplitMix64 does (Steele, Lea and Flood 2014). Different hashes stay different.
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        self.hash = hash ^ hash >> 32
    }

    @inline(__always)
    private static func word(of bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// A random key for hashes. The hash is a polynomial in the key, modulo the prime 2⁶¹ - 1, and its coefficients are the
    /// bytes, seven in each (Carter and Wegman 1979). If two different values of n bytes were chosen without knowledge
    /// of the key, their hashes are equal with a probability of at most (n / 7 + 2) / 2⁶¹. So no input can make many
    /// values collide. A digest executes a third of the instructions of `Hasher`.
    struct Key {
        private let factor: UInt64
        private static let prime: UInt64 = 1 << 61 - 1
        /// The maximum of seven bytes.
        fileprivate static let mostInWord: UInt64 = 1 << 56 - 1

        /// A key by which the hashes of all values are equal, for tests.
        static let ofEqualHashes = Key(factor: 0)

        init() { self.init(factor: .random(in: 1..<Self.prime)) }

        private init(factor: UInt64) { self.factor = factor }

        /// Multiplies a number below 2⁶² by the key. The result is congruent to the product modulo 2⁶¹ - 1, and below
        /// 2⁶¹ + 8.
        @inline(__always)
        fileprivate func multiply(_ number: UInt64) -> UInt64 {
            let (high, low) = number.multipliedFullWidth(by: factor)
            let sum = high << 3 | low >> 61
            let total = sum + low & Self.prime
            return total & Self.prime + total >> 61
        }
    }
}
