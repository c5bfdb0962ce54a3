extension Character {
    /// The name of a character in a message. The name of a visible character is the character itself.
    package var nameInMessage: String {
        switch self {
        case " ": "space"
        case "\t": "tab"
        case "\n", "\r", "\r\n": "line end"
        case "\u{A0}": "no-break space"
        default: unicodeScalars.first.flatMap(Self.number) ?? String(self).shortened
        }
    }

    /// The code point of an invisible character or a combining mark, such as `U+200B`. Nil for any other character.
    private static func number(of scalar: Unicode.Scalar) -> String? {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        default: return nil
        }
    }
}
