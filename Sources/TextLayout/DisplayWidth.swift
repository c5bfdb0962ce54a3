package extension StringProtocol {
    /// The number of terminal columns that the text takes: the sum of the widths of its characters (UAX #11).
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// Returns the text with spaces appended up to a width in columns.
    func padded(to width: Int) -> String {
        String(self) + String(repeating: " ", count: Swift.max(0, width - displayWidth))
    }

    /// Returns the end of the longest substring that begins at `start` and is at most `columns` terminal columns wide.
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

    /// Returns the start of the longest substring that ends at `end` and is at most `columns` terminal columns wide.
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
    /// The number of terminal columns that the character takes. East Asian wide characters and emoji take two columns.
    /// A character that draws nothing takes no column. All other characters take one. A control character takes one
    /// column too, because a one-column symbol is shown instead.
    ///
    /// A cluster of several scalars is as wide as its widest scalar. Examples are a letter with its marks, a Hangul
    /// syllable of conjoining jamo, an emoji with a skin tone, and emoji that are joined by ZWJ. A character with
    /// variation selector 16 is shown as an emoji and takes two columns. A flag consists of two regional indicators and
    /// also takes two columns.
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

    /// The number of columns that the character takes if the terminal draws each of its scalars separately.
    var widthOfScalars: Int { unicodeScalars.reduce(0) { $0 + $1.displayWidth } }

    /// Whether every terminal is likely to use `displayWidth` columns for the character. False for a character of
    /// several scalars, because older terminals draw each scalar separately. False for emoji, because an old terminal
    /// does not know new emoji.
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
        // A soft hyphen takes one column: terminals never break a line at it, so they always draw it.
        if properties.isDefaultIgnorableCodePoint, self != "\u{AD}" { return 0 }
        return isTrailingJamo ? 0 : 1
    }

    /// Whether the property East_Asian_Width is W or F. The planes that are reserved for ideographs are included. Most
    /// emoji are not included, because `displayWidth` checks the property Emoji_Presentation.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4C6, 0xA960...0xA97C,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
            true
        default: false
        }
    }

    /// Whether the scalar is a vowel or a final consonant of Hangul. Terminals draw it into the cell of the first
    /// consonant.
    fileprivate var isTrailingJamo: Bool {
        switch value {
        case 0x1160...0x11FF, 0xD7B0...0xD7FB: true
        default: false
        }
    }

    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    fileprivate var isAssigned: Bool { properties.generalCategory != .unassigned }
}
