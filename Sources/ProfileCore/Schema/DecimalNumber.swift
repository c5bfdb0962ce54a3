/// A decimal number that is stored as text. This type contains only the positions of the digits in the text. It
/// compares the digits themselves, so numbers of any size are compared exactly.
struct DecimalNumber {
    private let isNegative: Bool
    /// The range from the first to the last non-zero digit. If the point is between them, the range includes it. For
    /// zero, the range is empty.
    private let digits: Range<Int>
    /// The number of digits before the point. For 41, it is 2. For 0.05, it is -1, because there is one zero after the
    /// point. The exponent of the number is included.
    private let magnitude: Int

    /// Parses an optional sign, digits with an optional point, and an optional exponent. Returns nil for any other
    /// text. An exponent has at most 18 significant digits.
    init?(_ text: Span<UInt8>) {
        var index = 0
        isNegative = Self.readSign(text, &index)
        let start = index
        var point: Int?
        var first: Int?
        var end = 0
        while index < text.count {
            let byte = text[index]
            if byte.isASCIIDigit {
                if byte != UInt8(ascii: "0") {
                    first = first ?? index
                    end = index + 1
                }
            } else if byte == UInt8(ascii: "."), point == nil {
                point = index
            } else {
                break
            }
            index += 1
        }
        guard index - start > (point == nil ? 0 : 1) else { return nil }
        let integerEnd = point ?? index
        guard let exponent = Self.readExponent(text, &index), index == text.count else { return nil }
        digits = first.map { $0..<end } ?? 0..<0
        // If the point precedes the first non-zero digit, it must not be counted as a digit.
        magnitude = first.map { (integerEnd > $0 ? integerEnd - $0 : integerEnd - $0 + 1) + exponent } ?? 0
    }

    /// Compares this number with another number. This number was read from `text`, and the other number from
    /// `otherText`.
    ///
    /// - Returns: A negative number if this number is less, a positive number if it is greater, and zero if the numbers
    ///   are equal.
    func compare(_ text: Span<UInt8>, _ other: DecimalNumber, _ otherText: Span<UInt8>) -> Int {
        if sign != other.sign { return sign - other.sign }
        return sign * compareSizes(text, other, otherText)
    }

    /// Appends bytes that sort in the same order as the numbers; see ``ValueOrder/appendKey(of:to:)``. `text` is the
    /// text of this number.
    func appendKey(of text: Span<UInt8>, to key: inout [UInt8]) {
        key.append(UInt8(2 + sign))
        guard sign != 0 else { return }
        let start = key.count
        if -100...100 ~= magnitude {
            key.append(UInt8(128 + magnitude))
        } else {
            key.append(magnitude < 0 ? 0 : .max)
            // If the sign bit is flipped, the big-endian bytes of signed integers sort in the order of the integers.
            let bits = UInt64(bitPattern: Int64(magnitude)) ^ (1 << 63)
            for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
                key.append(UInt8(truncatingIfNeeded: bits >> shift))
            }
        }
        for index in digits where text[index] != UInt8(ascii: ".") { key.append(text[index]) }
        key.append(0)
        // A negative number with a greater absolute value must sort first, so the bytes are inverted.
        if isNegative { for index in start..<key.count { key[index] = ~key[index] } }
    }

    /// A byte that sorts after the first byte of every key of a number.
    static let firstByteAfterKeys: UInt8 = 4

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func compareSizes(_ text: Span<UInt8>, _ other: DecimalNumber, _ otherText: Span<UInt8>) -> Int {
        if magnitude != other.magnitude { return magnitude < other.magnitude ? -1 : 1 }
        var (index, otherIndex) = (digits.lowerBound, other.digits.lowerBound)
        while index < digits.upperBound, otherIndex < other.digits.upperBound {
            if text[index] == UInt8(ascii: ".") { index += 1 }
            if otherText[otherIndex] == UInt8(ascii: ".") { otherIndex += 1 }
            if text[index] != otherText[otherIndex] { return text[index] < otherText[otherIndex] ? -1 : 1 }
            index += 1
            otherIndex += 1
        }
        // If one of the numbers has remaining digits, it is greater, because its last digit is not zero.
        return (index < digits.upperBound ? 1 : 0) - (otherIndex < other.digits.upperBound ? 1 : 0)
    }

    private static func readSign(_ text: Span<UInt8>, _ index: inout Int) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") else {
            return false
        }
        index += 1
        return text[index - 1] == UInt8(ascii: "-")
    }

    /// Returns the exponent. Returns 0 if the text has no exponent. Returns nil if the exponent has no digits, or more
    /// than 18 significant digits. Because of this limit, the exponent plus a number of digits cannot overflow.
    private static func readExponent(_ text: Span<UInt8>, _ index: inout Int) -> Int? {
        guard index < text.count, text[index] | 0x20 == UInt8(ascii: "e") else { return 0 }
        index += 1
        let isNegative = readSign(text, &index)
        let start = index
        var exponent = 0
        while index < text.count, text[index].isASCIIDigit {
            guard exponent < 100_000_000_000_000_000 else { return nil }
            exponent = exponent * 10 + Int(text[index] &- 0x30)
            index += 1
        }
        return index > start ? isNegative ? -exponent : exponent : nil
    }
}
