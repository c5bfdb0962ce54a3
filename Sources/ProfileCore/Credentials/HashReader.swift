/// Reads the text of a hash from front to back.
///
/// Every method either takes what it found, or leaves the reader where it was.
struct HashReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// How many bytes were not read yet.
    var remaining: Int { bytes.count - position }

    private var unread: Span<UInt8> {
        @_lifetime(copy self) get { bytes.extracting(droppingFirst: position) }
    }

    var isAtEnd: Bool { remaining == 0 }

    /// The next byte, still unread.
    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    /// Takes the literal, if the text goes on with it.
    @inline(__always)
    mutating func take(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard length <= remaining else { return false }
        for index in 0..<length where bytes[position + index] != literal.utf8Start[index] { return false }
        position += length
        return true
    }

    /// Takes one byte, whatever it is.
    mutating func takeByte() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// Takes a decimal number without sign or leading zeros; one of more than 18 digits is `Int.max`.
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

    /// Takes characters of an alphabet, as many as come or up to a limit.
    mutating func take(_ alphabet: Base64Alphabet, atMost limit: Int = .max) -> Base64Text {
        let members = alphabet.members
        let wanted = unread.extracting(first: limit)
        var length = 0
        while length < wanted.count, members.contains(wanted[length]) { length += 1 }
        position += length
        return Base64Text(length: length, lastValue: length > 0 ? alphabet.value(of: wanted[length - 1]) : 0)
    }

    /// Takes bytes while they satisfy a condition; returns how many.
    mutating func take(while isWanted: (UInt8) -> Bool) -> Int {
        let start = position
        while let byte = next, isWanted(byte) { position += 1 }
        return position - start
    }
}

/// What the parser needs to know of a run of base 64 characters: whether it is canonical, and how many bytes it means.
struct Base64Text {
    let length: Int
    let lastValue: UInt8

    /// Decodes the length, which unused bits that are not zero make impossible.
    ///
    /// - Parameter highBitsFirst: whether the unused bits are the low ones of the last character, as in RFC 4648 and
    ///   bcrypt, or the high ones, as in crypt's little-endian groups.
    /// - Returns: how many bytes the characters mean, or nil where no bytes are encoded like this.
    func byteCount(highBitsFirst: Bool) -> Int? {
        let unusedBits = length % 4 == 0 ? 0 : length % 4 == 2 ? 4 : 2
        guard length % 4 != 1 else { return nil }
        let unused = highBitsFirst ? lastValue & ((1 << unusedBits) - 1) : lastValue >> (6 - unusedBits)
        return unused == 0 ? length * 3 / 4 : nil
    }
}

/// One of the three alphabets in which hashes are written.
enum Base64Alphabet {
    /// `A–Z a–z 0–9 + /` (RFC 4648), of the PHC string format.
    case standard
    /// `. / A–Z a–z 0–9`, of bcrypt.
    case bcrypt
    /// `. / 0–9 A–Z a–z`, of crypt(3).
    case crypt

    var members: Members {
        let letters: UInt64 = 0x07FF_FFFE_07FF_FFFE
        let digits: UInt64 = 0x03FF_0000_0000_0000
        let symbols: UInt64 = self == .standard ? 1 << 43 | 1 << 47 : 1 << 46 | 1 << 47
        return Members(belowAt: digits | symbols, fromAt: letters)
    }

    /// A set of ASCII characters, a bit each: hashes are random, so that comparing ranges would be mispredicted all
    /// the time.
    struct Members {
        /// The characters before `@`, 64.
        let belowAt: UInt64
        /// Those from `@` on.
        let fromAt: UInt64

        @inline(__always)
        func contains(_ byte: UInt8) -> Bool {
            let half = byte & 0x40 == 0 ? belowAt : fromAt
            return byte < 0x80 && (half &>> UInt64(byte & 0x3F)) & 1 == 1
        }
    }

    /// The six bits that a character of the alphabet stands for.
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
