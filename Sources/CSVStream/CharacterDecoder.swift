internal import Platform

/// Converts text to UTF-8, in pieces of any length. The C library must support the encoding of the text.
///
/// If bytes are invalid in the encoding, they become 0xFF, which is invalid UTF-8. So the later check for valid UTF-8
/// finds the faulty records.
///
/// `@unchecked Sendable`: only one thread at a time may call iconv(3). This is ensured, because this non-copyable value
/// is the only owner of the descriptor.
struct CharacterDecoder: ~Copyable, @unchecked Sendable {
    private let conversion: iconv_t
    /// The number of bytes that the decoder skips if a character is invalid. It is the length of the letter A in the
    /// encoding.
    private let unitLength: Int
    /// The first bytes of a character that was not read completely yet.
    private var rest = ByteBuffer(isSecret: true)

    /// Returns whether the C library supports an encoding with this name.
    static func knows(_ name: String) -> Bool { CharacterDecoder(encoding: name) != nil }

    /// Makes a decoder. Returns nil if the C library does not support the encoding.
    init?(encoding name: String) {
        guard Self.isName(name), let conversion = Self.open(from: name, to: "UTF-8") else { return nil }
        self.conversion = conversion
        unitLength = Self.unitLength(of: name)
    }

    deinit { iconv_close(conversion) }

    /// Converts the next bytes and appends the text.
    mutating func decode(_ bytes: Span<UInt8>, into output: inout ByteBuffer) {
        rest.append(bytes)
        var start = 0
        while start < rest.count {
            let (used, code) = convert(from: start, into: &output)
            start += used
            if code == EINVAL { break }
            if code == EILSEQ {
                flush(into: &output)
                output.append(0xFF)
                start = min(rest.count, start + unitLength)
            }
        }
        rest.removeFirst(start)
    }

    /// Ends the conversion. Appends the text that iconv(3) has not returned yet. If the input ends in the middle of a
    /// character, also appends 0xFF.
    mutating func finish(into output: inout ByteBuffer) {
        flush(into: &output)
        if rest.count > 0 { output.append(0xFF) }
        rest.removeAll()
    }

    /// Appends the text that iconv(3) has not returned yet. For example, iconv(3) keeps a letter until it knows whether
    /// a combining accent follows.
    private func flush(into output: inout ByteBuffer) {
        _ = output.appendBytes(upTo: Self.longestCharacter) { room in
            var target = room.baseAddress?.assumingMemoryBound(to: CChar.self)
            var free = room.count
            _ = iconv(conversion, nil, nil, &target, &free)
            return room.count - free
        }
    }

    /// Converts as many bytes as possible in one call.
    ///
    /// - Returns: The number of converted bytes. If iconv(3) stopped before the end, `code` is its `errno`; otherwise
    ///   `code` is 0.
    private func convert(from start: Int, into output: inout ByteBuffer) -> (used: Int, code: CInt) {
        let length = rest.count - start
        var left = length
        var code: CInt = 0
        _ = output.appendBytes(upTo: length * 2 + Self.longestCharacter) { room in
            var input: UnsafeMutablePointer<CChar>? = (rest.base + start).assumingMemoryBound(to: CChar.self)
            var target = room.baseAddress?.assumingMemoryBound(to: CChar.self)
            var free = room.count
            if iconv(conversion, &input, &left, &target, &free) == -1 { code = errno }
            return room.count - free
        }
        return (length - left, code)
    }

    /// The minimum size of the output buffer of one step, in bytes of UTF-8.
    private static let longestCharacter = 64

    /// Returns whether a name has only letters, digits and `-_.:+()`. It must not contain a slash, because suffixes
    /// such as `//TRANSLIT` make iconv(3) replace or drop characters.
    private static func isName(_ name: String) -> Bool {
        let marks = "-_.:+()".utf8
        return !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: marks.contains(byte)
                }
            }
    }

    private static func open(from source: String, to target: String) -> iconv_t? {
        let conversion = iconv_open(target, source)
        // iconv_open returns (iconv_t)-1 for an unknown encoding.
        return conversion == iconv_t(bitPattern: -1) ? nil : conversion
    }

    /// Returns the number of bytes of the letter A. The letter is converted twice. The first result may include a byte
    /// order mark, so only the second result is used.
    private static func unitLength(of name: String) -> Int {
        guard let conversion = open(from: "UTF-8", to: name) else { return 1 }
        defer { iconv_close(conversion) }
        var length = 1
        for _ in 0..<2 {
            var letter = CChar(bitPattern: UInt8(ascii: "A"))
            var room = [CChar](repeating: 0, count: longestCharacter)
            length = withUnsafeMutablePointer(to: &letter) { letter in
                room.withUnsafeMutableBufferPointer { room in
                    var (input, target) = (Optional(letter), room.baseAddress)
                    var (left, free) = (1, room.count)
                    _ = iconv(conversion, &input, &left, &target, &free)
                    return room.count - free
                }
            }
        }
        return max(1, length)
    }
}
