/// A text to be looked for in others, whatever the case of letters and the accents on them.
///
/// Both sides are folded by ``TextFolding``. Text that is ASCII, as most is, need not be: it is searched as it lies, eight
/// bytes at a time, so that a million values cost little more than reading them.
package struct FoldedText: Hashable, Sendable {
    /// In UTF-8.
    package let bytes: [UInt8]
    /// Eight times the first byte, and eight times the second, if there is one.
    private let first: UInt64
    private let second: UInt64
    /// An upper-case letter has all bits of the lower-case one but one: this eight times, where they are letters.
    private let firstCase: UInt64
    private let secondCase: UInt64
    /// The marks of places that need no second byte: all where there is none, else that of a word's last byte.
    private let ending: UInt64

    package init(_ text: String) { self.init(text.utf8Span.span) }

    package init(_ text: Span<UInt8>) { self.init(folded: TextFolding.folded(text)) }

    /// Of what is folded already.
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

    /// Whether it stands somewhere in a text. What is not UTF-8 there is read with replacement characters.
    package func isContained(in text: Span<UInt8>) -> Bool {
        let outcome = text.withUnsafeBufferPointer { text in
            bytes.withUnsafeBufferPointer { search(text, for: $0) }
        }
        // Letters that are not ASCII may be folded to such that are.
        guard case .notFound(inASCII: false) = outcome else { return outcome == .found }
        return TextFolding.folded(text).withUnsafeBufferPointer { folded in
            bytes.withUnsafeBufferPointer { search(folded, for: $0) == .found }
        }
    }

    private enum Outcome: Equatable {
        case found
        /// Whether the text has ASCII characters alone.
        case notFound(inASCII: Bool)
    }

    /// Compares byte by byte, whatever the case of ASCII letters. ASCII is folded to the same, each character by itself,
    /// so that what is found here is found in the folded text too.
    @inline(__always)
    private func search(_ text: UnsafeBufferPointer<UInt8>, for wanted: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard let wantedStart = wanted.baseAddress, !wanted.isEmpty else { return .found }
        guard let start = text.baseAddress else { return .notFound(inASCII: true) }
        let count = text.count
        let last = count - wanted.count
        var union: UInt64 = 0
        var index = 0
        while index < count {
            // The last eight begin where there are eight, though some of them were looked at before.
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

    /// The highest bit of each byte that is zero, and maybe of one above it.
    @inline(__always)
    private static func marks(_ difference: UInt64) -> UInt64 { (difference &- ones) & ~difference & highBits }

    /// Eight bytes, the first one lowest, or as many as there are.
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
