/// The notation of integers and numbers (Table Schema's `decimalChar`, `groupChar` and `bareNumber`).
public struct NumberFormat: Hashable, Sendable {
    /// The character before the fraction.
    public internal(set) var decimalCharacter: Character
    /// The character that may separate groups of digits before the fraction. Such characters do not change the number.
    public internal(set) var groupCharacter: Character?
    /// Whether a value contains only the number. If false, a value may have other text around the number, such as `€`
    /// and `%`. A reader ignores this text. If the field has a unit, validation only accepts this unit.
    public internal(set) var isBare: Bool

    package init(decimal: Character = ".", group: Character? = nil, isBare: Bool = true) {
        decimalCharacter = decimal
        groupCharacter = group
        self.isBare = isBare
    }

    /// The default notation: a point before the fraction, no groups, and no other text around the number.
    public static let plain = NumberFormat()

    /// Whether a character can be a separator. A separator must not look like a digit, a letter or a sign.
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

    /// One phrase for each difference from the default notation. A message shows the phrases after "a number".
    package var remarks: [String] {
        var remarks: [String] = []
        if decimalCharacter != "." { remarks.append("with \"\(decimalCharacter)\" before the fraction") }
        if let groupCharacter { remarks.append("with \"\(groupCharacter)\" or nothing between groups of digits") }
        if !isBare {
            remarks.append("with or without other characters around it, and \"-\" before it if it is negative")
        }
        return remarks
    }

    /// Converts a number to a text in this notation. The number is in its stored form or in JSON notation.
    func typedForm(of stored: String) -> String {
        // The decimal character of an integer field is always a point, and its group character may also be a point. If
        // so, a comma is written before a fraction, because a point would look like a group separator.
        let decimal: Character = groupCharacter == "." && decimalCharacter == "." ? "," : decimalCharacter
        return decimal == "." ? stored : stored.replacing(".", with: String(decimal))
    }

    /// Converts a stored number to a text in this notation. ``groupCharacter`` separates groups of three digits. The
    /// pattern has the text around the number, the position of a minus and the least number of decimals.
    ///
    /// Later rules may have changed the type of the field from text to number. A stored text that is not a number is
    /// returned unchanged.
    func originalForm(of stored: String, _ pattern: NumberPattern = .plain) -> String {
        guard NumberText.number(stored.utf8Span.span) != nil else { return stored }
        let minus = stored.hasPrefix("-") ? "-" : ""
        let number = Self.withoutNegativeExponent(stored.dropFirst(minus.count))
        let digits = number.prefix { !".eE".contains($0) }
        var rest = String(number.dropFirst(digits.count))
        if pattern.decimals > 0, !rest.contains("e") {
            if rest.isEmpty { rest = "." }
            rest += String(repeating: "0", count: max(0, pattern.decimals + 1 - rest.count))
        }
        var text = pattern.isMinusInside ? pattern.before + minus : minus + pattern.before
        for (index, digit) in digits.enumerated() {
            if let groupCharacter, index > 0, (digits.count - index) % 3 == 0 { text.append(groupCharacter) }
            text.append(digit)
        }
        return text + typedForm(of: rest) + pattern.after
    }

    /// Returns a stored number without a sign, with zeros in place of a negative exponent: `0.00001` for `1e-05`.
    ///
    /// A number that is not in its stored form, such as `12.5e-3`, keeps its exponent.
    private static func withoutNegativeExponent(_ stored: Substring) -> String {
        let parts = stored.split(separator: "e-")
        guard parts.count == 2, let zeros = Int(parts[1]), 1..<mostZeros ~= zeros,
            parts[0].prefix(while: { $0 != "." }).count == 1
        else { return String(stored) }
        return "0." + String(repeating: "0", count: zeros - 1) + parts[0].filter { $0 != "." }
    }

