/// The text of a number in a cell.
///
/// Workbooks store numbers as binary floating point, and write them with up to 17 digits and an exponent. The text is the
/// shortest one that gives the same number. It has an exponent only below 1e-6 and from 1e21 on, as in ECMAScript.
enum NumberText {
    /// Appends the text of a number to `text`. If the bytes are not a number, appends them unchanged.
    static func append(_ number: Span<UInt8>, to text: inout [UInt8]) {
        if isShortest(number) { return text.append(number) }
        let written = String(decoding: number.bytes(), as: UTF8.self)
        guard let value = Double(written), value.isFinite else { return text.append(number) }
        append(value, to: &text)
    }

    static func append(_ value: Double, to text: inout [UInt8]) {
        if value == 0 { return text.append(UInt8(ascii: "0")) }
        if value < 0 { text.append(UInt8(ascii: "-")) }
        let (digits, exponent) = shortest(value.magnitude)
        // The number is 0.DIGITS times ten to the power of `exponent`.
        switch exponent {
        case digits.count...21:
            text += digits
            text += repeatElement(UInt8(ascii: "0"), count: exponent - digits.count)
        case 1...21:
            text += digits[..<exponent]
            text.append(UInt8(ascii: "."))
            text += digits[exponent...]
        case -5...0:
            text += [UInt8(ascii: "0"), UInt8(ascii: ".")]
            text += repeatElement(UInt8(ascii: "0"), count: -exponent)
            text += digits
        default:
            text.append(digits[0])
            if digits.count > 1 {
                text.append(UInt8(ascii: "."))
                text += digits[1...]
            }
            text += Array("e\(exponent > 0 ? "+" : "")\(exponent - 1)".utf8)
        }
    }

    /// Whether the bytes are the shortest text of their number already. A decimal of at most 15 digits is, because no
    /// two such decimals give the same double.
    private static func isShortest(_ number: Span<UInt8>) -> Bool {
        var index = number.count > 0 && number[0] == UInt8(ascii: "-") ? 1 : 0
        let first = index
        var point: Int?
        while index < number.count {
            switch number[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: ".") where point == nil && index > first: point = index
            default: return false
            }
            index += 1
        }
        let digits = index - first - (point == nil ? 0 : 1)
        guard 1...15 ~= digits else { return false }
        if let point {
            guard number[index - 1] != UInt8(ascii: "0"), point + 1 < index else { return false }
            // A number below 1e-6 has an exponent.
            if number[first] == UInt8(ascii: "0"), point == first + 1 { return index - point <= 7 }
            return number[first] != UInt8(ascii: "0")
        }
        return number[first] != UInt8(ascii: "0") || (digits == 1 && first == 0)
    }

    /// Returns the shortest digits of a positive number, and the power of ten by which to multiply `0.DIGITS`.
    private static func shortest(_ value: Double) -> (digits: [UInt8], exponent: Int) {
        // The standard library writes the shortest digits, as in `12.5`, `100000.0` and `1.25e-07`.
        var digits: [UInt8] = []
        var exponent = 0
        var point: Int?
        let parts = value.description.utf8.split(separator: UInt8(ascii: "e"), maxSplits: 1)
        for byte in parts[0] {
            if byte == UInt8(ascii: ".") { point = digits.count } else { digits.append(byte) }
        }
        exponent = point ?? digits.count
        if parts.count > 1 { exponent += Int(String(Substring(parts[1]))) ?? 0 }
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        exponent -= zeros
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (digits, exponent)
    }
}

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { append(contentsOf: $0) } }
}

extension Span<UInt8> {
    /// A copy of the bytes.
    fileprivate func bytes() -> [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
