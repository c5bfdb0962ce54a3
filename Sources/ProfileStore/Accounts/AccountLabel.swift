/// The label of a session or the name of an access token: 1 to 100 characters on one line.
public struct AccountLabel: Hashable, Sendable, CustomStringConvertible {
    /// The text, at most 400 bytes of UTF-8.
    public let text: String

    /// The text itself.
    public var description: String { text }

    /// If the stored name of an access token is invalid, this name is used instead. This project never stores an
    /// invalid name, but another program may have stored an invalid name.
    package static let unreadable = AccountLabel(known: "?")

    private static let mostCharacters = 100
    private static let mostBytes = 400

    /// Creates a label from a text. Returns nil if the text is empty or too long. Also returns nil if the text contains
    /// a line break, a control character or a formatting character.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.mostBytes, text.count <= Self.mostCharacters,
            text.unicodeScalars.allSatisfy(\.isOfLine)
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// Creates a label from any text, such as a user agent. Replaces line breaks, control characters and formatting
    /// characters with spaces. Truncates the text to at most 100 characters and 400 bytes. Returns nil if the result
    /// contains only spaces.
    public init?(fitting text: String) {
        var kept = ""
        var byteCount = 0
        // One character can have any number of bytes. So the loop ends at the byte limit and does not read the rest of
        // the text.
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
    /// Whether a label may contain the character. A label must not contain a line break, a control character, a
    /// formatting character or an unassigned code point.
    fileprivate var isOfLine: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
