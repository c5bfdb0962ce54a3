/// The notation of integers and numbers (Table Schema's `decimalChar`, `groupChar` and `bareNumber`).
public struct NumberFormat: Hashable, Sendable {
    /// The character before the fraction.
    public internal(set) var decimalCharacter: Character
    /// The character that may separate groups of digits before the fraction. Such characters do not change the number.
    public internal(set) var groupCharacter: Character?
    /// Whether the text contains only the number. If false, other text around the number is ignored, such as `€` and
    /// `%`.
    public internal(set) var isBare: Bool

    package init(decimal: Character = ".", group: Character? = nil, isBare: Bool = true) {
        decimalCharacter = decimal
        groupCharacter = group
        self.isBare = isBare
    }

    /// The default notation: a point before the fraction, no groups, and no other text around the number.
    public static let plain = NumberFormat()

    /// Whether a character can be a separator: it cannot be confused with a digit, a letter or a sign.
    static func isSeparator(_ character: Character) -> Bool {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, scalars.count == 1, !first.isForbiddenControl else { return false }
        return first.value >= 0x20 && !character.isLetter && !character.isNumber && first != "+" && first != "-"
            && !typographicMinuses.contains(first)
    }

    /// The characters that look like a minus: minus sign, figure dash, en dash, small and full-width hyphen-minus.
    fileprivate static let typographicMinuses: [Unicode.Scalar] = [
        "\u{2212}", "\u{2012}", "\u{2013}", "\u{FE63}", "\u{FF0D}",
    ]

    /// The differences from the default notation, in words that follow "a number".
    package var remarks: [String] {
        var remarks: [String] = []
        if decimalCharacter != "." { remarks.append("with \"\(decimalCharacter)\" before the fraction") }
        if let groupCharacter { remarks.append("with \"\(groupCharacter)\" or nothing between groups of digits") }
        if !isBare {
            remarks.append("with or without other characters around it, and \"-\" before the digits if it is negative")
        }
        return remarks
    }

    /// Converts a number from its stored form, or from the notation of JSON, to a text that can be typed in this
    /// notation.
    func typedForm(of stored: String) -> String {
        // In an integer field, a point may be both the decimal and the group character. A fraction must then not look
        // like a group.
        let decimal: Character = groupCharacter == "." && decimalCharacter == "." ? "," : decimalCharacter
        return decimal == "." ? stored : stored.replacing(".", with: String(decimal))
    }
}

/// Reads numbers in one notation.
package struct NumberReader: Sendable {
    private let decimal: [UInt8]
    private let group: [UInt8]?
    private let isBare: Bool

    package init(_ format: NumberFormat) {
        decimal = Array(String(format.decimalCharacter).utf8)
        group = format.groupCharacter.map { Array(String($0).utf8) }
        isBare = format.isBare
    }

    /// Returns the 64-bit integer of a text, or nil if the text is not an integer in this notation.
    package func integer(_ text: Span<UInt8>) -> Int64? {
        // An integer has no fraction, so a point can separate its groups.
        plainText(of: text, decimal: nil).flatMap { NumberText.integer($0.span) }
    }

    /// Returns the finite number of a text, or nil if the text is not a number in this notation.
    package func number(_ text: Span<UInt8>) -> Double? {
        plainText(of: text, decimal: decimal).flatMap { NumberText.number($0.span) }
    }

    /// Returns the number with a point before the fraction, without groups and without the text around it.
    private func plainText(of text: Span<UInt8>, decimal: [UInt8]?) -> [UInt8]? {
        guard let range = isBare ? text.indices : number(in: text, decimal: decimal) else { return nil }
        var plain: [UInt8] = []
        var groups = Groups()
        // True until the fraction or the exponent begins. With `,` between groups, `1,23e4` is refused, because its
        // last group has two digits.
        var isWholePart = true
        var index = range.lowerBound
        while index < range.upperBound {
            if let decimal, text.has(decimal, at: index) {
                guard isWholePart else { return nil }
                isWholePart = false
                plain.append(UInt8(ascii: "."))
                index += decimal.count
            } else if let group, text.has(group, at: index) {
                guard isWholePart, groups.end() else { return nil }
                index += group.count
            } else {
                guard text[index] != UInt8(ascii: ".") else { return nil }
                if text[index].asciiFolded == UInt8(ascii: "e") { isWholePart = false }
                if isWholePart, text[index].isASCIIDigit { groups.digits += 1 }
                plain.append(text[index])
                index += 1
            }
        }
        return groups.areWhole ? plain : nil
    }

    /// Checks the groups of digits before the fraction.
    ///
    /// The first group has one to three digits, the groups in the middle two or three, and the last group three. This
    /// covers European and Indian grouping. Any other grouping is refused, because it may be a fraction: `1.50` is not
    /// 150.
    private struct Groups {
        private var count = 0
        var digits = 0

        /// Ends a group that another group follows. Returns false if the group has a wrong number of digits.
        mutating func end() -> Bool {
            defer {
                count += 1
                digits = 0
            }
            return (count == 0 ? 1...3 : 2...3) ~= digits
        }

        var areWhole: Bool { count == 0 || digits == 3 }
    }

    /// Returns the range of the number in a text with other characters around it.
    ///
    /// The range begins at a minus or at the first digit, and ends after the last digit. It includes a decimal
    /// character directly before the digits, unless that character ends a word: `$.50` is a half, `No.5` is five.
    private func number(in text: Span<UInt8>, decimal: [UInt8]?) -> Range<Int>? {
        var start = 0
        while start < text.count, !text[start].isASCIIDigit, text[start] != UInt8(ascii: "-") {
            // Accountants write negative numbers in parentheses, so a parenthesis is refused.
            guard text[start] != UInt8(ascii: "("), !text.hasTypographicMinus(at: start) else { return nil }
            start += 1
        }
        var end = text.count
        while end > start, !text[end - 1].isASCIIDigit { end -= 1 }
        guard start < end else { return nil }
        // Some people write the minus after the digits. A minus there must not be ignored.
        for index in end..<text.count {
            guard text[index] != UInt8(ascii: "-"), !text.hasTypographicMinus(at: index) else { return nil }
        }
        guard let decimal else { return start..<end }
        let before = start - decimal.count
        guard before >= 0, text.has(decimal, at: before), before == 0 || !text[before - 1].isASCIILetter else {
            return start..<end
        }
        return before..<end
    }
}

/// The typographic minuses in UTF-8.
private let typographicMinuses = NumberFormat.typographicMinuses.map { Array(String($0).utf8) }

extension Span<UInt8> {
    fileprivate func hasTypographicMinus(at index: Int) -> Bool {
        guard self[index] >= 0x80 else { return false }
        for minus in typographicMinuses where has(minus, at: index) { return true }
        return false
    }

    /// Whether this span contains the given bytes at an index. `bytes` must not be empty.
    fileprivate func has(_ bytes: [UInt8], at index: Int) -> Bool {
        guard self[index] == bytes[0], index + bytes.count <= count else { return false }
        for offset in bytes.indices where self[index + offset] != bytes[offset] { return false }
        return true
    }
}
