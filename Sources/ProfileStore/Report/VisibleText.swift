extension String {
    /// The text in a form that is safe to show, wherever it came from: `\n`, `\t`, and `\u{1b}` for other characters
    /// that a terminal would obey or that would make a line read as another one.
    ///
    /// Those are control characters (Cc), line and paragraph separators, and the marks that turn the direction of
    /// writing (Unicode Technical Report 36, section 2.5).
    package var visible: String { Self(showing: self, escaping: []) }

    /// The text in quotes, with `\"` and `\\` for the characters that would be ambiguous; what is cut after
    /// `longest` characters has `…` behind the quotes.
    func quoted(longest: Int = .max) -> String {
        let shown = prefix(longest)
        return "\"" + String(showing: shown, escaping: ["\"", "\\"]) + (shown.endIndex < endIndex ? "\"…" : "\"")
    }

    private init(showing text: some StringProtocol, escaping special: Set<Unicode.Scalar>) {
        self = ""
        for scalar in text.unicodeScalars {
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
