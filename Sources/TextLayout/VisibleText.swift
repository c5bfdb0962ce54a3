extension String {
    /// The text in a form that is safe to show, wherever it came from: `\n`, `\t`, and `\u{1b}` for other characters
    /// that a terminal would obey or that would make a line read as another one.
    ///
    /// Those are control characters (Cc), line and paragraph separators, and the marks that turn the direction of
    /// writing (Unicode Technical Report 36, section 2.5).
    package var visible: String { Self(showing: unicodeScalars, escaping: []) }

    /// The visible text if it takes at most so many columns of a terminal, else its beginning with `…` in the last one.
    package func visible(upTo columns: Int) -> String {
        // A single character may be as long as the text, so that scalars have their bound too.
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

    /// No character that people write has more: a family of four in one emoji has seven, in two columns.
    static let mostScalarsPerColumn = 8

    /// The text in quotes, with `\"` and `\\` for the characters that would be ambiguous; what is cut after
    /// `longest` scalars has `…` behind the quotes.
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
