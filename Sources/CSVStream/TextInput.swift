internal import Platform

/// Pulls bytes from a source and hands them on as UTF-8 without a byte order mark.
///
/// UTF-8 goes straight from the source into the buffer of the one who asks; every other encoding takes a detour through a
/// decoder.
package struct TextInput: ~Copyable, Sendable {
    /// How the characters are written; UTF-8 until the first bytes have said otherwise.
    package private(set) var encoding = TextEncoding.utf8
    /// Whether nothing but the look of the bytes says so.
    package private(set) var isEncodingGuessed = false
    /// Whether a byte order mark says how the characters are written.
    package private(set) var isMarked = false
    /// Whether the source has nothing more.
    private(set) var isAtEnd = false

    private let source: ByteSource
    private let counter: ByteCounter
    private var isStarted: Bool
    private var decoder: TextDecoder?
    /// Bytes on their way to the decoder.
    private var encoded = ByteBuffer(isSecret: true)
    /// Text that was read ahead, and whether nothing follows it.
    private var ahead = ByteBuffer(isSecret: true)
    private var isAllAhead = false

    private static let encodedChunk = 1 << 16

    /// Reads UTF-8, or what a byte order mark tells; nothing is read before something is asked for.
    init(source: ByteSource) {
        counter = ByteCounter()
        self.source = source.counted(by: counter)
        isStarted = false
    }

    /// Goes on from the beginning of an input.
    ///
    /// A byte order mark says how the characters are written; without one `encoding` does, and without that they are UTF-8,
    /// unless nothing in the first bytes speaks for it.
    /// - Throws: The system's refusal to decode.
    package init(_ head: consuming InputHead, encoding given: TextEncoding?) throws(ByteStreamError) {
        let (marked, markLength) = TextEncoding.marked(head.bytes)
        let guessed = marked == nil && given == nil ? TextEncoding.guessed(head.bytes, isWhole: head.isAtEnd) : nil
        encoding = marked ?? given ?? guessed ?? .utf8
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

    /// The bytes read from the source so far, as they are there.
    var bytesRead: UInt64 { counter.count }

    /// The text that was read ahead of everything, which is the beginning until something is asked for.
    package var beginning: Span<UInt8> {
        @_lifetime(borrow self)
        get { ahead.span(at: 0, count: ahead.count) }
    }

    /// Reads until the buffer holds `wanted` bytes of UTF-8, or somewhat more, or the input ends.
    ///
    /// What a source that throws had given before it threw is in the buffer.
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

    /// Reads enough to know the encoding; the buffer is empty, or holds what an earlier try could read.
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
        // A text in an encoding that was named may begin with a mark, too.
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

/// What makes UTF-8 of another encoding.
private enum TextDecoder: ~Copyable, Sendable {
    case utf16(UTF16Decoder)
    case named(CharacterDecoder)

    /// Nil for UTF-8, which needs none.
    static func of(_ encoding: TextEncoding) throws(ByteStreamError) -> TextDecoder? {
        switch encoding {
        case .utf8: return nil
        case .utf16(let bigEndian): return .utf16(UTF16Decoder(bigEndian: bigEndian))
        case .named(let name):
            // It was known when it was named: what is missing now is the system's memory.
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
