/// The character encoding of an input.
package enum TextEncoding: Hashable, Sendable {
    case utf8
    case utf16(bigEndian: Bool)
    /// An encoding that the C library supports under this name; see iconv(3).
    case named(String)

    /// Makes an encoding from its name. Case, hyphens and underscores are ignored. Returns nil if the name is unknown.
    package init?(name: String) {
        let plain = String(
            name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
                .map { Character(Unicode.Scalar($0)) }
        ).lowercased()
        switch plain {
        case "utf8": self = .utf8
        // If the name does not contain a byte order, the order is little-endian, as on Windows.
        case "utf16", "utf16le": self = .utf16(bigEndian: false)
        case "utf16be": self = .utf16(bigEndian: true)
        default:
            // Many people write "latin-1", but the C library calls this encoding "latin1".
            guard let known = [name, plain].first(where: { CharacterDecoder.knows($0) }) else { return nil }
            self = .named(known)
        }
    }

    /// The usual name of the encoding.
    package var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16(let bigEndian): bigEndian ? "UTF-16BE" : "UTF-16LE"
        case .named(let name): name
        }
    }
}

// MARK: Detection

extension TextEncoding {
    /// The length of the longest byte order mark. To detect a mark, this number of bytes is needed.
    static let longestMark = 4

    /// Returns the encoding of the byte order mark and the length of the mark in bytes. Returns nil and 0 if there is
    /// no mark.
    static func marked(_ start: Span<UInt8>) -> (encoding: TextEncoding?, markLength: Int) {
        if start.count >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF { return (.utf8, 3) }
        guard start.count >= 2 else { return (nil, 0) }
        // The little-endian mark of UTF-32 begins with the mark of UTF-16. So the marks of UTF-32 are checked first.
        // This is safe, because no NUL character follows the mark in a UTF-16 text.
        if start.count >= 4 {
            switch (start[0], start[1], start[2], start[3]) {
            case (0xFF, 0xFE, 0, 0): return (.named("UTF-32LE"), 4)
            case (0, 0, 0xFE, 0xFF): return (.named("UTF-32BE"), 4)
            default: break
            }
        }
        switch (start[0], start[1]) {
        case (0xFF, 0xFE): return (.utf16(bigEndian: false), 2)
        case (0xFE, 0xFF): return (.utf16(bigEndian: true), 2)
        default: return (nil, 0)
        }
    }

    /// Guesses Windows-1252 if a text has bytes above 0x7F and none of these bytes begins a UTF-8 character (N7).
    /// Otherwise returns nil. The guess is also right for text in Latin-1, because Windows-1252 has the same letters at
    /// the same codes.
    ///
    /// Also returns nil if Windows-1252 has no character for one of these bytes, or if more than half of these bytes
    /// directly follow another byte above 0x7F. In the languages that use Windows-1252, only a few letters of a word
    /// have accents. In the encodings of other alphabets, all letters are bytes above 0x7F.
    ///
    /// - Parameters:
    ///   - start: The first bytes of the text.
    ///   - isWhole: Whether `start` is the whole text. If false, the last character may be truncated.
    /// - Returns: The guessed encoding, or nil if there is no guess.
    static func guessed(_ start: Span<UInt8>, isWhole: Bool) -> TextEncoding? {
        start.withUnsafeBufferPointer { bytes in
            var highBytes = 0
            var neighbours = 0
            var offset = 0
            while let found = ByteContent.firstHighByte(of: bytes, from: offset) {
                guard !isUTF8(bytes[found...], isWhole: isWhole), !undefinedInWindows1252.contains(bytes[found]) else {
                    return nil
                }
                highBytes += 1
                if found > 0, bytes[found - 1] >= 0x80 { neighbours += 1 }
                offset = found + 1
            }
            return highBytes > 0 && neighbours * 2 <= highBytes ? .named("windows-1252") : nil
        }
    }

