internal import CSodium

/// SHA-256 (FIPS 180-4). The hash identifies schemas, migrations, inline scripts and tokens.
package enum SHA256 {
    /// Hashes bytes.
    ///
    /// - Returns: 32 bytes.
    package static func digest(_ bytes: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        bytes.withUnsafeBufferPointer { buffer in
            _ = crypto_hash_sha256(&digest, buffer.baseAddress, UInt64(buffer.count))
        }
        return digest
    }

    /// Hashes bytes.
    ///
    /// - Returns: 64 lower-case hexadecimal digits.
    package static func hexadecimal(_ bytes: Span<UInt8>) -> String {
        Hexadecimal.text(digest(bytes).span)
    }
}
