/// The beginning of an input, read ahead so that it can be told what the input is.
///
/// What is compressed with gzip is decompressed, as its first bytes say.
package struct InputHead: ~Copyable, Sendable {
    /// Whether the input is compressed.
    package let isCompressed: Bool

    /// The bytes read ahead.
    private(set) var buffer: ByteBuffer
    /// Where the bytes after them come from.
    let source: ByteSource
    /// Whether there are none after them.
    let isAtEnd: Bool
    /// Counts the bytes of the input as they are there.
    let counter: ByteCounter

    /// As much as decides on an encoding.
    private static let size = 1 << 20

    /// Reads up to the first MiB, or to the end of a shorter input.
    ///
    /// - Throws: What the source throws.
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

    /// The bytes read ahead, decompressed and not decoded.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { buffer.span(at: 0, count: buffer.count) }
    }

    /// Gives the bytes read ahead away.
    consuming func takeBytes() -> ByteBuffer { buffer }

    /// - Returns: Whether the source ended first.
    private static func fill(
        _ buffer: inout ByteBuffer, to size: Int, from source: ByteSource
    ) throws(ByteStreamError) -> Bool {
        while buffer.count < size {
            if try buffer.appendBytes(upTo: size - buffer.count, source.read) == 0 { return true }
        }
        return false
    }
}
