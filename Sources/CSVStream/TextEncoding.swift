/// How the input's characters are written, as its byte order mark tells.
enum TextEncoding: Equatable {
    case utf8
    case utf16(bigEndian: Bool)

    /// The longest byte order mark, and so the bytes that are needed to tell.
    static let longestMark = 3

    /// The encoding of a text that begins with these bytes, and the length of its mark. Without a mark it is UTF-8.
    static func detect(_ start: Span<UInt8>) -> (encoding: TextEncoding, markLength: Int) {
        if start.count >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF { return (.utf8, 3) }
        guard start.count >= 2 else { return (.utf8, 0) }
        switch (start[0], start[1]) {
        case (0xFF, 0xFE): return (.utf16(bigEndian: false), 2)
        case (0xFE, 0xFF): return (.utf16(bigEndian: true), 2)
        default: return (.utf8, 0)
        }
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
