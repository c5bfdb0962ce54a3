/// The format of a string (Table Schema's `format`).
public enum StringFormat: String, Hashable, Sendable, CaseIterable {
    /// An e-mail address: words separated by dots, then `@`, then a domain that contains a dot (RFC 5321). Non-ASCII
    /// letters are allowed.
    case email
    /// A URI: a scheme, then `:`, then characters that RFC 3986 allows. Non-ASCII letters are allowed.
    case uri
    /// A UUID: groups of 8, 4, 4, 4 and 12 hexadecimal digits, separated by hyphens (RFC 9562).
    case uuid

    /// Whether a value has this format. The value must be valid UTF-8.
    package func accepts(_ value: Span<UInt8>) -> Bool {
        switch self {
        case .email: Self.isEmail(value)
        case .uri: Self.isURI(value)
        case .uuid: Self.isUUID(value)
        }
    }

    /// The name of the format in a message, with an article.
    package var noun: String {
        switch self {
        case .email: "an e-mail address"
        case .uri: "a URI"
        case .uuid: "a UUID"
        }
    }

    /// Whether a value is an e-mail address: a `Dot-string`, `@` and a `Domain` of RFC 5321. Non-ASCII letters are
    /// allowed (RFC 6531).
    ///
    /// Three valid forms are refused, because people do not type them on purpose: quoted words, IP addresses, and
    /// domains without a dot. The address may have at most 254 bytes. The part before the `@` may have at most 64
    /// bytes.
    private static func isEmail(_ value: Span<UInt8>) -> Bool {
        guard value.count <= 254, let at = value.indices.last(where: { value[$0] == UInt8(ascii: "@") }) else {
            return false
        }
        let name = value.extracting(0..<at)
        let domain = value.extracting(at + 1..<value.count)
        return name.count <= 64 && isDotted(name) { word in isAll(of: word, isWordByte) }
            && isDotted(domain, atLeast: 2) { isLabel($0) } && isTopLevel(domain)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 || wordMarks.contains(byte)
    }

    /// The characters of RFC 5322's `atext` that are not letters or digits.
    private static let wordMarks = ASCIISet { "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }

    private static func isLabel(_ label: Span<UInt8>) -> Bool {
        label.count <= 63 && label[0] != UInt8(ascii: "-") && label[label.count - 1] != UInt8(ascii: "-")
            && isAll(of: label) { $0.isASCIILetter || $0.isASCIIDigit || $0 >= 0x80 || $0 == UInt8(ascii: "-") }
    }

    /// Whether the last label of a domain has at least two bytes and does not begin with a digit. This refuses IP
    /// addresses, because the last label of an IP address begins with a digit.
    private static func isTopLevel(_ domain: Span<UInt8>) -> Bool {
        var count = 0
        var index = domain.count
        while index > 0, domain[index - 1] != UInt8(ascii: ".") {
            index -= 1
            count += 1
        }
        return count >= 2 && !domain[index].isASCIIDigit
    }

    /// Whether a text consists of words separated by single dots. Each word has at least one byte and satisfies
    /// `isWord`.
    private static func isDotted(
        _ text: Span<UInt8>, atLeast least: Int = 1, _ isWord: (Span<UInt8>) -> Bool
    ) -> Bool {
        var start = 0
        var count = 0
        for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: ".") {
            guard index > start, isWord(text.extracting(start..<index)) else { return false }
            count += 1
            start = index + 1
        }
        return count >= least
    }

    private static func isAll(of text: Span<UInt8>, _ holds: (UInt8) -> Bool) -> Bool {
        for index in text.indices where !holds(text[index]) { return false }
        return true
    }

    /// Whether a value is a scheme, a colon and at least one more character. RFC 3986 defines the allowed ASCII
    /// characters. Non-ASCII characters are also allowed (RFC 3987).
    private static func isURI(_ value: Span<UInt8>) -> Bool {
        guard let colon = value.indices.first(where: { value[$0] == UInt8(ascii: ":") }), colon > 0,
            colon + 1 < value.count, value[0].isASCIILetter
        else { return false }
        for index in 0..<colon where !(value[index].isASCIILetter || value[index].isASCIIDigit) {
            guard "+-.".utf8.contains(value[index]) else { return false }
        }
        for index in colon + 1..<value.count {
            let byte = value[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < value.count, value[index + 1].isHexadecimalDigit,
                    value[index + 2].isHexadecimalDigit
                else { return false }
            } else {
                guard 0x21...0x7E ~= byte || byte >= 0x80, !"\"<>\\^`{|}".utf8.contains(byte) else { return false }
            }
        }
        return true
    }

    /// Whether a value is a UUID: groups of 8, 4, 4, 4 and 12 hexadecimal digits, separated by hyphens (RFC 9562).
    private static func isUUID(_ value: Span<UInt8>) -> Bool {
        guard value.count == 36 else { return false }
        for index in value.indices {
            let isHyphen = [8, 13, 18, 23].contains(index)
            guard isHyphen ? value[index] == UInt8(ascii: "-") : value[index].isHexadecimalDigit else { return false }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 6 }
}
