/// The author of a change, which the caller names for the log of changes; see ``ProfileChange/author``.
///
/// A service names the account of the request. A program names itself. The store does not interpret it.
public struct Author: Hashable, Sendable, CustomStringConvertible {
    /// One line of 1 to 100 characters.
    public let name: String

    /// The maximum number of characters. The name has at most four times as many bytes.
    public static let longestLength = 100

    /// Creates an author; nil if the name is empty, too long, or has control characters.
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.count <= 4 * Self.longestLength, name.count <= Self.longestLength,
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.name = name
    }

    public var description: String { name }
}
