/// The author of a change. The caller names the author. The log of changes stores it; see ``ProfileChange/author``.
///
/// A service usually names the account that sent the request. Other programs usually name themselves. The store does
/// not interpret the name.
public struct Author: Hashable, Sendable, CustomStringConvertible {
    /// The name: 1 to 100 characters without control characters.
    public let name: String

    /// The maximum number of characters of a name. In UTF-8 a name has at most 400 bytes.
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
