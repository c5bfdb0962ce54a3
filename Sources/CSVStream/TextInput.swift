internal import Platform

/// Reads bytes from a source and provides them as UTF-8 without a byte order mark.
///
/// UTF-8 is read directly into the caller's buffer. Every other encoding goes through a decoder.
package struct TextInput: ~Copyable, Sendable {
    /// The character encoding. It is UTF-8 until the first bytes are read.
    package private(set) var encoding = TextEncoding.utf8
    /// Whether the encoding was guessed from the bytes.
    package private(set) var isEncodingGuessed = false
    /// Whether the input has a byte order mark.
    package private(set) var isMarked = false
    /// Whether the source has ended.
    private(set) var isAtEnd = false

    private let source: ByteSource
    private let counter: ByteCounter
    private var isStarted: Bool
    private var decoder: TextDecoder?
    /// The bytes that were not decoded yet.
    private var encoded = ByteBuffer(isSecret: true)
    /// The text that was read ahead. `isAllAhead` is true if no input follows this text.
    private var ahead = ByteBuffer(isSecret: true)
    private var isAllAhead = false

    private static let encodedChunk = 1 << 16

    /// Makes an input that is UTF-8, unless its byte order mark names another encoding. It reads nothing until `fill`
    /// is called.
    init(source: ByteSource) {
        counter = ByteCounter()
        self.source = source.counted(by: counter)
        isStarted = false
    }

    /// Makes an input. The beginning of the input was already read.
    ///
    /// If the input has a byte order mark, the mark gives the encoding. Otherwise `encoding` is used. If `encoding` is
    /// nil, the encoding is `usual`, unless the first bytes are UTF-8. If `usual` is nil too, the encoding is guessed
    /// from the first bytes: Windows-1252 or UTF-8.
    /// - Throws: A `read` error with ENOMEM if the system cannot create a decoder.
    package init(
        _ head: consuming InputHead, encoding: TextEncoding?, usual: TextEncoding? = nil
    ) throws(ByteStreamError) {
        let (marked, markLength) = TextEncoding.marked(head.bytes)
        let given = encoding ?? (TextEncoding.isProvenUTF8(head.bytes, isWhole: head.isAtEnd) ? nil : usual)
        let guessed = marked == nil && given == nil ? TextEncoding.guessed(head.bytes, isWhole: head.isAtEnd) : nil
        self.encoding = marked ?? given ?? guessed ?? .utf8
        isEncodingGuessed = guessed != nil
        isMarked = marked != nil
        source = head.source
        counter = head.counter
        isStarted = true
        isAllAhead = head.isAtEnd
        ahead = head.takeBytes()
        ahead.removeFirst(markLength)
        try decodeAhead()
    }

    /// The number of bytes read from the source so far, before decompression and decoding.
    var bytesRead: UInt64 { counter.count }

    /// The text that was read ahead at the beginning of the input. It is empty after the first call of `fill`.
    package var beginning: Span<UInt8> {
        @_lifetime(borrow self)
        get { ahead.span(at: 0, count: ahead.count) }
    }

    /// Reads until the buffer holds at least `wanted` bytes of UTF-8 or the input ends.
    ///
    /// If the source throws, the buffer contains the bytes that were read before the error.
    mutating func fill(_ bytes: inout ByteBuffer, to wanted: Int) throws(ByteStreamError) {
        if !isStarted { try start(&bytes, wanted: wanted) }
        if ahead.count > 0 {
            bytes.append(ahead, from: 0)
            ahead = ByteBuffer(isSecret: true)
        }
        if isAllAhead { isAtEnd = true }
        while !isAtEnd, bytes.count < wanted {
            if decoder == nil {
                try pull(wanted - bytes.count, into: &bytes)
            } else {
                try decode(into: &bytes)
            }
        }
    }

    /// Reads enough bytes to detect the encoding. At the first call, the buffer must be empty. If a call fails, the
    /// next call must get a buffer with the bytes that were read before.
    private mutating func start(_ bytes: inout ByteBuffer, wanted: Int) throws(ByteStreamError) {
        while !isAtEnd, bytes.count < TextEncoding.longestMark {
            try pull(max(TextEncoding.longestMark, wanted) - bytes.count, into: &bytes)
        }
        isStarted = true
        let (marked, markLength) = TextEncoding.marked(bytes.span(at: 0, count: bytes.count))
        encoding = marked ?? .utf8
        isMarked = marked != nil
        bytes.removeFirst(markLength)
        decoder = try TextDecoder.of(encoding)
        guard decoder != nil else { return }
        encoded.append(bytes, from: 0)
        bytes.removeAll()
        decodeWhatIsThere(into: &bytes, isLast: isAtEnd)
    }

    private mutating func decodeAhead() throws(ByteStreamError) {
        decoder = try TextDecoder.of(encoding)
        guard decoder != nil else { return }
        encoded.append(ahead, from: 0)
        var decoded = ByteBuffer(isSecret: true)
        decodeWhatIsThere(into: &decoded, isLast: isAllAhead)
        // A text in a named encoding may also begin with a byte order mark.
        let (marked, markLength) = TextEncoding.marked(decoded.span(at: 0, count: decoded.count))
        if marked == .utf8 { decoded.removeFirst(markLength) }
        ahead = decoded
    }

    private mutating func pull(_ size: Int, into bytes: inout ByteBuffer) throws(ByteStreamError) {
        if try bytes.appendBytes(upTo: size, source.read) == 0 { isAtEnd = true }
    }

    private mutating func decode(into bytes: inout ByteBuffer) throws(ByteStreamError) {
        if try encoded.appendBytes(upTo: Self.encodedChunk, source.read) == 0 { isAtEnd = true }
        decodeWhatIsThere(into: &bytes, isLast: isAtEnd)
    }

    private mutating func decodeWhatIsThere(into bytes: inout ByteBuffer, isLast: Bool) {
        guard var decoder = decoder.take() else { return }
        decoder.decode(encoded.span(at: 0, count: encoded.count), isLast: isLast, into: &bytes)
        self.decoder = consume decoder
        encoded.removeAll()
    }
}

/// A decoder from another encoding to UTF-8.
private enum TextDecoder: ~Copyable, Sendable {
    case utf16(UTF16Decoder)
    case named(CharacterDecoder)

    /// Makes the decoder for an encoding. Returns nil for UTF-8, because it needs no decoder.
    static func of(_ encoding: TextEncoding) throws(ByteStreamError) -> TextDecoder? {
        switch encoding {
        case .utf8: return nil
        case .utf16(let bigEndian): return .utf16(UTF16Decoder(bigEndian: bigEndian))
        case .named(let name):
            // The C library supports this encoding, because the name was checked before. So a failure means that the
            // system has no memory.
            guard let decoder = CharacterDecoder(encoding: name) else {
                throw ByteStreamError(operation: .read, code: ENOMEM)
            }
            return .named(decoder)
        }
    }

    mutating func decode(_ bytes: Span<UInt8>, isLast: Bool, into output: inout ByteBuffer) {
        switch consume self {
        case .utf16(var decoder):
            decoder.decode(bytes, into: &output)
            if isLast { decoder.finish(into: &output) }
            self = .utf16(decoder)
        case .named(var decoder):
            decoder.decode(bytes, into: &output)
            if isLast { decoder.finish(into: &output) }
            self = .named(decoder)
        }
    }
}
