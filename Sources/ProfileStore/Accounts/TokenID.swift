internal import ProfileCore

/// The id of a session, a device or an access token: 16 lower-case hexadecimal digits.
///
/// These are the first digits of the SHA-256 hash of the token, so ids are unique. A client cannot authenticate with an
/// id.
public struct TokenID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digits.
    public let description: String

    /// Reads an id. Returns nil if the text is not 16 lower-case hexadecimal digits.
    public init?(_ text: String) {
        let digits = text.utf8
        guard digits.count == Self.digitCount,
            digits.allSatisfy({ $0.isASCIIDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 })
        else { return nil }
        description = text
    }

    init(firstDigitsOf hash: String) { description = String(hash.prefix(Self.digitCount)) }

    /// A text that sorts after every token hash that begins with this id. The text ends with "g", and "g" sorts after
    /// every hexadecimal digit.
    package var endOfHashes: String { description + "g" }

    public static func < (left: TokenID, right: TokenID) -> Bool { left.description < right.description }

    private static let digitCount = 16
}
