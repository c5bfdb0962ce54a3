/// The percent-encoding of URIs (RFC 3986) in paths, and that of forms in queries.
enum PercentEncoding {
    /// Decodes a segment of a path or, with `isForm`, a name or value of a query. Returns nil if an escape is wrong or
    /// the bytes are not UTF-8.
    static func decode(_ text: Substring, isForm: Bool = false) -> String? {
        guard text.hasEscape(isForm: isForm) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if isForm, byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Encodes a text as a segment of a path or a value of a query: all but the unreserved characters.
    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    /// Reads the pairs of a query, as forms write them; nil if an escape is wrong.
    static func pairs(_ query: Substring) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in query.split(separator: "&") {
            let end = part.firstIndex(of: "=") ?? part.endIndex
            guard let name = decode(part[..<end], isForm: true),
                let value = decode(part[end...].dropFirst(), isForm: true)
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }
}

extension Substring {
    /// Whether decoding would change the text. Most texts have no escape.
    fileprivate func hasEscape(isForm: Bool) -> Bool {
        var text = self
        return text.withUTF8 { utf8 in
            utf8.contains(UInt8(ascii: "%")) || isForm && utf8.contains(UInt8(ascii: "+"))
        }
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
