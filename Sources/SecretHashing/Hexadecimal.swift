/// Bytes as text: two lower-case hexadecimal digits for each byte.
package enum Hexadecimal {
    /// Returns the hexadecimal digits of bytes.
    package static func text(_ bytes: Span<UInt8>) -> String {
        let digits: StaticString = "0123456789abcdef"
        return digits.withUTF8Buffer { digits in
            String(unsafeUninitializedCapacity: bytes.count * 2) { text in
                for index in bytes.indices {
                    text.initializeElement(at: 2 * index, to: digits[Int(bytes[index] >> 4)])
                    text.initializeElement(at: 2 * index + 1, to: digits[Int(bytes[index] & 15)])
                }
                return bytes.count * 2
            }
        }
    }

    /// Decodes bytes from lower-case hexadecimal digits. The result is nil if the text contains another character or an
    /// odd number of digits.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(ofDigit: digits[index]), let low = value(ofDigit: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        default: nil
        }
    }
}
