/// A text to be looked for in others, whatever the case of letters and the accents on them.
///
/// Both sides are folded by ``TextFolding``. Text that is ASCII, as most is, need not be: it is searched as it lies, eight
/// bytes at a time, so that a million values cost little more than reading them.
package struct FoldedText: Hashable, Sendable {
    /// In UTF-8.
    package let bytes: [UInt8]

    package init(_ text: String) { self.init(text.utf8Span.span) }

    package init(_ text: Span<UInt8>) { bytes = TextFolding.folded(text) }

    /// Of what is folded already.
    package init(folded bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it stands somewhere in a text. What is not UTF-8 there is read with replacement characters.
    package func isContained(in text: Span<UInt8>) -> Bool {
        guard let first = bytes.first else { return true }
        return text.withUnsafeBufferPointer { text in
            switch search(text, first: first) {
            case .found: return true
            case .notFound(inASCII: true): return false
            case .notFound(inASCII: false):
                // Letters that are not ASCII may be folded to such that are.
                return TextFolding.folded(text.span).withUnsafeBufferPointer { folded in
                    if case .found = search(folded, first: first) { true } else { false }
                }
            }
        }
    }

    private enum Outcome {
        case found
        /// Whether the text has ASCII characters alone.
        case notFound(inASCII: Bool)
    }

    /// Compares byte by byte, whatever the case of ASCII letters. ASCII is folded to the same, each character by itself,
    /// so that what is found here is found in the folded text too.
    @inline(__always)
    private func search(_ text: UnsafeBufferPointer<UInt8>, first: UInt8) -> Outcome {
        guard let start = text.baseAddress else { return .notFound(inASCII: true) }
        // An upper-case letter has all bits of the lower-case one but this.
        let caseBit: UInt8 = first.isASCIILetter ? 0x20 : 0
        let caseBits = UInt64(caseBit) &* Self.ones
        let wanted = UInt64(first) &* Self.ones
        let last = text.count - bytes.count
        var union: UInt64 = 0
        var index = 0
        while index < text.count {
            let word: UInt64
            if text.count - index >= 8 {
                word = UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self).littleEndian
            } else if text.count >= 8 {
                // The last eight, some of which were looked at before.
                index = text.count - 8
                word = UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self).littleEndian
            } else {
                var few: UInt64 = 0
                for offset in 0..<text.count { few |= UInt64(start[offset]) << UInt64(8 * offset) }
                word = few
            }
            union |= word
            // A byte that is as wanted is zero now, and marked by its highest bit. One above it may be marked too.
            let difference = (word | caseBits) ^ wanted
            var marks = (difference &- Self.ones) & ~difference & Self.highBits
            while marks != 0 {
                let place = index + marks.trailingZeroBitCount / 8
                if place <= last, hasSame(start + place) { return .found }
                marks &= marks &- 1
            }
            index += 8
        }
        return .notFound(inASCII: union & Self.highBits == 0)
    }

    /// Whether all bytes stand here.
    @inline(__always)
    private func hasSame(_ start: UnsafePointer<UInt8>) -> Bool {
        for index in bytes.indices where start[index].asciiFolded != bytes[index] { return false }
        return true
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
}
