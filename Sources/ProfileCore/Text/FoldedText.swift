/// A search text. A search ignores the case and the accents of letters.
///
/// ``TextFolding`` folds the search text and the searched text. Most texts are ASCII and need no folding. An ASCII text
/// is searched in place, eight bytes at a time. So a search of a million values takes only a little longer than reading
/// the values.
package struct FoldedText: Hashable, Sendable {
    /// The folded text in UTF-8.
    package let bytes: [UInt8]
    /// `first` is eight copies of the first byte. `second` is eight copies of the second byte, or 0 if there is no
    /// second byte.
    private let first: UInt64
    private let second: UInt64
    /// An upper-case ASCII letter differs from the lower-case letter in one bit. If the first byte is a letter,
    /// `firstCase` has this bit in each of its eight bytes. Otherwise `firstCase` is 0. `secondCase` describes the second byte in
    /// the same way.
    private let firstCase: UInt64
    private let secondCase: UInt64
    /// The bytes of a word after which `second` is not compared. The highest bit of these bytes is set. If this text
    /// has one byte, these are all bytes of the word. Otherwise it is only the last byte, because the byte after it is
    /// outside the word.
    private let ending: UInt64

    package init(_ text: String) { self.init(text.utf8Span.span) }

    package init(_ text: Span<UInt8>) { self.init(folded: TextFolding.folded(text)) }

    /// Creates a search text from a text that is already folded.
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

    /// Returns whether `text` contains this text. If `text` contains invalid UTF-8, the invalid bytes are read as
    /// replacement characters.
    package func isContained(in text: Span<UInt8>) -> Bool {
        let outcome = text.withUnsafeBufferPointer { text in
            bytes.withUnsafeBufferPointer { search(text, for: $0) }
        }
        // A non-ASCII letter may fold to ASCII letters. So if nothing was found in a text with non-ASCII letters, the
        // text is folded and searched again.
        guard case .notFound(inASCII: false) = outcome else { return outcome == .found }
        return TextFolding.folded(text).withUnsafeBufferPointer { folded in
            bytes.withUnsafeBufferPointer { search(folded, for: $0) == .found }
        }
    }

    private enum Outcome: Equatable {
        case found
        /// `inASCII` is true if the text has only ASCII characters.
        case notFound(inASCII: Bool)
    }

    /// Compares bytes, ignoring the case of ASCII letters. The folded form of an ASCII character does not depend on the
    /// characters around it. So if this search finds a match, the folded text contains a match too.
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

    /// Sets the highest bit of each zero byte. This may also set the highest bit of the next higher byte.
    @inline(__always)
    private static func marks(_ difference: UInt64) -> UInt64 { (difference &- ones) & ~difference & highBits }

    /// Returns the eight bytes from `start` as a little-endian word. `count` is the length of the whole text. If the
    /// text has fewer than eight bytes, the other bytes of the word are zero.
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
