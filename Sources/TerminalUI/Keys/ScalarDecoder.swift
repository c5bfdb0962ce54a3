/// Decodes UTF-8 byte by byte (Unicode 16, table 3-7).
struct ScalarDecoder {
    enum Step: Equatable {
        case scalar(Unicode.Scalar)
        /// The scalar is incomplete and needs more bytes.
        case more
        /// The bytes are not UTF-8. If `isTaken` is false, the last byte is not one of the invalid bytes, and may be
        /// the first byte of another scalar.
        case invalid(isTaken: Bool)
    }

    private var value: UInt32 = 0
    private var missing = 0
    /// The allowed range of the next byte. After some first bytes the range is smaller, because it excludes overlong
    /// forms and surrogates.
    private var continuation: ClosedRange<UInt8> = 0x80...0xBF

    mutating func take(_ byte: UInt8) -> Step {
        guard missing > 0 else { return begin(byte) }
        guard continuation.contains(byte) else {
            missing = 0
            return .invalid(isTaken: false)
        }
        value = value << 6 | UInt32(byte & 0x3F)
        missing -= 1
        continuation = 0x80...0xBF
        guard missing == 0 else { return .more }
        return Unicode.Scalar(value).map { .scalar($0) } ?? .invalid(isTaken: true)
    }

    private mutating func begin(_ byte: UInt8) -> Step {
        switch byte {
        case 0x00...0x7F: return .scalar(Unicode.Scalar(byte))
        case 0xC2...0xDF: (value, missing, continuation) = (UInt32(byte & 0x1F), 1, 0x80...0xBF)
        case 0xE0: (value, missing, continuation) = (0, 2, 0xA0...0xBF)
        case 0xED: (value, missing, continuation) = (0xD, 2, 0x80...0x9F)
        case 0xE1...0xEF: (value, missing, continuation) = (UInt32(byte & 0xF), 2, 0x80...0xBF)
        case 0xF0: (value, missing, continuation) = (0, 3, 0x90...0xBF)
        case 0xF1...0xF3: (value, missing, continuation) = (UInt32(byte & 0x7), 3, 0x80...0xBF)
        case 0xF4: (value, missing, continuation) = (4, 3, 0x80...0x8F)
        default: return .invalid(isTaken: true)
        }
        return .more
    }
}
