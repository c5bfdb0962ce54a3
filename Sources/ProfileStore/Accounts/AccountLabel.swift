/// The label of a session or the name of an access token: 1 to 100 characters on one line.
public struct AccountLabel: Hashable, Sendable, CustomStringConvertible {
    /// The text, at most 400 bytes of UTF-8.
    public let text: String

    /// The text itself.
    public var description: String { text }

    /// Creates a label from a stored text, which another program may have written.
    package static let unreadable = AccountLabel(known: "?")

    private static let mostCharacters = 100
    private static let mostBytes = 400

    /// Creates a label from a text; nil if the text is empty, too long, or has a character that cannot stand on one
    /// line.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.mostBytes, text.count <= Self.mostCharacters,
            text.unicodeScalars.allSatisfy(\.isOfLine)
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// Creates a label from any text, such as a user agent. Replaces characters that cannot stand on one line by
    /// spaces, and cuts the text at the limit. Nil if nothing is left.
    public init?(fitting text: String) {
        var kept = ""
        var byteCount = 0
        // A character can have any number of bytes. Bytes beyond the limit are not read.
        for scalar in text.unicodeScalars.lazy.map({ $0.isOfLine ? $0 : " " }) {
            byteCount += UTF8.width(scalar)
            guard byteCount <= Self.mostBytes else { break }
            kept.unicodeScalars.append(scalar)
        }
        let cut = String(kept.prefix(Self.mostCharacters))
        guard cut.contains(where: { $0 != " " }) else { return nil }
        self.text = cut
    }
}

extension Unicode.Scalar {
    /// Whether the character can stand on one line: it does not end a line, and does not control the display.
    fileprivate var isOfLine: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
