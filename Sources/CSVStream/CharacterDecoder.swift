internal import Platform

/// Turns text in an encoding that the C library knows, in pieces of any length, into UTF-8.
///
/// What does not fit the encoding becomes 0xFF, which is no UTF-8, so that the one check of the records finds it.
///
/// `@unchecked Sendable`: iconv(3) asks for one thread at a time, and this non-copyable value is the descriptor's only
/// owner.
struct CharacterDecoder: ~Copyable, @unchecked Sendable {
    private let conversion: iconv_t
    /// What is passed over where a character does not fit: as much as the letter A takes.
    private let unitLength: Int
    /// Bytes of a character whose end is still to come.
    private var rest = ByteBuffer(isSecret: true)

    /// Whether the C library knows an encoding of this name.
    static func knows(_ name: String) -> Bool { CharacterDecoder(encoding: name) != nil }

    /// Nil for an encoding that the C library does not know.
    init?(encoding name: String) {
        guard Self.isName(name), let conversion = Self.open(from: name, to: "UTF-8") else { return nil }
        self.conversion = conversion
        unitLength = Self.unitLength(of: name)
    }

    deinit { iconv_close(conversion) }

    /// Appends the text of the next bytes.
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

    /// Appends what is left when the input ends in the middle of a character.
    mutating func finish(into output: inout ByteBuffer) {
        flush(into: &output)
        if rest.count > 0 { output.append(0xFF) }
        rest.removeAll()
    }

    /// Appends what the conversion holds back: a letter that an accent may follow.
    private func flush(into output: inout ByteBuffer) {
        _ = output.appendBytes(upTo: Self.longestCharacter) { room in
            var target = room.baseAddress?.assumingMemoryBound(to: CChar.self)
            var free = room.count
            _ = iconv(conversion, nil, nil, &target, &free)
            return room.count - free
        }
    }

    /// Converts as much as goes at once.
    ///
    /// - Returns: How many bytes were taken, and why it stopped before their end: `errno` of iconv(3), or 0.
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

    /// In bytes of UTF-8, for what one step may write at the least.
    private static let longestCharacter = 64

    /// Letters, digits and what stands between them: what follows a slash would tell iconv to change or drop characters.
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
        // (iconv_t)-1 stands for an encoding that is not known.
        return conversion == iconv_t(bitPattern: -1) ? nil : conversion
    }

    /// How many bytes the letter A takes; a mark that comes before all is not counted.
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
