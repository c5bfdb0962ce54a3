extension String {
    /// The text in a form that is safe to show, whatever its source. Special characters are escaped: `\n`, `\t`, and
    /// forms like `\u{1b}` for other characters that a terminal would execute or that would make a line look like
    /// another one.
    ///
    /// The escaped characters are control characters (Cc), line and paragraph separators, and the marks that change the
    /// writing direction (Unicode Technical Report 36, section 2.5).
    package var visible: String { Self(showing: unicodeScalars, escaping: []) }

    /// Returns the visible text, cut to a number of terminal columns if it is wider, with `…` in the last column.
    package func visible(upTo columns: Int) -> String {
        // A single character may consist of any number of scalars, so the number of scalars is limited too.
        let beginning = unicodeScalars.prefix(Self.mostScalarsPerColumn * columns)
        let text = Self(showing: beginning, escaping: [])
        var width = 0
        var fitting = text.startIndex
        for index in text.indices {
            if width < columns { fitting = index }
            width += text[index].displayWidth
            if width > columns { return text[..<fitting] + "…" }
        }
        return beginning.endIndex == unicodeScalars.endIndex ? text : text[..<fitting] + "…"
    }

    /// The maximum number of scalars per column. No character in real text has more: a family of four in one emoji has
    /// seven scalars in two columns.
    static let mostScalarsPerColumn = 8

    /// Returns the text in quotes, with `\"` and `\\` for the characters that would be ambiguous. If the text has more
    /// than `longest` scalars, the rest is cut and `…` follows the closing quote.
    package func quoted(longest: Int = .max) -> String {
        let shown = unicodeScalars.prefix(longest)
        return "\"" + Self(showing: shown, escaping: ["\"", "\\"])
            + (shown.endIndex < unicodeScalars.endIndex ? "\"…" : "\"")
    }

    private init(showing scalars: some Sequence<Unicode.Scalar>, escaping special: Set<Unicode.Scalar>) {
        self = ""
        for scalar in scalars {
            switch scalar {
            case "\n": self += "\\n"
            case "\r": self += "\\r"
            case "\t": self += "\\t"
            case _ where special.contains(scalar): self += "\\" + String(Character(scalar))
            case _ where scalar.isTreacherous: self += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isTreacherous: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
