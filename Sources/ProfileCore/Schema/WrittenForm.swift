/// How an export in the notations of the original file writes the values of a field.
///
/// The form is only for writing. It does not change which notations the field accepts.
public struct WrittenForm: Hashable, Sendable {
    /// The form as a schema file writes it. For a number, this is the number zero in this form, such as `$0.00`. For a
    /// date, datetime or time, this is a pattern, such as `%-d.%-m.%Y`.
    public let text: String
    private let kind: Kind

    private enum Kind: Hashable {
        case number(NumberPattern)
        case moment(DateFormat)
    }

    /// Parses the text of a form. Returns nil if the text is not a valid form for the type of the field.
    init?(_ text: String, of rules: FieldRules) {
        self.text = text
        switch rules.type {
        case .integer, .number:
            guard let pattern = NumberPattern(text), rules.type == .number || pattern.decimals == 0 else { return nil }
            kind = .number(pattern)
        case .date, .dateTime, .time:
            guard let format = DateFormat(text, of: rules.type, isWritten: true) else { return nil }
            kind = .moment(format)
        case .string, .boolean, .year: return nil
        }
    }

    /// Returns a stored value in this form; nil if the form omits a part of the value, such as the seconds.
    func text(of stored: String, _ rules: FieldRules) -> String? {
        switch kind {
        case .number(let pattern): rules.numberFormat.originalForm(of: stored, pattern)
        case .moment(let format): format.typedForm(of: stored, rules.type)
        }
    }
}

/// The text around the numbers of a column, the place of a minus, and the least number of decimals.
struct NumberPattern: Hashable, Sendable {
    let before: String
    let after: String
    /// The minimum number of digits after the decimal character. A number with more decimals is written with all of
    /// them.
    let decimals: Int
    /// Whether a minus is between the text before the number and the digits, as in `$-5`. Otherwise it is the first
    /// character, as in `-$5`.
    let isMinusInside: Bool

    static let plain = NumberPattern(before: "", after: "", decimals: 0, isMinusInside: false)

    private init(before: String, after: String, decimals: Int, isMinusInside: Bool) {
        self.before = before
        self.after = after
        self.decimals = decimals
        self.isMinusInside = isMinusInside
    }

    private static let longest = 64
    /// The maximum number of decimals in a form. A `Double` keeps 15 significant digits of every decimal number.
    private static let mostDecimals = 15

    /// Parses zero in the notation of the column, with a point before the fraction: `$0.00`, `0 kg`. The form `$-0.00`
    /// means that a minus is written after the text before the number.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest, text == text.trimmed, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            let zero = bytes.firstIndex(of: UInt8(ascii: "0"))
        else { return nil }
        var before = bytes[..<zero]
        let hasMinus = before.last == UInt8(ascii: "-")
        if hasMinus { before.removeLast() }
        var after = bytes[(zero + 1)...]
        let isFraction = after.first == UInt8(ascii: ".")
        let fraction = isFraction ? after.dropFirst().prefix { $0 == UInt8(ascii: "0") } : []
        if !fraction.isEmpty { after.removeFirst(fraction.count + 1) }
        guard fraction.count <= Self.mostDecimals, !(before + after).contains(where: \.isASCIIDigit) else { return nil }
        self.init(
            before: String(decoding: before, as: UTF8.self), after: String(decoding: after, as: UTF8.self),
            decimals: fraction.count, isMinusInside: hasMinus && !before.isEmpty)
    }
}
