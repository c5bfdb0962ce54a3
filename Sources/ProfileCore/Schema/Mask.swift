/// A fixed shape of digits and literals, such as `####-####`. `#` stands for an ASCII digit. All other characters are
/// literals.
///
/// A value has either all literals or none of them. It is stored with the literals.
public struct Mask: Hashable, Sendable, CustomStringConvertible {
    /// The mask in the notation of a schema file.
    public let pattern: String
    package let bytes: [UInt8]
    let literals: ASCIISet
    /// The number of digits in a value. It equals the number of `#` in the mask.
    package let digitCount: Int

    /// The byte that stands for a digit.
    package static let digit = UInt8(ascii: "#")

    /// The maximum length of a mask in characters. Every stored value of the field is as long as the mask.
    public static let longestLength = 256

    /// Creates a mask.
    ///
    /// A valid pattern has 1 to ``longestLength`` printable ASCII characters and at least one `#`. It has no digits and
    /// no spaces. Returns nil for any other pattern.
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

    /// The result of comparing a value with the mask.
    enum Match: Hashable {
        /// The value has all digits and literals in their places.
        case displayed
        /// The value has the right number of digits and no literals.
        case digitsOnly
        /// The value contains a byte that is not a digit and not a literal of the mask.
        case badCharacter
        case tooShort
        case tooLong
        /// The value has the right number of digits, but its literals are not in the right places.
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

    /// Inserts the mask's literals between the digits, and returns the text. `digits` must have ``digitCount`` bytes.
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
