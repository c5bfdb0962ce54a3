internal import ProfileCore

/// A scope of an access token: 1 to 32 lower-case ASCII letters, digits, `_`, `-`, `.` and `:`. The service that uses
/// the token defines the meaning of its scopes.
public struct AccessScope: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text of the scope.
    public let text: String

    /// The text of the scope.
    public var description: String { text }

    /// Permission to read profiles.
    public static let read = AccessScope(known: "read")
    /// Permission to change profiles.
    public static let write = AccessScope(known: "write")
    /// Permission to help people with their accounts: to edit their profiles without their passwords, to unlock them, to
    /// issue resets and to end sessions.
    public static let support = AccessScope(known: "support")
    /// The permissions of an administrator.
    public static let admin = AccessScope(known: "admin")

    /// Creates a scope from a text; nil if the text is invalid.
    public init?(_ text: String) {
        guard 1...32 ~= text.utf8.count,
            text.utf8.allSatisfy({ $0.isASCIILowercase || $0.isASCIIDigit || "_-.:".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    public static func < (left: AccessScope, right: AccessScope) -> Bool { left.text < right.text }
}
