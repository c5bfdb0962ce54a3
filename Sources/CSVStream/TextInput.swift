/// Pulls bytes from a source and hands them on as UTF-8 without a byte order mark.
///
/// UTF-8 goes straight from the source into the buffer of the one who asks; UTF-16 takes a detour through the decoder.
struct TextInput: ~Copyable, Sendable {
    /// The bytes read from the source so far, as they are there.
    private(set) var bytesRead: UInt64 = 0
    /// Whether the source has nothing more.
    private(set) var isAtEnd = false

    private let source: ByteSource
    private var isStarted = false
    private var decoder: UTF16Decoder?
    /// Bytes on their way to the decoder.
    private var encoded = ByteBuffer(isSecret: true)

    private static let encodedChunk = 1 << 16

    init(source: ByteSource) { self.source = source }

    /// Reads until the buffer holds `wanted` bytes of UTF-8, or somewhat more, or the input ends.
    ///
    /// What a source that throws had given before it threw is in the buffer.
    mutating func fill(_ bytes: inout ByteBuffer, to wanted: Int) throws(ByteStreamError) {
        if !isStarted { try start(&bytes, wanted: wanted) }
        while !isAtEnd, bytes.count < wanted {
            if decoder == nil {
                try pull(wanted - bytes.count, into: &bytes)
            } else {
                try decode(into: &bytes)
            }
        }
    }

    /// Reads enough to know the encoding; the buffer is empty, or holds what an earlier try could read.
    private mutating func start(_ bytes: inout ByteBuffer, wanted: Int) throws(ByteStreamError) {
        while !isAtEnd, bytes.count < TextEncoding.longestMark {
            try pull(max(TextEncoding.longestMark, wanted) - bytes.count, into: &bytes)
        }
        isStarted = true
        let (encoding, markLength) = TextEncoding.detect(bytes.span(at: 0, count: bytes.count))
        bytes.removeFirst(markLength)
        guard case .utf16(let bigEndian) = encoding else { return }
        decoder = UTF16Decoder(bigEndian: bigEndian)
        encoded.append(bytes, from: 0)
        bytes.removeAll()
        decodeWhatIsThere(into: &bytes)
    }

    private mutating func pull(_ size: Int, into bytes: inout ByteBuffer) throws(ByteStreamError) {
        note(try bytes.appendBytes(upTo: size, source.read))
    }

    private mutating func decode(into bytes: inout ByteBuffer) throws(ByteStreamError) {
        note(try encoded.appendBytes(upTo: Self.encodedChunk, source.read))
        decodeWhatIsThere(into: &bytes)
    }

    private mutating func decodeWhatIsThere(into bytes: inout ByteBuffer) {
        guard var decoder else { return }
        decoder.decode(encoded.span(at: 0, count: encoded.count), into: &bytes)
        if isAtEnd { decoder.finish(into: &bytes) }
        self.decoder = decoder
        encoded.removeAll()
    }

    private mutating func note(_ count: Int) {
        bytesRead += UInt64(count)
        if count == 0 { isAtEnd = true }
    }
}
