internal import ProfileCore

/// The set of ASCII characters that occurred, and whether other characters occurred.
struct SeenASCII: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private(set) var isBeyondASCII = false

    @inline(__always)
    mutating func insert(_ byte: UInt8) {
        let bit: UInt64 = 1 &<< UInt64(byte & 63)
        switch byte >> 6 {
        case 0: low |= bit
        case 1: high |= bit
        default: isBeyondASCII = true
        }
    }

    mutating func formUnion(_ other: SeenASCII) {
        low |= other.low
        high |= other.high
        isBeyondASCII = isBeyondASCII || other.isBeyondASCII
    }

    func contains(_ byte: UInt8) -> Bool { (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1 }

    var hasDigits: Bool { members.contains(where: \.isASCIIDigit) }

    var hasLetters: Bool { members.contains(where: \.isASCIILetter) }

    /// Whether a control character other than tab, LF and CR occurred.
    var hasForbiddenControl: Bool { low & 0xFFFF_D9FF != 0 || high >> 63 == 1 }

    /// The ASCII characters that occurred, in the order of their codes.
    var members: [UInt8] { (0..<128).filter(contains) }
}
