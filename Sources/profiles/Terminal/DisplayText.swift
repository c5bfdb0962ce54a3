extension StringProtocol {
    /// How many columns of a terminal the text takes.
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The text with spaces after it, up to a width.
    func padded(to width: Int) -> String {
        String(self) + String(repeating: " ", count: Swift.max(0, width - displayWidth))
    }
}

extension Character {
    /// Two columns for East Asian wide characters and emoji, one for others: Unicode's UAX #11 in outline.
    fileprivate var displayWidth: Int {
        unicodeScalars.contains { $0.isWide || $0 == "\u{FE0F}" } ? 2 : unicodeScalars.allSatisfy(\.isZeroWidth) ? 0 : 1
    }
}

extension Unicode.Scalar {
    fileprivate var isZeroWidth: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
