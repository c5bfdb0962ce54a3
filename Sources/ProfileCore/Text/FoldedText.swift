/// A text to search for in other texts, ignoring the case and the accents of letters.
///
/// Both texts are folded by ``TextFolding``. Most texts are ASCII and need no folding. They are searched in place,
/// eight bytes at a time. So searching a million values takes little longer than reading them.
package struct FoldedText: Hashable, Sendable {
    /// The folded text in UTF-8.
    package let bytes: [UInt8]
    /// Eight copies of the first byte, and eight copies of the second byte, if there is one.
    private let first: UInt64
    private let second: UInt64
    /// An upper-case letter differs from the lower-case letter in one bit. `firstCase` is eight copies of that bit if
    /// the first byte is a letter, otherwise 0. `secondCase` is the same for the second byte.
    private let firstCase: UInt64
    private let secondCase: UInt64
    /// The highest bits of those bytes in a word that are compared with the first byte alone. If this text has one
    /// byte, these are all bytes. Otherwise it is the last byte, because the byte after it is not in the same word.
    private let ending: UInt64

    package init(_ text: String) { self.init(text.utf8Span.span) }

    package init(_ text: Span<UInt8>) { self.init(folded: TextFolding.folded(text)) }

    /// Takes a text that is folded already.
    package init(folded bytes: [UInt8]) {
        self.bytes = bytes
        let first = bytes.first ?? 0
        let second = bytes.count > 1 ? bytes[1] : 0
        self.first = UInt64(first) &* Self.ones
        self.second = UInt64(second) &* Self.ones
        firstCase = first.isASCIILetter ? Self.ones << 5 : 0
        secondCase = second.isASCIILetter ? Self.ones << 5 : 0
        ending = bytes.count > 1 ? 0x80 << 56 : Self.highBits
    }

    package static func == (left: FoldedText, right: FoldedText) -> Bool { left.bytes == right.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Returns whether a text contains this one. Bytes of the searched text that are not UTF-8 are read as replacement
    /// characters.
    package func isContained(in text: Span<UInt8>) -> Bool {
        let outcome = text.withUnsafeBufferPointer { text in
            bytes.withUnsafeBufferPointer { search(text, for: $0) }
        }
        // Letters outside of ASCII may fold to ASCII letters.
        guard case .notFound(inASCII: false) = outcome else { return outcome == .found }
        return TextFolding.folded(text).withUnsafeBufferPointer { folded in
            bytes.withUnsafeBufferPointer { search(folded, for: $0) == .found }
        }
    }

    private enum Outcome: Equatable {
        case found
        /// Whether the text has only ASCII characters.
        case notFound(inASCII: Bool)
    }

    /// Compares byte by byte, ignoring the case of ASCII letters. ASCII characters fold one by one, so a match here is
    /// a match in the folded text too.
    @inline(__always)
    private func search(_ text: UnsafeBufferPointer<UInt8>, for wanted: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard let wantedStart = wanted.baseAddress, !wanted.isEmpty else { return .found }
        guard let start = text.baseAddress else { return .notFound(inASCII: true) }
        let count = text.count
        let last = count - wanted.count
        var union: UInt64 = 0
        var index = 0
        while index < count {
            // The last group of eight bytes may overlap the group before it.
            if count >= 8 { index = min(index, count - 8) }
            let word = Self.word(start + index, count)
            union |= word
            var places = Self.marks((word | firstCase) ^ first)
            places &= Self.marks((word | secondCase) ^ second) >> 8 | ending
            while places != 0 {
                let place = index + places.trailingZeroBitCount / 8
                if place <= last, Self.isSame(start + place, wantedStart, wanted.count) { return .found }
                places &= places &- 1
            }
            index += 8
        }
        return .notFound(inASCII: union & Self.highBits == 0)
    }

    /// Sets the highest bit of each zero byte, and possibly of the byte above it.
    @inline(__always)
    private static func marks(_ difference: UInt64) -> UInt64 { (difference &- ones) & ~difference & highBits }

    /// Returns the eight bytes from `start` as a word, the first byte lowest. If the whole text has fewer than eight
    /// bytes, `count` is its length, and the other bytes of the word are zero.
    @inline(__always)
    private static func word(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        let bytes = UnsafeRawPointer(start)
        if count >= 8 { return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) }
        if count >= 4 {
            let low = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return UInt64(low) | UInt64(high) << UInt64(8 * (count - 4))
        }
        var word: UInt64 = 0
        for offset in 0..<count { word |= UInt64(start[offset]) << UInt64(8 * offset) }
        return word
    }

    @inline(__always)
    private static func isSame(_ start: UnsafePointer<UInt8>, _ wanted: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        for index in 0..<count where start[index].asciiFolded != wanted[index] { return false }
        return true
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
}
