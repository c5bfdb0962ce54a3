internal import ProfileCore

/// The letters and digits of a value, without regard to case and accents. Two values with the same plain text probably
/// mean the same.
enum PlainText {
    /// Returns the plain text. It is empty if the value has no letters and digits.
    static func bytes(of value: Span<UInt8>) -> [UInt8] { filtered(FoldedText(value).bytes, keepingSpaces: false) }

    /// Returns the words of a value in alphabetical order, separated by spaces. So the order of first name and last name
    /// does not matter.
    static func words(of value: Span<UInt8>) -> [UInt8] {
        let words = filtered(FoldedText(value).bytes, keepingSpaces: true).split(separator: space)
        return Array(words.sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [space]))
    }

    private static let space = UInt8(ascii: " ")

    private static func filtered(_ folded: [UInt8], keepingSpaces: Bool) -> [UInt8] {
        guard folded.contains(where: { $0 >= 0x80 }) else {
            var kept: [UInt8] = []
            kept.reserveCapacity(folded.count)
            for byte in folded {
                if byte.isASCIILetter || byte.isASCIIDigit {
                    kept.append(byte)
                } else if keepingSpaces, byte != UInt8(ascii: "'") {
                    // A hyphen separates words, but O'Neil is one word.
                    kept.append(space)
                }
            }
            return kept
        }
        var kept = String.UnicodeScalarView()
        for scalar in String(decoding: folded, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .connectorPunctuation,
                .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
                .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
                if keepingSpaces, scalar != "'", scalar != "\u{2019}" { kept.append(" ") }
            default: kept.append(scalar)
            }
        }
        return Array(String(kept).utf8)
    }
}
