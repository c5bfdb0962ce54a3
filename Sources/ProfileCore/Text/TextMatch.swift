/// How well a search text matches a value. A better match is greater than a worse match.
package enum TextMatch: Int, Comparable, CaseIterable, Sendable {
    /// The text is inside a word.
    case inside = 1
    /// A word begins with the text.
    case word
    /// The value begins with the text.
    case start
    /// The text is the whole value.
    case whole

    package static func < (left: TextMatch, right: TextMatch) -> Bool { left.rawValue < right.rawValue }
}

extension FoldedText {
    /// Returns the best match of this text in a value; nil if the value does not contain this text.
    ///
    /// A word begins at a letter or digit if the character before it is not a letter or digit.
    package func match(in text: Span<UInt8>) -> TextMatch? {
        guard isContained(in: text) else { return nil }
        return text.withUnsafeBufferPointer { text in
            if text.allSatisfy({ $0 < 0x80 }) { return bestMatch(inFolded: text) }
            return TextFolding.folded(text.span).withUnsafeBufferPointer { bestMatch(inFolded: $0) }
        }
    }

    /// Returns the best match of this search text in `text`, which must contain the search text. `text` must be folded.
    /// Only its ASCII letters may be upper-case.
    private func bestMatch(inFolded text: UnsafeBufferPointer<UInt8>) -> TextMatch {
        func stands(at index: Int) -> Bool {
            bytes.indices.allSatisfy { text[index + $0].asciiFolded == bytes[$0] }
        }
        guard stands(at: 0) else {
            let places = 1..<max(1, text.count - bytes.count + 1)
            return places.contains { stands(at: $0) && Self.isWordStart(text, $0) } ? .word : .inside
        }
        return text.count == bytes.count ? .whole : .start
    }

    private static func isWordStart(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        isInWord(scalar(in: text, at: index)) && !isInWord(scalar(before: index, in: text))
    }

    private static func isInWord(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    private static func scalar(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> Unicode.Scalar? {
        var decoder = UTF8()
        var bytes = text[index...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return nil }
        return scalar
    }

    private static func scalar(before index: Int, in text: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        var start = index - 1
        while start > 0, UTF8.isContinuation(text[start]) { start -= 1 }
        return scalar(in: text, at: start)
    }

    /// Returns the ranges of `text` in which this search text occurs. Each range consists of whole characters, so the
    /// caller can highlight it. If the search text is empty, there are no ranges.
    package func ranges(in text: String) -> [Range<String.Index>] {
        guard !bytes.isEmpty, isContained(in: text.utf8Span.span) else { return [] }
        var folded: [UInt8] = []
        // Contains one index in `text` for each byte of `folded`. It is the index of the character that produced the
        // byte.
        var characters: [String.Index] = []
        for index in text.indices {
            folded += TextFolding.folded(String(text[index]).utf8Span.span)
            characters += repeatElement(index, count: folded.count - characters.count)
        }
        var ranges: [Range<String.Index>] = []
        var index = 0
        while index + bytes.count <= folded.count {
            guard folded[index..<index + bytes.count].elementsEqual(bytes) else {
                index += 1
                continue
            }
            let last = characters[index + bytes.count - 1]
            let range = characters[index]..<text.index(after: last)
            if let before = ranges.last, before.upperBound > range.lowerBound {
                ranges[ranges.count - 1] = before.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
            index += bytes.count
        }
        return ranges
    }
}
