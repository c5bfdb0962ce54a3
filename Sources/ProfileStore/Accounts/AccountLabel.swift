/// What somebody calls a session or an access token: 1 to 100 characters of one line.
public struct AccountLabel: Hashable, Sendable, CustomStringConvertible {
    /// The text, in 400 bytes of UTF-8 at the most.
    public let text: String

    /// The text itself.
    public var description: String { text }

    /// What is called so by a text that only another program can have stored.
    package static let unreadable = AccountLabel(known: "?")

    private static let mostCharacters = 100
    private static let mostBytes = 400

    /// Takes a text as it is; nil if it is empty, too long, or holds what is no part of a line.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.mostBytes, text.count <= Self.mostCharacters,
            text.unicodeScalars.allSatisfy(\.isOfLine)
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// Makes any text fit, such as what a browser says of itself: what is no part of a line becomes a space, and what is
    /// too long is cut. Nil where nothing is left.
    public init?(fitting text: String) {
        var kept = ""
        var byteCount = 0
        // A character may be of any number of bytes: none is looked at beyond those that can be kept.
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
    /// Whether it may stand in a line: it neither ends one nor controls how it is shown.
    fileprivate var isOfLine: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
