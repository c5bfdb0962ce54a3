/// Text without what people leave out when they look for something: `Łódź` and `LODZ` become `lodz`.
///
/// - Case: `A`, `ẞ` and `ﬁ` become `a`, `ss` and `fi`, the final sigma one like any other, and the dotless `ı` an `i`.
/// - Accents: the marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters. Those by which other scripts write vowels
///   and voices stay.
/// - Letters that people without their keyboard write with others: `ø` as `o`, `æ` as `ae`; see ``plainLetters``.
/// - What cannot be seen, such as a soft hyphen.
///
/// What is folded stays the same when it is folded again, and texts that differ in Unicode's normal form alone fold to the
/// same.
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

    /// Folds text that has only characters which fold to the same wherever they stand. Returns false where there is
    /// another one.
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
            // Ideographs U+5000 to U+8FFF, which are as they are.
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

    /// What the scalars of Latin, Greek and Cyrillic fold to, by their number: four bytes of UTF-8 at the most, the first
    /// one lowest. The marks among them are all left out, so that their order does not matter.
    private static let knownScalars: [UInt32] = (0..<0x530).map { number in
        guard let scalar = Unicode.Scalar(UInt32(number)) else { return 0 }
        var bytes: [UInt8] = []
        append(String(scalar), to: &bytes)
        return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func append(_ text: String, to folded: inout [UInt8]) {
        for scalar in text.scalarsOfNFD where !isLeftOut(scalar) {
            // By way of the upper case, which is the same for the forms of a letter: ß, ẞ and ss, σ and ς.
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
        // Classes 7 to 9 and 84 to 132 are the marks of Indic, Thai, Tibetan and Japanese writing, and those of class 0
        // mostly vowels.
        switch properties.canonicalCombiningClass.rawValue {
        case 1, 10...36, 200...: return true
        default: return false
        }
    }

    /// Letters that Unicode takes for letters of their own, and what they are searched by.
    private static let plainLetters: [Unicode.Scalar: String] = [
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "ŧ": "t", "þ": "th",
    ]
}
