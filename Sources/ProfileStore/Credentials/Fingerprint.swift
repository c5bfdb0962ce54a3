import CSodium

/// SHA-256, by which schemas and migrations are told apart.
package enum Fingerprint {
    /// Hashes bytes.
    ///
    /// - Returns: 64 lowercase hexadecimal digits.
    package static func sha256(_ bytes: Span<UInt8>) -> String {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        bytes.withUnsafeBufferPointer { buffer in
            _ = crypto_hash_sha256(&digest, buffer.baseAddress, UInt64(buffer.count))
        }
        return String(unsafeUninitializedCapacity: digest.count * 2) { output in
            for (index, byte) in digest.enumerated() {
                output[2 * index] = hexadecimalDigit(byte >> 4)
                output[2 * index + 1] = hexadecimalDigit(byte & 0x0F)
            }
            return digest.count * 2
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
