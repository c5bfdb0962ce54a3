package extension StringProtocol {
    /// How many columns of a terminal the text takes: the sum of its characters' (Unicode's UAX #11).
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The text with spaces after it, up to a width in columns.
    func padded(to width: Int) -> String {
        String(self) + String(repeating: " ", count: Swift.max(0, width - displayWidth))
    }

    /// The last place up to which the text from another one takes at most so many columns.
    func end(from start: Index, within columns: Int) -> Index {
        var width = 0
        var end = start
        while end < endIndex {
            width += self[end].displayWidth
            if width > columns { break }
            end = index(after: end)
        }
        return end
    }

    /// The first place from which the text up to another one takes at most so many columns.
    func start(before end: Index, within columns: Int) -> Index {
        var width = 0
        var start = end
        while start > startIndex {
            let before = index(before: start)
            width += self[before].displayWidth
            if width > columns { break }
            start = before
        }
        return start
    }
}

package extension Character {
    /// How many columns of a terminal the character takes: two for East Asian wide characters and emoji, none for what
    /// shows nothing by itself, one for others; a control character counts as the symbol that is shown for it.
    ///
    /// A cluster of several scalars is as wide as the widest of them, whatever joins them: a letter with its marks, Hangul
    /// of conjoining jamo, emoji with a skin tone or joined by ZWJ. A variation selector 16 asks for an emoji's two
    /// columns, and so does a flag of two regional indicators.
    var displayWidth: Int {
        if isASCII { return 1 }
        var widest = 0
        var regionalIndicators = 0
        for scalar in unicodeScalars {
            if scalar.isRegionalIndicator { regionalIndicators += 1 }
            if scalar == "\u{FE0F}" || regionalIndicators == 2 { return 2 }
            widest = Swift.max(widest, scalar.displayWidth)
        }
        return widest
    }

    /// How many columns a terminal takes that draws every scalar by itself.
    var widthOfScalars: Int { unicodeScalars.reduce(0) { $0 + $1.displayWidth } }

    /// Whether every terminal is likely to take as many columns for the character as `displayWidth` says: not for
    /// clusters, which older ones draw scalar by scalar, nor for emoji, of which each knows those of its own year.
    var hasCertainWidth: Bool {
        if isASCII { return true }
        guard let scalar = unicodeScalars.first, unicodeScalars.count == 1 else { return false }
        return !scalar.properties.isEmoji && scalar.isAssigned && !scalar.isTrailingJamo
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        let properties = properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        case .control, .lineSeparator, .paragraphSeparator: return 1
        default: break
        }
        if isWide || properties.isEmojiPresentation && !isRegionalIndicator { return 2 }
        // A soft hyphen is drawn by terminals, which break no lines at it.
        if properties.isDefaultIgnorableCodePoint, self != "\u{AD}" { return 0 }
        return isTrailingJamo ? 0 : 1
    }

    /// East_Asian_Width W or F, but for emoji, with the planes that are reserved for ideographs.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4C6, 0xA960...0xA97C,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
            true
        default: false
        }
    }

    /// A vowel or final consonant of Hangul, drawn into the syllable's first consonant.
    fileprivate var isTrailingJamo: Bool {
        switch value {
        case 0x1160...0x11FF, 0xD7B0...0xD7FB: true
        default: false
        }
    }

    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    fileprivate var isAssigned: Bool { properties.generalCategory != .unassigned }
}
