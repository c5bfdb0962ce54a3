/// JSON in the plainest way (RFC 8259): the whole text in memory, one function for each rule.
indirect enum ReferenceJSON {
    case null
    case bool(Bool)
    /// The text of the number.
    case number(String)
    case string(String)
    case array([ReferenceJSON])
    case object([(name: String, value: ReferenceJSON)])

    /// Parses one text. Nil if it is not JSON, has a name twice in one object, or more than 64 levels.
    init?(_ text: [UInt8]) {
        var parser = Parser(text: text)
        parser.skipSpace()
        guard let value = parser.value(depth: 0) else { return nil }
        parser.skipSpace()
        guard parser.position == text.count else { return nil }
        self = value
    }

    /// Returns the elements of one array, and the position of each. Nil if the text is not an array.
    static func elements(of text: [UInt8]) -> [(position: Int, value: ReferenceJSON)]? {
        var parser = Parser(text: text)
        parser.skipSpace()
        guard parser.take(UInt8(ascii: "[")) else { return nil }
        var elements: [(position: Int, value: ReferenceJSON)] = []
        parser.skipSpace()
        if !parser.take(UInt8(ascii: "]")) {
            while true {
                parser.skipSpace()
                let position = parser.position
                guard let value = parser.value(depth: 0) else { return nil }
                elements.append((position, value))
                parser.skipSpace()
                if parser.take(UInt8(ascii: "]")) { break }
                guard parser.take(UInt8(ascii: ",")) else { return nil }
            }
        }
        parser.skipSpace()
        return parser.position == text.count ? elements : nil
    }

    private struct Parser {
        let text: [UInt8]
        var position = 0

        var next: UInt8? { position < text.count ? text[position] : nil }

        mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            position += 1
            return true
        }

        mutating func skipSpace() { while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 } }

        mutating func value(depth: Int) -> ReferenceJSON? {
            switch next {
            case UInt8(ascii: "{"): depth < 64 ? object(depth: depth + 1) : nil
            case UInt8(ascii: "["): depth < 64 ? array(depth: depth + 1) : nil
            case UInt8(ascii: "\""): string().map { .string($0) }
            case UInt8(ascii: "n"): word("null") ? .null : nil
            case UInt8(ascii: "t"): word("true") ? .bool(true) : nil
            case UInt8(ascii: "f"): word("false") ? .bool(false) : nil
            default: number().map { .number($0) }
            }
        }

        mutating func word(_ word: String) -> Bool {
            guard text[position...].starts(with: word.utf8) else { return false }
            position += word.utf8.count
            return true
        }

        mutating func array(depth: Int) -> ReferenceJSON? {
            position += 1
            var elements: [ReferenceJSON] = []
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array([]) }
            while true {
                skipSpace()
                guard let element = value(depth: depth) else { return nil }
                elements.append(element)
                skipSpace()
                if take(UInt8(ascii: "]")) { return .array(elements) }
                guard take(UInt8(ascii: ",")) else { return nil }
            }
        }

        mutating func object(depth: Int) -> ReferenceJSON? {
            position += 1
            var members: [(name: String, value: ReferenceJSON)] = []
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object([]) }
            while true {
                skipSpace()
                guard let name = string(), !members.contains(where: { $0.name == name }) else { return nil }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { return nil }
                skipSpace()
                guard let member = value(depth: depth) else { return nil }
                members.append((name, member))
                skipSpace()
                if take(UInt8(ascii: "}")) { return .object(members) }
                guard take(UInt8(ascii: ",")) else { return nil }
            }
        }

        mutating func digits() -> Bool {
            let start = position
            while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
            return position > start
        }

        mutating func number() -> String? {
            let start = position
            _ = take(UInt8(ascii: "-"))
            if !take(UInt8(ascii: "0")) { guard digits() else { return nil } }
            if take(UInt8(ascii: ".")) { guard digits() else { return nil } }
            if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
                if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
                guard digits() else { return nil }
            }
            return String(decoding: text[start..<position], as: UTF8.self)
        }

        mutating func string() -> String? {
            guard take(UInt8(ascii: "\"")) else { return nil }
            var bytes: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escaped() else { return nil }
                    bytes += Array(String(scalar).utf8)
                case ..<0x20: return nil
                default: bytes.append(byte)
                }
            }
            return nil
        }

        mutating func escaped() -> Unicode.Scalar? {
            guard let byte = next else { return nil }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{C}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"):
                guard let unit = hexadecimal() else { return nil }
                guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let second = hexadecimal(),
                    UTF16.isTrailSurrogate(second)
                else { return nil }
                return String(decoding: [unit, second], as: UTF16.self).unicodeScalars.first
            default: return nil
            }
        }

        mutating func hexadecimal() -> UInt16? {
            guard position + 4 <= text.count else { return nil }
            let digits = text[position..<position + 4]
            guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
            position += 4
            return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
