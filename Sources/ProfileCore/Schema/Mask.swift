/// A fixed shape of digits and literals, such as `####-####`: `#` stands for an ASCII digit, all else for itself.
///
/// A value is accepted with all of the literals or with none of them, and is stored with them.
public struct Mask: Hashable, Sendable, CustomStringConvertible {
    /// As a schema file writes it.
    public let pattern: String
    package let bytes: [UInt8]
    let literals: ASCIISet
    /// How many `#` there are.
    package let digitCount: Int

    /// The byte that stands for a digit.
    package static let digit = UInt8(ascii: "#")

    /// Longest mask, in characters: every value of the field is as long, however few digits were typed.
    public static let longestLength = 256

    /// Nil unless the pattern is printable ASCII of at most ``longestLength`` characters, holds a `#` and no digit or
    /// space.
    public init?(_ pattern: String) {
        let bytes = Array(pattern.utf8)
        guard bytes.count <= Self.longestLength, bytes.allSatisfy({ 0x21...0x7E ~= $0 && !$0.isASCIIDigit }) else {
            return nil
        }
        self.init(pattern, bytes)
        if digitCount == 0 { return nil }
    }

    static let standardPhone = Mask("####-####", Array("####-####".utf8))

    private init(_ pattern: String, _ bytes: [UInt8]) {
        self.pattern = pattern
        self.bytes = bytes
        literals = ASCIISet { $0 != Self.digit && bytes.contains($0) }
        digitCount = bytes.count { $0 == Self.digit }
    }

    public var description: String { pattern }

    /// How the bytes stand to the mask.
    enum Match: Hashable {
        /// Digits and literals in their places.
        case displayed
        /// The digits alone.
        case digitsOnly
        case badCharacter
        case tooShort
        case tooLong
        /// As many digits as there should be, but the literals are not in their places.
        case misplaced
    }

    func match(_ value: Span<UInt8>) -> Match {
        if value.count == bytes.count {
            var index = 0
            while index < bytes.count, Self.fits(value[index], bytes[index]) { index += 1 }
            if index == bytes.count { return .displayed }
        }
        var digits = 0
        for index in value.indices {
            let byte = value[index]
            if byte.isASCIIDigit {
                digits += 1
            } else if !literals.contains(byte) {
                return .badCharacter
            }
        }
        if digits < digitCount { return .tooShort }
        if digits > digitCount { return .tooLong }
        return value.count == digitCount ? .digitsOnly : .misplaced
    }

    /// The digits, as many as the mask has, with its literals between.
    func text(ofDigits digits: Span<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { text in
            var next = 0
            for (index, byte) in bytes.enumerated() {
                text.initializeElement(at: index, to: byte == Self.digit ? digits[next] : byte)
                if byte == Self.digit { next += 1 }
            }
            return bytes.count
        }
    }

    private static func fits(_ byte: UInt8, _ place: UInt8) -> Bool {
        place == digit ? byte.isASCIIDigit : byte == place
    }
}
