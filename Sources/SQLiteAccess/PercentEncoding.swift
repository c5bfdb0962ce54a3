/// Percent-encoding (RFC 3986, section 2.1).
extension Sequence<UInt8> {
    /// Returns the bytes as text. ASCII letters, digits and the characters of `kept` stay unchanged. Every other byte
    /// is replaced by `%` and two upper-case hexadecimal digits.
    package func percentEncoded(except kept: String) -> String {
        let kept = Set(kept.utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in self {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                encoded.append(byte)
            case _ where kept.contains(byte): encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
