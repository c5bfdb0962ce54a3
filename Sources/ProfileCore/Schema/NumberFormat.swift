/// How integers and numbers are written (Table Schema's `decimalChar`, `groupChar` and `bareNumber`).
public struct NumberFormat: Hashable, Sendable {
    /// What stands before the fraction.
    public internal(set) var decimalCharacter: Character
    /// What may stand between digits before the fraction and means nothing.
    public internal(set) var groupCharacter: Character?
    /// Whether there is nothing but the number; else what stands around it is passed over, such as `€` and `%`.
    public internal(set) var isBare: Bool

    package init(decimal: Character = ".", group: Character? = nil, isBare: Bool = true) {
        decimalCharacter = decimal
        groupCharacter = group
        self.isBare = isBare
    }

    /// A point before the fraction, and nothing else that is not of the number.
    public static let plain = NumberFormat()

    /// Whether a character can stand in a number and be told from the rest of it.
    static func isSeparator(_ character: Character) -> Bool {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, scalars.count == 1, !first.isForbiddenControl else { return false }
        return first.value >= 0x20 && !character.isLetter && !character.isNumber && first != "+" && first != "-"
            && !typographicMinuses.contains(first)
    }

    /// Signs that look like a minus: minus sign, figure dash, en dash, small and full-width hyphen-minus.
    fileprivate static let typographicMinuses: [Unicode.Scalar] = [
        "\u{2212}", "\u{2012}", "\u{2013}", "\u{FE63}", "\u{FF0D}",
    ]

    /// How it differs from a plain number, in words that go behind "a number".
    package var remarks: [String] {
        var remarks: [String] = []
        if decimalCharacter != "." { remarks.append("with \"\(decimalCharacter)\" before the fraction") }
        if let groupCharacter { remarks.append("with \"\(groupCharacter)\" or nothing between groups of digits") }
        if !isBare {
            remarks.append("with or without other characters around it, and \"-\" before the digits if it is negative")
        }
        return remarks
    }

    /// A number in its stored form, or in JSON's, as it may be typed.
    func typedForm(of stored: String) -> String {
        // Integers have groups with the point, and then a fraction must not look like one of them.
        let decimal: Character = groupCharacter == "." && decimalCharacter == "." ? "," : decimalCharacter
        return decimal == "." ? stored : stored.replacing(".", with: String(decimal))
    }
}

/// Reads numbers of one format.
package struct NumberReader: Sendable {
    private let decimal: [UInt8]
    private let group: [UInt8]?
    private let isBare: Bool

    package init(_ format: NumberFormat) {
        decimal = Array(String(format.decimalCharacter).utf8)
        group = format.groupCharacter.map { Array(String($0).utf8) }
        isBare = format.isBare
    }

    /// A 64-bit integer; nil for what is none, written in this way.
    package func integer(_ text: Span<UInt8>) -> Int64? {
        // Without a fraction, so that a point can stand between its groups.
        plainText(of: text, decimal: nil).flatMap { NumberText.integer($0.span) }
    }

    /// A finite number; nil for what is none, written in this way.
    package func number(_ text: Span<UInt8>) -> Double? {
        plainText(of: text, decimal: decimal).flatMap { NumberText.number($0.span) }
    }

    /// The same number with a point before the fraction and nothing between or around the digits.
    private func plainText(of text: Span<UInt8>, decimal: [UInt8]?) -> [UInt8]? {
        guard let range = isBare ? text.indices : number(in: text, decimal: decimal) else { return nil }
        var plain: [UInt8] = []
        var groups = Groups()
        // Before the fraction, and before an exponent: `1,23e4` has no group of three.
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

    /// The groups of digits before the fraction: one to three digits, then two or three, and three at last, as in Europe and
    /// India. What is grouped in another way may be a fraction: `1.50` is no 150.
    private struct Groups {
        private var count = 0
        var digits = 0

        /// Ends a group that others follow; false for one of another size.
        mutating func end() -> Bool {
            defer {
                count += 1
                digits = 0
            }
            return (count == 0 ? 1...3 : 2...3) ~= digits
        }

        var areWhole: Bool { count == 0 || digits == 3 }
    }

    /// Where the number stands among what is not of it: from the minus or the first digit to the last digit, with the
    /// decimal character before it, unless that ends a word: `$.50` is a half, `No.5` is five.
    private func number(in text: Span<UInt8>, decimal: [UInt8]?) -> Range<Int>? {
        var start = 0
        while start < text.count, !text[start].isASCIIDigit, text[start] != UInt8(ascii: "-") {
            // In accounts, what stands in parentheses is less than zero.
            guard text[start] != UInt8(ascii: "("), !text.hasTypographicMinus(at: start) else { return nil }
            start += 1
        }
        var end = text.count
        while end > start, !text[end - 1].isASCIIDigit { end -= 1 }
        guard start < end else { return nil }
        // Some write the minus behind the digits. What is passed over must not have been one.
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

/// In UTF-8.
private let typographicMinuses = NumberFormat.typographicMinuses.map { Array(String($0).utf8) }

extension Span<UInt8> {
    fileprivate func hasTypographicMinus(at index: Int) -> Bool {
        guard self[index] >= 0x80 else { return false }
        for minus in typographicMinuses where has(minus, at: index) { return true }
        return false
    }

    /// Whether these bytes, of which there is one at least, stand at a place.
    fileprivate func has(_ bytes: [UInt8], at index: Int) -> Bool {
        guard self[index] == bytes[0], index + bytes.count <= count else { return false }
        for offset in bytes.indices where self[index + offset] != bytes[offset] { return false }
        return true
    }
}
