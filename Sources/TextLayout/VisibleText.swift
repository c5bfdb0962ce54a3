extension String {
    /// The text in a form that is safe to show, even if an attacker wrote the text. Some characters are escaped, in
    /// forms such as `\n`, `\t` and `\u{1b}`. A terminal would execute these characters, or they would disguise the
    /// content of a line.
    ///
    /// The escaped characters are control characters (Cc), line and paragraph separators, and the marks that change the
    /// writing direction (Unicode Technical Report 36, section 2.5).
    package var visible: String { Self(showing: unicodeScalars, escaping: []) }

    /// Returns the visible text in at most `columns` terminal columns. If the text is wider, it is cut and ends with
    /// `…`.
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

    /// The maximum number of scalars per column. No character in real text has more scalars per column. For example, an
    /// emoji of a family of four has seven scalars and takes two columns.
    static let mostScalarsPerColumn = 8

    /// Returns the text in quotes. Quotes and backslashes in the text are written as `\"` and `\\`. If the text has
    /// more than `longest` scalars, the rest is cut and `…` follows the closing quote.
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
