/// Reads the text of a hash from front to back.
///
/// If a method does not accept the next characters, it does not change the position. The methods in
/// ScryptHash.swift are an exception.
struct HashReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// The number of bytes that have not been read.
    var remaining: Int { bytes.count - position }

    private var unread: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(droppingFirst: position) }
    }

    var isAtEnd: Bool { remaining == 0 }

    /// The next byte. It is not consumed.
    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    /// Reads a literal. If the text does not continue with the literal, returns false and reads nothing.
    @inline(__always)
    mutating func take(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard length <= remaining else { return false }
        for index in 0..<length where bytes[position + index] != literal.utf8Start[index] { return false }
        position += length
        return true
    }

    /// Reads one byte. At the end of the text, returns nil.
    mutating func takeByte() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// Reads a decimal number without a sign or leading zeros. A number of more than 18 digits becomes `Int.max`.
    mutating func takeDecimal() -> Int? {
        let rest = unread
        var value = 0
        var digits = 0
        while digits < rest.count, rest[digits].isASCIIDigit {
            value = digits < 18 ? value &* 10 &+ Int(rest[digits] &- UInt8(ascii: "0")) : .max
            digits += 1
        }
        guard digits == 1 || digits > 1 && rest[0] != UInt8(ascii: "0") else { return nil }
        position += digits
        return value
    }

    /// Reads characters as long as they belong to the alphabet, up to a limit.
    mutating func take(_ alphabet: Base64Alphabet, atMost limit: Int = .max) -> Base64Text {
        let members = alphabet.members
        let wanted = unread.extracting(first: limit)
        var length = 0
        while length < wanted.count, members.contains(wanted[length]) { length += 1 }
        position += length
        return Base64Text(length: length, lastValue: length > 0 ? alphabet.value(of: wanted[length - 1]) : 0)
    }

    /// Reads bytes as long as they satisfy a condition. Returns their number.
    mutating func take(while isWanted: (UInt8) -> Bool) -> Int {
        let start = position
        while let byte = next, isWanted(byte) { position += 1 }
        return position - start
    }
}

/// Describes a sequence of base 64 characters by its length and its last value.
///
/// These two values show whether the sequence is canonical, and how many bytes it encodes.
struct Base64Text {
    let length: Int
    let lastValue: UInt8

    /// Returns the number of encoded bytes. All unused bits must be zero.
    ///
    /// - Parameter highBitsFirst: Whether the unused bits are the low bits of the last character, as in RFC 4648 and
    ///   bcrypt. If false, the unused bits are the high bits, as in the little-endian groups of crypt.
    /// - Returns: The number of bytes. Nil if the characters are not a canonical encoding.
    func byteCount(highBitsFirst: Bool) -> Int? {
        let unusedBits = length % 4 == 0 ? 0 : length % 4 == 2 ? 4 : 2
        guard length % 4 != 1 else { return nil }
        let unused = highBitsFirst ? lastValue & ((1 << unusedBits) - 1) : lastValue >> (6 - unusedBits)
        return unused == 0 ? length * 3 / 4 : nil
    }
}

/// The base 64 alphabets of password hashes.
enum Base64Alphabet {
    /// `A–Z a–z 0–9 + /` (RFC 4648), the alphabet of the PHC string format.
    case standard
    /// `. / A–Z a–z 0–9`, the alphabet of bcrypt.
    case bcrypt
    /// `. / 0–9 A–Z a–z`, the alphabet of crypt(3).
    case crypt

    var members: Members {
        let letters: UInt64 = 0x07FF_FFFE_07FF_FFFE
        let digits: UInt64 = 0x03FF_0000_0000_0000
        let symbols: UInt64 = self == .standard ? 1 << 43 | 1 << 47 : 1 << 46 | 1 << 47
        return Members(belowAt: digits | symbols, fromAt: letters)
    }

    /// A set of ASCII characters. Each character has one bit. Range comparisons would be slower. The characters of a
    /// hash are random, so the processor would often mispredict the branches of such comparisons.
    struct Members {
        /// The members with codes below 64. 64 is the code of `@`.
        let belowAt: UInt64
        /// The members with codes from 64 to 127.
        let fromAt: UInt64

        @inline(__always)
        func contains(_ byte: UInt8) -> Bool {
            let half = byte & 0x40 == 0 ? belowAt : fromAt
            return byte < 0x80 && (half &>> UInt64(byte & 0x3F)) & 1 == 1
        }
    }

    /// Returns the six-bit value of a character of the alphabet.
    func value(of byte: UInt8) -> UInt8 {
        let (symbols, digits, uppercase, lowercase): (UInt8, UInt8, UInt8, UInt8) =
            switch self {
            case .standard: (62, 52, 0, 26)
            case .bcrypt: (0, 54, 2, 28)
            case .crypt: (0, 2, 12, 38)
            }
        return switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digits &+ (byte &- UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): uppercase &+ (byte &- UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): lowercase &+ (byte &- UInt8(ascii: "a"))
        case UInt8(ascii: "/"): symbols &+ 1
        default: symbols
        }
    }
}
