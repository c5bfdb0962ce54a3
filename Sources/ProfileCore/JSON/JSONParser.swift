extension JSONValue {
    /// Parses one JSON text in UTF-8. Numbers keep their digits.
    ///
    /// - Throws: The first error, with its line and column. Comments, trailing commas, repeated names in an object, and
    ///   arrays and objects that are nested more than 64 deep are errors.
    public init(parsing bytes: Span<UInt8>) throws(JSONError) {
        let result: Result<JSONValue, JSONError> = bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(buffer)
            do throws(JSONParser.Failure) {
                return .success(try parser.parseText())
            } catch {
                return .failure(parser.located(error))
            }
        }
        self = try result.get()
    }

    /// Parses one JSON text; see ``init(parsing:)-(Span<UInt8>)``.
    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: text.utf8Span.span)
    }
}

/// A recursive-descent parser that does not own its bytes. Use it only inside `withUnsafeBufferPointer`.
private struct JSONParser {
    struct Failure: Error {
        let reason: JSONError.Reason
        let offset: Int
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var offset = 0
    var depth = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func parseText() throws(Failure) -> JSONValue {
        skipSpace()
        let value = try parseValue()
        skipSpace()
        guard offset == bytes.count else { throw failure(.textAfterEnd) }
        return value
    }

    func located(_ failure: Failure) -> JSONError {
        var line = 1
        var column = 1
        for byte in bytes.prefix(failure.offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return JSONError(reason: failure.reason, line: line, column: column)
    }

    private func failure(_ reason: JSONError.Reason) -> Failure { Failure(reason: reason, offset: offset) }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private mutating func parseValue() throws(Failure) -> JSONValue {
        switch current {
        case nil: throw failure(.unexpectedEnd)
        case UInt8(ascii: "{"): return try nested { (parser) throws(Failure) in try parser.parseObject() }
        case UInt8(ascii: "["): return try nested { (parser) throws(Failure) in try parser.parseArray() }
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        default: return .number(try parseNumber())
        }
    }

    private mutating func nested(
        _ parse: (inout JSONParser) throws(Failure) -> JSONValue
    ) throws(Failure) -> JSONValue {
        guard depth < JSONValue.depthLimit else { throw failure(.tooDeep(limit: JSONValue.depthLimit)) }
        depth += 1
        defer { depth -= 1 }
        offset += 1
        skipSpace()
        return try parse(&self)
    }

    private mutating func parseObject() throws(Failure) -> JSONValue {
        var members: [JSONMember] = []
        var names: Set<String> = []
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            guard current == UInt8(ascii: "\"") else { throw unexpected() }
            let start = offset
            let name = try parseString()
            guard names.insert(name).inserted else { throw Failure(reason: .duplicateName(name), offset: start) }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected() }
            skipSpace()
            members.append(JSONMember(name, try parseValue()))
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw unexpected() }
            skipSpace()
        }
    }

    private mutating func parseArray() throws(Failure) -> JSONValue {
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try parseValue())
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw unexpected() }
            skipSpace()
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    private func unexpected() -> Failure { failure(current == nil ? .unexpectedEnd : .unexpectedCharacter) }

    private mutating func parseWord(_ word: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard take(word.utf8Start[index]) else { throw unexpected() }
        }
        return value
    }

    private mutating func parseNumber() throws(Failure) -> String {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard takeDigits() else { throw start == offset ? unexpected() : failure(.badNumber) }
        }
        if take(UInt8(ascii: ".")) {
            guard takeDigits() else { throw failure(.badNumber) }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            offset += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
            guard takeDigits() else { throw failure(.badNumber) }
        }
        if let byte = current, byte.isASCIIDigit { throw failure(.badNumber) }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func takeDigits() -> Bool {
        let start = offset
        while let byte = current, byte.isASCIIDigit { offset += 1 }
        return offset > start
    }

    private mutating func parseString() throws(Failure) -> String {
        offset += 1
        var text = ""
        var start = offset
        while true {
            guard let byte = current else { throw failure(.unexpectedEnd) }
            switch byte {
            case UInt8(ascii: "\""):
                text += try decoded(start..<offset)
                offset += 1
                return text
            case UInt8(ascii: "\\"):
                text += try decoded(start..<offset)
                offset += 1
                text.unicodeScalars.append(try parseEscape())
                start = offset
            case 0..<0x20:
                throw failure(.controlCharacterInString)
            default:
                offset += 1
            }
        }
    }

    private func decoded(_ range: Range<Int>) throws(Failure) -> String {
        if range.isEmpty { return "" }
        guard let text = String(validating: bytes[range], as: UTF8.self) else {
            throw Failure(reason: .badEncoding, offset: range.lowerBound)
        }
        return text
    }

    private mutating func parseEscape() throws(Failure) -> Unicode.Scalar {
        guard let byte = current else { throw failure(.unexpectedEnd) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try parseUnicodeEscape()
        default:
            offset -= 1
            throw failure(.badEscape)
        }
    }

    private mutating func parseUnicodeEscape() throws(Failure) -> Unicode.Scalar {
        let high = try parseHexadecimal()
        if let scalar = Unicode.Scalar(high) { return scalar }
        // This is the first half of a surrogate pair. The second half must follow (RFC 8259 section 7).
        guard high < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure(.badEscape) }
        let low = try parseHexadecimal()
        guard 0xDC00..<0xE000 ~= low,
            let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        else { throw failure(.badEscape) }
        return scalar
    }

    private mutating func parseHexadecimal() throws(Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw failure(.unexpectedEnd) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw failure(.badEscape) }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
