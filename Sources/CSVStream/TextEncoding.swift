/// How the characters of an input are written.
package enum TextEncoding: Hashable, Sendable {
    case utf8
    case utf16(bigEndian: Bool)
    /// One that the C library knows by this name, see iconv(3).
    case named(String)

    /// The encoding of a name, whatever its case and hyphens; nil for one that is not known.
    package init?(name: String) {
        let plain = String(
            name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
                .map { Character(Unicode.Scalar($0)) }
        ).lowercased()
        switch plain {
        case "utf8": self = .utf8
        // Without a byte order mark it is what Windows writes.
        case "utf16", "utf16le": self = .utf16(bigEndian: false)
        case "utf16be": self = .utf16(bigEndian: true)
        default:
            // "latin-1" is what many call what the C library knows as "latin1".
            guard let known = [name, plain].first(where: { CharacterDecoder.knows($0) }) else { return nil }
            self = .named(known)
        }
    }

    /// Its name as people know it.
    package var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16(let bigEndian): bigEndian ? "UTF-16BE" : "UTF-16LE"
        case .named(let name): name
        }
    }
}

// MARK: Found out

extension TextEncoding {
    /// The longest byte order mark, and so the bytes that are needed to tell.
    static let longestMark = 4

    /// The encoding that a text's byte order mark tells, and the length of the mark.
    static func marked(_ start: Span<UInt8>) -> (encoding: TextEncoding?, markLength: Int) {
        if start.count >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF { return (.utf8, 3) }
        guard start.count >= 2 else { return (nil, 0) }
        // UTF-32's mark with the low byte first begins as that of UTF-16, whose text has no NUL there.
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

    /// Windows-1252, which Latin-1 is a part of, for a text that has bytes above 0x7F and not one sequence of UTF-8 among
    /// them (N7); nil for any other.
    ///
    /// Nor is it guessed where it has no character for a byte, or where most such bytes stand beside each other: words of
    /// its languages have an accent here and there, those of other alphabets have nothing else.
    ///
    /// - Parameters:
    ///   - start: The first bytes of the text.
    ///   - isWhole: Whether they are all of it; else the last character may be cut.
    /// - Returns: The guess.
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

    private static let undefinedInWindows1252: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D]

    /// Whether bytes, the first of which is above 0x7F, begin with a character of UTF-8, or with one that is cut by their
    /// end.
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

/// Turns UTF-16, in pieces of any length, into UTF-8.
///
/// What is not UTF-16 becomes what is not UTF-8, so that the one check of the records finds it: an unpaired surrogate is
/// written as the three bytes that would encode it (which strict UTF-8 forbids), half a code unit at the end as 0xFF.
struct UTF16Decoder {
    let bigEndian: Bool
    private var oddByte: UInt8?
    private var highSurrogate: UInt16?

    init(bigEndian: Bool) { self.bigEndian = bigEndian }

    /// Appends the text of the next bytes.
    mutating func decode(_ bytes: Span<UInt8>, into output: inout ByteBuffer) {
        // A code unit takes at most three bytes, and one may be waiting from before.
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

    /// Appends what is left when the input ends in the middle of a character.
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

    /// Writes the bytes of UTF-8 for any value to 0x10FFFF, surrogates too.
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