    /// Returns whether the bytes contain a non-ASCII character and the first such character is valid UTF-8.
    static func isProvenUTF8(_ start: Span<UInt8>, isWhole: Bool) -> Bool {
        start.withUnsafeBufferPointer { bytes in
            ByteContent.firstHighByte(of: bytes, from: 0).map { isUTF8(bytes[$0...], isWhole: isWhole) } ?? false
        }
    }

    private static let undefinedInWindows1252: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D]

    /// Returns whether bytes begin with a UTF-8 character. The first byte must be above 0x7F. If `isWhole` is false,
    /// the bytes may end in the middle of the character.
    private static func isUTF8(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, isWhole: Bool) -> Bool {
        let length =
            switch bytes[bytes.startIndex] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else { return false }
        let character = bytes.prefix(length)
        if character.count < length { return !isWhole && character.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 } }
        return String(validating: character, as: UTF8.self) != nil
    }
}

/// Converts UTF-16 to UTF-8, in pieces of any length.
///
/// Invalid UTF-16 becomes invalid UTF-8, so the later check for valid UTF-8 finds the faulty records. An unpaired
/// surrogate is encoded as three bytes, like any other value. These bytes are not valid UTF-8. If the input ends in the
/// middle of a code unit, the decoder writes 0xFF.
struct UTF16Decoder {
    let bigEndian: Bool
    private var oddByte: UInt8?
    private var highSurrogate: UInt16?

    init(bigEndian: Bool) { self.bigEndian = bigEndian }

    /// Converts the next bytes and appends the text.
    mutating func decode(_ bytes: Span<UInt8>, into output: inout ByteBuffer) {
        // A code unit becomes at most three bytes. One code unit may be left from the previous call.
        output.reserve(output.count + (bytes.count / 2 + 2) * 3)
        var index = 0
        if let first = oddByte, bytes.count > 0 {
            oddByte = nil
            append(unit(first, bytes[0]), to: &output)
            index = 1
        }
        while index + 1 < bytes.count {
            append(unit(bytes[index], bytes[index + 1]), to: &output)
            index += 2
        }
        if index < bytes.count { oddByte = bytes[index] }
    }

    /// Ends the conversion. If the input ends in the middle of a character, appends bytes that are not valid UTF-8.
    mutating func finish(into output: inout ByteBuffer) {
        if let high = highSurrogate { appendScalar(UInt32(high), to: &output) }
        if oddByte != nil { output.append(0xFF) }
        highSurrogate = nil
        oddByte = nil
    }

    private func unit(_ first: UInt8, _ second: UInt8) -> UInt16 {
        bigEndian ? UInt16(first) << 8 | UInt16(second) : UInt16(second) << 8 | UInt16(first)
    }

    private mutating func append(_ unit: UInt16, to output: inout ByteBuffer) {
        if let high = highSurrogate {
            highSurrogate = nil
            if UTF16.isTrailSurrogate(unit) {
                let scalar = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
                return appendScalar(scalar, to: &output)
            }
            appendScalar(UInt32(high), to: &output)
        }
        if UTF16.isLeadSurrogate(unit) {
            highSurrogate = unit
        } else {
            appendScalar(UInt32(unit), to: &output)
        }
    }

    /// Appends a value of up to 0x10FFFF as UTF-8 bytes. The value may be a surrogate.
    private func appendScalar(_ value: UInt32, to output: inout ByteBuffer) {
        func continuation(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift & 0x3F) | 0x80 }
        func lead(_ shift: UInt32, _ mark: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift) | mark }
        switch value {
        case ..<0x80:
            output.append(UInt8(truncatingIfNeeded: value))
        case ..<0x800:
            output.append(lead(6, 0xC0))
            output.append(continuation(0))
        case ..<0x10000:
            output.append(lead(12, 0xE0))
            output.append(continuation(6))
            output.append(continuation(0))
        default:
            output.append(lead(18, 0xF0))
            output.append(continuation(12))
            output.append(continuation(6))
            output.append(continuation(0))
        }
    }
}
