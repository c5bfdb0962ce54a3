/// Reads integers and numbers from text, and writes numbers in their stored form.
package enum NumberText {
    /// Reads an optional sign and digits. Returns nil for any other text, and for an integer that does not fit in 64
    /// bits.
    package static func integer(_ bytes: Span<UInt8>) -> Int64? {
        var index = 0
        var isNegative = false
        if let first = bytes.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            index = 1
        }
        guard index < bytes.count else { return nil }
        var value: Int64 = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte.isASCIIDigit else { return nil }
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte &- 0x30)
            let (sum, overflowedToo) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !overflowed, !overflowedToo else { return nil }
            value = sum
            index += 1
        }
        return value
    }

    /// Returns the nearest `Double` of a decimal number, which may have a fraction and an exponent.
    ///
    /// Returns nil for any other text, and for a text of more than 64 bytes. Also returns nil if the number is too
    /// large for a `Double`, or if a non-zero number would be rounded to zero.
    package static func number(_ bytes: Span<UInt8>) -> Double? {
        guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                continue
            default: return nil
            }
        }
        guard let value = Double(String(bytes)), value.isFinite, value != 0 || isZero(bytes) else { return nil }
        return value
    }

    /// Whether all digits before the exponent of a number are zeros.
    private static func isZero(_ number: Span<UInt8>) -> Bool {
        for index in number.indices {
            if number[index] | 0x20 == UInt8(ascii: "e") { return true }
            if UInt8(ascii: "1")...UInt8(ascii: "9") ~= number[index] { return false }
        }
        return true
    }

    /// Returns the shortest text that parses to the same value. A whole number is written without a fraction.
    package static func canonical(_ value: Double) -> String {
        if value == 0 { return "0" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
