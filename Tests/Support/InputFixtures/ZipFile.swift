internal import CZlib

/// ZIP archives, written without the library that reads them.
package enum ZipFile {
    /// An archive of parts, compressed with Deflate. `flags` are the general purpose flags of each part; 1 says that it is
    /// encrypted.
    package static func bytes(_ parts: [(name: String, content: [UInt8])], flags: UInt16 = 0) throws -> [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        for (name, content) in parts {
            let place = archive.count
            let compressed = try deflated(content)
            // The fields that the local header and the directory have in common.
            let common =
                number(20, 2) + number(Int(flags), 2) + number(8, 2) + number(0, 4)
                + number(Int(crc32(0, content, uInt(content.count))), 4) + number(compressed.count, 4)
                + number(content.count, 4) + number(name.utf8.count, 2) + number(0, 2)
            archive += [0x50, 0x4B, 3, 4] + common + Array(name.utf8) + compressed
            directory += [0x50, 0x4B, 1, 2] + number(20, 2) + common + number(0, 10) + number(place, 4)
            directory += Array(name.utf8)
        }
        let end =
            [0x50, 0x4B, 5, 6] + number(0, 4) + number(parts.count, 2) + number(parts.count, 2)
            + number(directory.count, 4) + number(archive.count, 4) + number(0, 2)
        return archive + directory + end
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    private static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
        // A stream of zlib is a header of 2 bytes, Deflate, and a checksum of 4 bytes.
        var size = compressBound(uLong(bytes.count))
        var output = [UInt8](repeating: 0, count: Int(size))
        let status = compress(&output, &size, bytes, uLong(bytes.count))
        guard status == Z_OK else { throw Failure(status: status) }
        return Array(output[2..<Int(size) - 4])
    }

    private struct Failure: Error {
        let status: CInt
    }
}
