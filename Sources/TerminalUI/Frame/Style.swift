/// How a cell looks; the terminal's own theme decides what that is.
package struct Style: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = Style(rawValue: 1)
    package static let dim = Style(rawValue: 2)
    package static let underline = Style(rawValue: 4)
    /// Foreground and background change places.
    package static let reverse = Style(rawValue: 8)
    /// Red, where colours are allowed.
    package static let error = Style(rawValue: 16)
    /// Green, where colours are allowed.
    package static let success = Style(rawValue: 32)
    /// Cyan, where colours are allowed.
    package static let accent = Style(rawValue: 64)
    /// For the eyes of whoever sits there: a terminal shows it, and a picture has dots in its place.
    package static let secret = Style(rawValue: 128)
}
