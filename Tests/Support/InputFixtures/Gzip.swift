internal import CZlib

/// Files compressed as gzip(1) compresses them.
package enum Gzip {
    package static func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        // 15 is the largest window size. Adding 16 selects the format of gzip.
        var status = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw Failure(status: status) }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 32)
        let room = output.count
        status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(room)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { throw Failure(status: status) }
        return Array(output.prefix(room - Int(stream.avail_out)))
    }

    /// A gzip member with uncompressed bytes, for a test that searches memory for copies of the bytes. The test
    /// produces one byte at a time, so the whole text is nowhere in its own memory.
    package struct Stored: Sendable {
        private var checksum = crc32(0, nil, 0)
        private let count: Int

        /// The headers before the bytes. The number of bytes must be less than 65,536.
        package let start: [UInt8]

        package init(count: Int) {
            self.count = count
            let length = [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
            start = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + length + length.map { ~$0 }
        }

        package mutating func add(_ byte: UInt8) {
            var byte = byte
            checksum = crc32(checksum, &byte, 1)
        }

        /// The checksum and the length after the bytes.
        package var end: [UInt8] {
            [UInt32(truncatingIfNeeded: checksum), UInt32(count)].flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            }
        }
    }

    private struct Failure: Error {
        let status: CInt
    }
}
