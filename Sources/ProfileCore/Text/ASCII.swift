extension UInt8 {
    @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }
    @inlinable package var isASCIILowercase: Bool { self &- 0x61 < 26 }
    @inlinable package var isASCIIUppercase: Bool { self &- 0x41 < 26 }
    @inlinable package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
    /// Space, tab, LF, VT, FF, CR.
    @inlinable package var isASCIIWhitespace: Bool { self == 0x20 || self &- 0x09 < 5 }
    /// The lower-case form of an ASCII letter. Any other byte is unchanged.
    @inlinable package var asciiFolded: UInt8 { isASCIIUppercase ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Returns whether this span and `other` have the same bytes.
    @inlinable package func isEqual(to other: Span<UInt8>) -> Bool {
        count == other.count && indices.allSatisfy { self[$0] == other[$0] }
    }

    package var first: UInt8? { isEmpty ? nil : self[0] }

    var isASCII: Bool {
        var union: UInt8 = 0
        for index in indices { union |= self[index] }
        return union < 128
    }

    @inline(__always)
    var hasAdjacentSpaces: Bool {
        var previous: UInt8 = 0
        for index in indices {
            let byte = self[index]
            if byte == 0x20, previous == 0x20 { return true }
            previous = byte
        }
        return false
    }

    /// The number of user-perceived characters in ASCII text. CR LF counts as one character.
    var countOfASCIICharacters: Int {
        var pairs = 0
        var previous: UInt8 = 0
        for index in indices {
            let byte = self[index]
            if byte == 0x0A, previous == 0x0D { pairs += 1 }
            previous = byte
        }
        return count - pairs
    }

    /// The bytes without ASCII white space around them (S2).
    @inline(__always)
    @_lifetime(copy self)
    package func trimmed() -> Span<UInt8> {
        var start = 0
        var end = count
        while start < end, self[start].isASCIIWhitespace { start += 1 }
        while end > start, self[end - 1].isASCIIWhitespace { end -= 1 }
        return extracting(start..<end)
    }
}

extension String {
    /// Creates a text from bytes. The bytes must be valid UTF-8.
    package init(_ bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
