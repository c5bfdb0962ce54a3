/// Folds text for searches that ignore case, accents and special letters: `Łódź` and `LODZ` become `lodz`.
///
/// - Case: `A`, `ẞ` and `ﬁ` become `a`, `ss` and `fi`. The final sigma `ς` becomes the usual `σ`, and the dotless `ı`
///   becomes `i`.
/// - Accents: the marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters are removed. In other scripts, a mark may
///   be a vowel or may change a consonant. So these marks are kept.
/// - Special letters are replaced, because many keyboards do not have them: `ø` becomes `o`, `æ` becomes `ae`; see
///   ``plainLetters``.
/// - Invisible characters, such as a soft hyphen, are removed.
///
/// If a folded text is folded again, it does not change. If two texts differ only in their Unicode normal form, they
/// fold to the same text.
enum TextFolding {
    /// The folded text, in UTF-8.
    static func folded(_ text: Span<UInt8>) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        if !appendKnown(text, to: &folded) {
            folded.removeAll(keepingCapacity: true)
            append(String(text), to: &folded)
        }
        return folded
    }

    /// Folds a text that consists of ASCII characters, of characters in `knownScalars` and of the ideographs U+5000 to
    /// U+8FFF. Returns false for any other text. The folded form of these characters does not depend on the characters
    /// around them.
    private static func appendKnown(_ text: Span<UInt8>, to folded: inout [UInt8]) -> Bool {
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case ..<0x80:
                folded.append(byte.asciiFolded)
                index += 1
            case 0xC2..<0xE0:
                guard index + 1 < text.count, text[index + 1] & 0xC0 == 0x80 else { return false }
                let scalar = Int(byte & 0x1F) << 6 | Int(text[index + 1] & 0x3F)
                guard scalar < knownScalars.endIndex else { return false }
                var bytes = knownScalars[scalar]
                while bytes != 0 {
                    folded.append(UInt8(truncatingIfNeeded: bytes))
                    bytes >>= 8
                }
                index += 2
            // The ideographs U+5000 to U+8FFF are not changed by folding.
            case 0xE5...0xE8:
                guard index + 2 < text.count, text[index + 1] & 0xC0 == 0x80, text[index + 2] & 0xC0 == 0x80 else {
                    return false
                }
                for offset in 0..<3 { folded.append(text[index + offset]) }
                index += 3
            default: return false
            }
        }
        return true
    }

    /// The folded forms of the scalars below U+0530 (Latin, Greek and Cyrillic), by code point. Each form has at most
    /// four bytes of UTF-8, and is stored as one number. The first byte of the form is the lowest byte of the number.
    /// Folding removes all marks in this range, so the order of marks in a text does not matter.
    private static let knownScalars: [UInt32] = (0..<0x530).map { number in
        guard let scalar = Unicode.Scalar(UInt32(number)) else { return 0 }
        var bytes: [UInt8] = []
        append(String(scalar), to: &bytes)
        return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func append(_ text: String, to folded: inout [UInt8]) {
        for scalar in text.scalarsOfNFD where !isLeftOut(scalar) {
            // All forms of a letter have the same upper case. For example, ß, ẞ and ss have the same upper case, and so
            // do σ and ς.
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    for letter in upper.properties.lowercaseMapping.unicodeScalars where !isLeftOut(letter) {
                        if let plain = plainLetters[letter] {
                            folded.append(contentsOf: plain.utf8)
                        } else {
                            folded.append(contentsOf: UTF8.encode(letter) ?? UTF8.encodedReplacementCharacter)
                        }
                    }
                }
            }
        }
    }

    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return false }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return true }
        guard properties.generalCategory == .nonspacingMark else { return false }
        // Marks of Indic, Thai, Tibetan and Japanese scripts have the combining classes 7 to 9 and 84 to 132. Most
        // marks of class 0 are vowels. All these marks are kept.
        switch properties.canonicalCombiningClass.rawValue {
        case 1, 10...36, 200...: return true
        default: return false
        }
    }

    /// Letters that Unicode does not decompose. Each letter is mapped to the letters that people type instead in a
    /// search.
    private static let plainLetters: [Unicode.Scalar: String] = [
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "ŧ": "t", "þ": "th",
    ]
}