    /// A number with the exponent -16, or with a lower exponent, keeps its exponent.
    private static let mostZeros = 16
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
        // An integer has no fraction. So a point in an integer can only separate groups of digits.
        plainText(of: text, decimal: nil).flatMap { NumberText.integer($0.span) }
    }

    /// Returns the finite number of a text, or nil if the text is not a number in this notation.
    package func number(_ text: Span<UInt8>) -> Double? {
        plainText(of: text, decimal: decimal).flatMap { NumberText.number($0.span) }
    }

    /// Returns the number with a point before the fraction. Removes the group separators and the text around the
    /// number.
    private func plainText(of text: Span<UInt8>, decimal: [UInt8]?) -> [UInt8]? {
        var range = text.indices
        var isNegative = false
        if !isBare {
            guard let found = number(in: text, decimal: decimal) else { return nil }
            range = found.range
            isNegative = found.isNegative
        }
        var plain: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        var groups = Groups()
        // Whether `index` is before the fraction and before the exponent. For example, if `,` separates groups,
        // `1,23e4` is refused, because the last group `23` has only two digits.
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
    /// The first group must have one to three digits. A middle group must have two or three digits. The last group must
    /// have three digits. This covers European and Indian grouping. Any other grouping is refused, because the
    /// separator may be meant as a decimal character: `1.50` does not mean 150.
    private struct Groups {
        private var count = 0
        var digits = 0

        /// Ends the current group at a separator. Returns false if the group has a wrong number of digits.
        mutating func end() -> Bool {
            defer {
                count += 1
                digits = 0
            }
            return (count == 0 ? 1...3 : 2...3) ~= digits
        }

        var areWhole: Bool { count == 0 || digits == 3 }
    }

    /// Returns the range of a number in a text. The text may contain other characters before and after the number.
    ///
    /// The range begins at a minus or at the first digit, and ends after the last digit. If a decimal character is
    /// directly before the digits, the range includes this character. But if a letter is before the decimal character,
    /// the range does not include it: `$.50` is one half, but `No.5` is five.
    ///
    /// `isNegative` says whether a minus precedes the other characters, as in `-$5`. In that case, the range does not
    /// contain the minus.
    private func number(in text: Span<UInt8>, decimal: [UInt8]?) -> (range: Range<Int>, isNegative: Bool)? {
        let isNegative = hasDetachedMinus(text, decimal: decimal)
        var start = isNegative ? 1 : 0
        while start < text.count, !text[start].isASCIIDigit, text[start] != UInt8(ascii: "-") {
            // Accountants write negative numbers in parentheses. So a text with a parenthesis is refused.
            guard text[start] != UInt8(ascii: "("), !text.hasTypographicMinus(at: start) else { return nil }
            start += 1
        }
        var end = text.count
        while end > start, !text[end - 1].isASCIIDigit { end -= 1 }
        guard start < end else { return nil }
        // Some people write the minus after the digits. If such a minus were ignored, a negative number would become
        // positive.
        for index in end..<text.count {
            guard text[index] != UInt8(ascii: "-"), !text.hasTypographicMinus(at: index) else { return nil }
        }
        // A second minus is an error, as in `-$-5`.
        if isNegative, text[start] == UInt8(ascii: "-") { return nil }
        guard let decimal else { return (start..<end, isNegative) }
        let before = start - decimal.count
        guard before >= 0, text.has(decimal, at: before), before == 0 || !text[before - 1].isASCIILetter else {
            return (start..<end, isNegative)
        }
        return (before..<end, isNegative)
    }

    /// Whether the text begins with a minus, and other characters stand between the minus and the digits. False if a
    /// space follows the minus, because the minus may be a dash.
    private func hasDetachedMinus(_ text: Span<UInt8>, decimal: [UInt8]?) -> Bool {
        guard text.count > 1, text[0] == UInt8(ascii: "-"), !text[1].isASCIIDigit, text[1] != UInt8(ascii: " ")
        else { return false }
        return !(decimal.map { text.has($0, at: 1) } ?? false)
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
