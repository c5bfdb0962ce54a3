internal import ProfileCore

/// A scope of an access token, which the service interprets: 1 to 32 lower-case ASCII letters, digits, `_`, `-`, `.`
/// and `:`.
public struct AccessScope: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The word.
    public let text: String

    /// The word.
    public var description: String { text }

    /// Permission to read profiles.
    public static let read = AccessScope(known: "read")
    /// Permission to change profiles.
    public static let write = AccessScope(known: "write")
    /// The permissions of an administrator.
    public static let admin = AccessScope(known: "admin")

    /// Creates a scope from a word; nil if the word is invalid.
    public init?(_ text: String) {
        guard 1...32 ~= text.utf8.count,
            text.utf8.allSatisfy({ $0.isASCIILowercase || $0.isASCIIDigit || "_-.:".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    public static func < (left: AccessScope, right: AccessScope) -> Bool { left.text < right.text }
}
