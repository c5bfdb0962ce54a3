/// What a terminal shows at a moment: a grid of cells and a caret, as a value.
public struct TerminalScreen: Equatable, Sendable {
    /// How many cells there are.
    public let size: TerminalSize
    /// The cells, row by row. A character that takes two is in the first of them, and the second has an empty text.
    public let cells: [[Cell]]
    /// Where the caret is, from 0; nil while it is hidden.
    public let caret: Position?
    /// Whether this is the alternate screen, which programs that fill the whole of it use.
    public let isAlternate: Bool
    /// How many lines have left the screen at its top.
    let scrolledLines: Int

    /// One cell.
    public struct Cell: Hashable, Sendable {
        /// The character with its combining marks; a space where nothing was written.
        public let text: String
        /// How it looks.
        public let style: TerminalStyle
    }

    /// A cell's place, from 0.
    public struct Position: Hashable, Sendable {
        /// From the top.
        public let row: Int
        /// From the left, in cells.
        public let column: Int

        /// A place, from 0.
        public init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    /// Each row's text without the spaces at its end.
    public var rows: [String] {
        cells.map { row in
            let end = row.lastIndex { $0.text != " " && !$0.text.isEmpty }
            return end.map { row[...$0].map(\.text).joined() } ?? ""
        }
    }

    /// Each row's text with all of its spaces, so that a text which ends in one is found, too.
    private var wholeRows: [String] { cells.map { $0.map(\.text).joined() } }

    /// The rows in lines, without the empty ones at the end.
    public var text: String {
        let rows = rows
        return rows[...(rows.lastIndex { !$0.isEmpty } ?? 0)].joined(separator: "\n")
    }

    /// Whether a text is in one of the rows.
    public func contains(_ text: String) -> Bool { wholeRows.contains { $0.contains(text) } }

    /// Where a text begins, in the first row that has it; nil where none does.
    public func position(of text: String) -> Position? {
        for (row, line) in wholeRows.enumerated() {
            guard let found = line.firstRange(of: text) else { continue }
            // A cell may have several characters of the text's, but none begins in the midst of one.
            var rest = line.unicodeScalars[..<found.lowerBound].count
            for (column, cell) in cells[row].enumerated() {
                if rest <= 0, !cell.text.isEmpty { return Position(row: row, column: column) }
                rest -= cell.text.unicodeScalars.count
            }
        }
        return nil
    }

    /// How the first character of a text looks; nil where the text is not shown.
    public func style(of text: String) -> TerminalStyle? {
        position(of: text).map { cells[$0.row][$0.column].style }
    }

    /// Whether a text is in more places of a row than it was.
    func shows(_ text: String, newSince earlier: TerminalScreen) -> Bool {
        let rows = wholeRows
        let shift = scrolledLines - earlier.scrolledLines
        let wereRows = earlier.isAlternate == isAlternate ? earlier.wholeRows : []
        return rows.indices.contains { row in
            let was = wereRows.indices.contains(row + shift) ? wereRows[row + shift] : ""
            return rows[row].ranges(of: text).count > was.ranges(of: text).count
        }
    }
}

extension TerminalScreen: CustomStringConvertible {
    /// The text in a frame, for a failed test to print.
    public var description: String {
        let edge = String(repeating: "─", count: size.columns)
        let lines = cells.map { row in "│" + row.map(\.text).joined() + "│" }
        let place = caret.map { "caret in row \($0.row + 1), column \($0.column + 1)" } ?? "no caret"
        return (["┌\(edge)┐"] + lines + ["└\(edge)┘", place]).joined(separator: "\n")
    }
}

/// How a cell looks.
public struct TerminalStyle: Hashable, Sendable {
    /// What is on.
    public var attributes: Attributes
    /// The colour of the text; nil for the terminal's own.
    public var foreground: Color?
    /// The colour behind the text; nil for the terminal's own.
    public var background: Color?

    /// A style.
    public init(_ attributes: Attributes = [], foreground: Color? = nil, background: Color? = nil) {
        self.attributes = attributes
        self.foreground = foreground
        self.background = background
    }

    /// What the emulator tells apart; faint text (SGR 2) is not among it.
    public struct Attributes: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Heavier letters (SGR 1).
        public static let bold = Attributes(rawValue: 1)
        /// A line below the letters, of whatever kind (SGR 4).
        public static let underline = Attributes(rawValue: 2)
        /// Slanted letters (SGR 3).
        public static let italic = Attributes(rawValue: 4)
        /// Letters that come and go (SGR 5).
        public static let blink = Attributes(rawValue: 8)
        /// The colour of the text and that behind it, exchanged (SGR 7).
        public static let reverse = Attributes(rawValue: 16)
        /// A line through the letters (SGR 9).
        public static let strike = Attributes(rawValue: 32)
    }

    /// A colour, as a program asks for it.
    public enum Color: Hashable, Sendable {
        /// One of the 256 of the palette: 1 is red, 2 is green, 6 is cyan.
        case palette(UInt8)
        /// Mixed of red, green and blue, each from 0 to 255.
        case rgb(red: UInt8, green: UInt8, blue: UInt8)
    }
}

extension TerminalStyle: CustomStringConvertible {
    /// In words: "bold reverse, text 1".
    public var description: String {
        let names: [(Attributes, String)] = [
            (.bold, "bold"), (.underline, "underline"), (.italic, "italic"), (.blink, "blink"), (.reverse, "reverse"),
            (.strike, "strike"),
        ]
        let words = names.filter { attributes.contains($0.0) }.map(\.1).joined(separator: " ")
        let parts = [words, foreground.map { "text \($0)" }, background.map { "behind \($0)" }]
        return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension TerminalStyle.Color: CustomStringConvertible {
    /// The number in the palette, or `r/g/b`.
    public var description: String {
        switch self {
        case .palette(let index): "\(index)"
        case .rgb(let red, let green, let blue): "\(red)/\(green)/\(blue)"
        }
    }
}
