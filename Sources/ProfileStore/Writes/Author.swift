internal import ProfileCore

/// The author of a change. The caller gives the name. The log of changes stores the name; see ``ProfileChange/author``.
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

    /// Creates an author from any text, such as the name of an account in another system.
    ///
    /// Control characters become spaces, the ends are trimmed, and a text that is too long is cut after a whole character.
    /// The result is nil if nothing remains.
    public init?(fitting text: String) {
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            cleaned.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        var name = ""
        for character in String(cleaned).trimmed.prefix(Self.longestLength) {
            guard name.utf8.count + character.utf8.count <= 4 * Self.longestLength else { break }
            name.append(character)
        }
        self.init(name.trimmed)
    }

    public var description: String { name }
}
