/// Who changed something, as the caller says, for the log of changes; see ``ProfileChange/author``.
///
/// A service gives the account that a request came from, a program its own name. Nothing is looked up by it.
public struct Author: Hashable, Sendable, CustomStringConvertible {
    /// One line of 1 to 100 characters.
    public let name: String

    /// Longest name, in characters; it has at most four times as many bytes.
    public static let longestLength = 100

    /// Nil for an empty name, one that is too long, and one with control characters.
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.count <= 4 * Self.longestLength, name.count <= Self.longestLength,
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.name = name
    }

    public var description: String { name }
}
