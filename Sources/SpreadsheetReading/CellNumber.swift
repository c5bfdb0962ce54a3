internal import ProfileCore

/// The text of a number in a cell.
///
/// A workbook stores numbers as binary floating point, so the sum of 0.1 and 0.2 is `0.30000000000000004`. Spreadsheet
/// programs show and accept 15 significant digits. A number with a fraction is therefore rounded to 15 digits, as the user
/// sees it. With more digits, the column would also be inferred as text instead of numbers (N2).
///
/// A whole number stays exact. Its digits are copied, because programs also store long identifiers as numbers.
enum CellNumber {
    private static let mostDigits = 15

    /// Appends the text of a number to `text`. If the bytes are not a number, appends them unchanged.
    static func append(_ number: Span<UInt8>, to text: inout [UInt8]) {
        if isCanonical(number) { return text.append(number) }
        let written = String(decoding: number.bytes(), as: UTF8.self)
        guard let value = Double(written), value.isFinite else { return text.append(number) }
        text += NumberText.canonical(isExactInteger(value) ? value : rounded(value)).utf8
    }

    /// Whether the bytes have the form of ``NumberText/canonical(_:)`` already: a whole number, or a decimal of at most 15
    /// digits. Most numbers have this form, and reading a double takes longer.
    private static func isCanonical(_ number: Span<UInt8>) -> Bool {
        let first = number.count > 0 && number[0] == UInt8(ascii: "-") ? 1 : 0
        var point: Int?
        for index in first..<max(first, number.count) {
            switch number[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: ".") where point == nil && index > first: point = index
            default: return false
            }
        }
        guard number.count > first else { return false }
        let isZero = number[first] == UInt8(ascii: "0")
        guard let point else { return !isZero || number.count == 1 }
        guard point + 1 < number.count, number[number.count - 1] != UInt8(ascii: "0"),
            number.count - first - 1 <= mostDigits
        else { return false }
        // The canonical form of a number below 1e-4 has an exponent. This check excludes all numbers below 0.1.
        return isZero ? point == first + 1 && number[point + 1] != UInt8(ascii: "0") : true
    }

    /// Whether the value is a whole number below 2^53. A double represents all these numbers exactly.
    private static func isExactInteger(_ value: Double) -> Bool {
        value.magnitude < 0x1p53 && value.rounded(.towardZero) == value
    }

    /// Returns the value rounded to 15 significant digits.
    private static func rounded(_ value: Double) -> Double {
        // The standard library writes the shortest digits, as in `12.5` and `1.25e-07`.
        let parts = value.magnitude.description.split(separator: "e")
        let decimal = parts[0].split(separator: ".")
        let fraction = decimal.count > 1 ? decimal[1] : ""
        guard var digits = Int(decimal[0] + fraction) else { return value }
        var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.utf8.count
        var scale = 1
        while digits / scale >= 1_000_000_000_000_000 {
            scale *= 10
            exponent += 1
        }
        digits = (digits + scale / 2) / scale
        // The largest double would be rounded to infinity.
        guard let result = Double("\(digits)e\(exponent)"), result.isFinite else { return value }
        return value < 0 ? -result : result
    }
}

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { append(contentsOf: $0) } }
}

extension Span<UInt8> {
    /// A copy of the bytes.
    fileprivate func bytes() -> [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
