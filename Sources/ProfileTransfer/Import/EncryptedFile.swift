package import CSVStream
internal import CSodium
internal import Platform
internal import ProfileCore

/// A file without a name, whose contents no other process can read.
///
/// The cipher is XChaCha20 with a random key. The key is used for this file alone, so the nonce is constant. The
/// contents need no authentication, because only this process has the file descriptor.
package struct EncryptedFile: ~Copyable {
    private let file: UnnamedFile
    private let key: Secret

    /// Creates an empty file.
    ///
    /// - Throws: A `write` error if the file cannot be created.
    package init(in folder: String) throws(ByteStreamError) {
        file = try UnnamedFile(.temporaryFileTemplate(in: folder))
        key = Secret(capacity: Self.keySize) { output in
            output.withUnsafeMutableBufferPointer { buffer, used in
                guard let start = buffer.baseAddress else { return }
                randombytes_buf(start, Self.keySize)
                used = Self.keySize
            }
        }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(ByteStreamError) {
        var encrypted = [UInt8](repeating: 0, count: bytes.count)
        encrypted.withUnsafeMutableBytes { crypt(bytes, into: $0, at: position) }
        try file.write(encrypted.span.bytes, at: position)
    }

    /// Reads some bytes at an offset.
    ///
    /// - Returns: The number of bytes read, 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ByteStreamError) -> Int {
        let count = try file.read(into: buffer, at: position)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
        crypt(UnsafeRawBufferPointer(bytes), into: bytes, at: position)
        return count
    }

    /// Fills the whole buffer from an offset.
    ///
    /// - Throws: A `read` error. Its code is EIO if the file ends before the buffer is full.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ByteStreamError) {
        try file.fill(buffer, at: position)
        crypt(UnsafeRawBufferPointer(buffer), into: buffer, at: position)
    }

    /// Encrypts or decrypts the bytes at an offset of the file. `bytes` and `output` may be the same buffer.
    private func crypt(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, at position: Int64
    ) {
        let nonce = [UInt8](repeating: 0, count: Int(crypto_stream_xchacha20_NONCEBYTES))
        let block = UInt64(position) / Self.blockSize
        // The cipher can start only at the beginning of a block. The offset may be inside a block, so padding fills the
        // start of the block.
        let within = Int(UInt64(position) % Self.blockSize)
        var padded = [UInt8](repeating: 0, count: within + bytes.count)
        padded.withUnsafeMutableBytes { padded in
            guard let start = padded.bindMemory(to: UInt8.self).baseAddress else { return }
            padded[within...].copyBytes(from: bytes)
            key.bytes.withUnsafeBufferPointer { key in
                guard let key = key.baseAddress else { return }
                _ = crypto_stream_xchacha20_xor_ic(start, start, UInt64(padded.count), nonce, block, key)
            }
            output.copyMemory(from: UnsafeRawBufferPointer(rebasing: padded[within...]))
            explicit_bzero(start, padded.count)
        }
    }

    private static let keySize = Int(crypto_stream_xchacha20_KEYBYTES)
    /// The block size of the cipher in bytes.
    private static let blockSize: UInt64 = 64
}
