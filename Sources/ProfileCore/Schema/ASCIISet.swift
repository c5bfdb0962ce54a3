/// A set of ASCII characters as a table of 128 bits.
struct ASCIISet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ isMember: (UInt8) -> Bool) {
        for byte in UInt8(0)..<64 where isMember(byte) { low |= 1 << UInt64(byte) }
        for byte in UInt8(64)..<128 where isMember(byte) { high |= 1 << UInt64(byte - 64) }
    }

    /// Creates the set of all ASCII characters that belong to `characters`.
    init(_ characters: AllowedCharacters) {
        switch characters {
        case .asciiLetters, .letters: self.init(\.isASCIILetter)
        case .asciiDigits, .digits: self.init(\.isASCIIDigit)
        case .spaces: self.init { $0 == 0x20 }
        case .special: self.init(Requirement.special)
        case .list(let characters):
            let listed = Set(characters.utf8)
            self.init(listed.contains)
        }
    }

    init(_ requirement: Requirement) {
        switch requirement {
        case .uppercase: self.init(\.isASCIIUppercase)
        case .lowercase: self.init(\.isASCIILowercase)
        case .digit: self.init(\.isASCIIDigit)
        case .special: self.init { 0x21...0x7E ~= $0 && !$0.isASCIILetter && !$0.isASCIIDigit }
        }
    }

    /// All ASCII characters except control characters, and also tab, LF and CR.
    static let text = ASCIISet { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }

    mutating func formUnion(_ other: ASCIISet) {
        low |= other.low
        high |= other.high
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let half = byte & 64 == 0 ? low : high
        return byte < 128 && half &>> UInt64(byte & 63) & 1 != 0
    }

    @inline(__always)
    func containsAll(of bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where !contains(bytes[index]) { return false }
        return true
    }

    func containsAny(of bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where contains(bytes[index]) { return true }
        return false
    }
}
