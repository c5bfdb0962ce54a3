internal import Platform

/// The properties of a range of bytes. They show whether the records of the range may have faults. Most inputs are
/// ASCII without NUL bytes, so their records need no check.
struct ByteContent {
    /// Whether the range contains a quote.
    let hasQuote: Bool
    private let isASCII: Bool
    private let hasNUL: Bool

    /// Scans the bytes from `start` to the end, several at a time.
    init(of bytes: borrowing ByteBuffer, from start: Int) {
        let length = bytes.count - start
        hasNUL = memchr(bytes.base + start, 0, length) != nil
        hasQuote = memchr(bytes.base + start, CInt(RecordSplitter.quote), length) != nil
        isASCII = Self.isASCII(bytes.span(at: start, count: length))
    }

    /// Whether no record of the range can have a fault: ``fault(of:)`` returns nil for each of them.
    var isPlain: Bool { isASCII && !hasNUL }

    /// Returns the fault in the bytes of one record of the range, or nil if the bytes have no fault.
    func fault(of record: Span<UInt8>) -> RecordFault? {
        if !isASCII && !Self.isUTF8(record) { return .badEncoding }
        return hasNUL && Self.containsNUL(record) ? .nul : nil
    }

    /// Returns the offset of the first byte above 0x7F, or nil if there is none. The search starts at `offset`.
    static func firstHighByte(of bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int? {
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = offset
        while offset + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080
            if word != 0 { return offset + word.littleEndian.trailingZeroBitCount / 8 }
            offset += 8
        }
        return bytes[min(offset, bytes.count)...].firstIndex { $0 >= 0x80 }
    }

    private static func isASCII(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var all: UInt64 = 0
            let words = bytes.count / 8
            for word in 0..<words { all |= bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) }
            for offset in words * 8..<bytes.count { all |= UInt64(bytes[offset]) }
            return all & 0x8080_8080_8080_8080 == 0
        }
    }

    /// Returns whether the bytes are valid UTF-8. Like the standard library, it refuses overlong forms, surrogates and
    /// values above U+10FFFF.
    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch {
            return false
        }
    }

    private static func containsNUL(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { $0.contains(0) }
    }
}
