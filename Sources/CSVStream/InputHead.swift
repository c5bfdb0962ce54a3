/// The beginning of an input. It is read first, to detect the compression and the encoding of the input.
///
/// An input that begins like gzip data is decompressed.
package struct InputHead: ~Copyable, Sendable {
    /// Whether the input is compressed.
    package let isCompressed: Bool

    /// The bytes read ahead.
    private(set) var buffer: ByteBuffer
    /// The source of the bytes after `buffer`.
    let source: ByteSource
    /// Whether `buffer` contains the whole input.
    let isAtEnd: Bool
    /// Counts the bytes that were read from the input, before they are decompressed.
    let counter: ByteCounter

    /// The number of bytes to read ahead, which is enough to detect the encoding.
    private static let size = 1 << 20

    /// Reads the first MiB. If the input is shorter, reads all of it.
    ///
    /// - Throws: The error of the source.
    package init(_ source: ByteSource) throws(ByteStreamError) {
        let counter = ByteCounter()
        var source = source.counted(by: counter)
        var bytes = ByteBuffer(isSecret: true)
        var isAtEnd = try Self.fill(&bytes, to: GzipSource.longestMagic, from: source)
        let isCompressed = GzipSource.isGzip(bytes.span(at: 0, count: bytes.count))
        if isCompressed {
            source = try GzipSource(source, after: bytes).source
            bytes.removeAll()
            isAtEnd = false
        }
        if !isAtEnd { isAtEnd = try Self.fill(&bytes, to: Self.size, from: source) }
        self.counter = counter
        self.source = source
        self.isCompressed = isCompressed
        self.isAtEnd = isAtEnd
        buffer = bytes
    }

    /// The bytes that were read ahead. They are decompressed but not decoded.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { buffer.span(at: 0, count: buffer.count) }
    }

    /// Returns the bytes that were read ahead, and consumes this value.
    consuming func takeBytes() -> ByteBuffer { buffer }

    /// Reads until the buffer holds `size` bytes or the source ends.
    /// - Returns: Whether the source has ended.
    private static func fill(
        _ buffer: inout ByteBuffer, to size: Int, from source: ByteSource
    ) throws(ByteStreamError) -> Bool {
        while buffer.count < size {
            if try buffer.appendBytes(upTo: size - buffer.count, source.read) == 0 { return true }
        }
        return false
    }
}
