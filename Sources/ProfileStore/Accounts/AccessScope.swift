internal import ProfileCore

/// What an access token is good for, as a word that the service interprets: 1 to 32 lower-case ASCII letters, digits, `_`,
/// `-`, `.` and `:`.
public struct AccessScope: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The word.
    public let text: String

    /// The word.
    public var description: String { text }

    /// Looking at profiles.
    public static let read = AccessScope(known: "read")
    /// Changing profiles.
    public static let write = AccessScope(known: "write")
    /// Whatever an administrator may do.
    public static let admin = AccessScope(known: "admin")

    /// Takes a word; nil for anything else.
    public init?(_ text: String) {
        guard 1...32 ~= text.utf8.count,
            text.utf8.allSatisfy({ $0.isASCIILowercase || $0.isASCIIDigit || "_-.:".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    public static func < (left: AccessScope, right: AccessScope) -> Bool { left.text < right.text }
}
