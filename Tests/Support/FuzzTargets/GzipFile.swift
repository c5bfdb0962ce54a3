internal import CZlib

/// Files in the format of gzip, written and read by zlib alone.
enum GzipFile {
    /// The content that zlib decompresses from a file.
    struct Content {
        var bytes: [UInt8]
        /// Whether the whole file is compressed data, perhaps followed by zeros.
        var isWhole: Bool
    }

    /// Compresses bytes as one member.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - level: The level of zlib, 0 to 9.
    ///   - flags: The optional parts of the header: a text flag 1, a checksum of the header 2, an extra field 4, a name
    ///     8 and a comment 16.
    /// - Returns: The member.
    static func member(_ bytes: [UInt8], level: CInt, flags: UInt8) -> [UInt8] {
        var stream = z_stream()
        var header = gz_header()
        var (extra, name, comment) = ([UInt8](arrayLiteral: 1, 2, 3), Array("rows.csv\0".utf8), Array("none\0".utf8))
        var bytes = bytes
        deflateInit2_(
            &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 100)
        let room = output.count
        extra.withUnsafeMutableBufferPointer { extra in
            name.withUnsafeMutableBufferPointer { name in
                comment.withUnsafeMutableBufferPointer { comment in
                    header.text = CInt(flags & 1)
                    header.hcrc = CInt(flags >> 1 & 1)
                    if flags & 4 != 0 { (header.extra, header.extra_len) = (extra.baseAddress, uInt(extra.count)) }
                    if flags & 8 != 0 { header.name = name.baseAddress }
                    if flags & 16 != 0 { header.comment = comment.baseAddress }
                    deflateSetHeader(&stream, &header)
                    bytes.withUnsafeMutableBufferPointer { input in
                        output.withUnsafeMutableBufferPointer { output in
                            stream.next_in = input.baseAddress
                            stream.avail_in = uInt(input.count)
                            stream.next_out = output.baseAddress
                            stream.avail_out = uInt(room)
                            _ = deflate(&stream, Z_FINISH)
                        }
                    }
                }
            }
        }
        return Array(output.prefix(room - Int(stream.avail_out)))
    }

    /// Decompresses a whole file, member by member. Nil if there is more than `limit` bytes of content.
    static func content(of file: [UInt8], limit: Int) -> Content? {
        var content = Content(bytes: [], isWhole: false)
        var position = 0
        while position < file.count {
            if position > 0, file[position] == 0 {
                position += 1
                continue
            }
            var input = Array(file[position...])
            var output = [UInt8](repeating: 0, count: limit + 1)
            var stream = z_stream()
            inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
            defer { inflateEnd(&stream) }
            let status = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    stream.next_in = input.baseAddress
                    stream.avail_in = uInt(input.count)
                    stream.next_out = output.baseAddress
                    stream.avail_out = uInt(output.count)
                    return inflate(&stream, Z_SYNC_FLUSH)
                }
            }
            content.bytes += output.prefix(output.count - Int(stream.avail_out))
            guard content.bytes.count <= limit else { return nil }
            guard status == Z_STREAM_END else { return content }
            position = file.count - Int(stream.avail_in)
        }
        content.isWhole = true
        return content
    }
}
