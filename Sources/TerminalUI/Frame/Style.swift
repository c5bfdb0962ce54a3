/// The style of a cell. The terminal's theme decides how it looks.
package struct Style: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = Style(rawValue: 1)
    package static let dim = Style(rawValue: 2)
    package static let underline = Style(rawValue: 4)
    /// Swaps foreground and background.
    package static let reverse = Style(rawValue: 8)
    /// Red if colours are allowed.
    package static let error = Style(rawValue: 16)
    /// Green if colours are allowed.
    package static let success = Style(rawValue: 32)
    /// Cyan if colours are allowed.
    package static let accent = Style(rawValue: 64)
    /// Marks a secret that only the user may see. The terminal shows the secret. If a test program makes a picture of
    /// the screen, the program draws dots instead of the secret.
    package static let secret = Style(rawValue: 128)
}
