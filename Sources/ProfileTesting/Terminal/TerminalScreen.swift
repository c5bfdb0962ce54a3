/// A snapshot of the content of a terminal: a grid of cells and a caret.
public struct TerminalScreen: Equatable, Sendable {
    /// The size of the screen.
    public let size: TerminalSize
    /// The cells, row by row. A wide character takes two cells: the first cell contains the character, and the second
    /// cell has an empty text.
    public let cells: [[Cell]]
    /// The position of the caret; nil while it is hidden.
    public let caret: Position?
    /// Whether this is the alternate screen, which full-screen programs use.
    public let isAlternate: Bool
    /// The number of lines that have scrolled off the top.
    let scrolledLines: Int

    /// One cell of the screen.
    public struct Cell: Hashable, Sendable {
        /// The character with its combining marks. A space if nothing was written to the cell. Empty in the second cell
        /// of a wide character.
        public let text: String
        /// The style of the character.
        public let style: TerminalStyle
    }

    /// The position of a cell, counted from 0.
    public struct Position: Hashable, Sendable {
        /// The row, counted from the top.
        public let row: Int
        /// The column, counted in cells from the left.
        public let column: Int

        /// Creates a position, counted from 0.
        public init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    /// The text of each row without trailing spaces.
    public var rows: [String] {
        cells.map { row in
            let end = row.lastIndex { $0.text != " " && !$0.text.isEmpty }
            return end.map { row[...$0].map(\.text).joined() } ?? ""
        }
    }

    /// The text of each row with all spaces. A search in these rows also finds a text that ends with a space.
    private var wholeRows: [String] { cells.map { $0.map(\.text).joined() } }

    /// The rows as lines, without the empty rows at the end.
    public var text: String {
        let rows = rows
        return rows[...(rows.lastIndex { !$0.isEmpty } ?? 0)].joined(separator: "\n")
    }

    /// Returns whether one of the rows contains a text.
    public func contains(_ text: String) -> Bool { wholeRows.contains { $0.contains(text) } }

    /// Returns the position at which a text starts, in the first row that contains the text. Returns nil if no row
    /// contains it.
    public func position(of text: String) -> Position? {
        for (row, line) in wholeRows.enumerated() {
            guard let found = line.firstRange(of: text) else { continue }
            // A cell may contain several Unicode scalars of the text, but a scalar is never split between two cells.
            var rest = line.unicodeScalars[..<found.lowerBound].count
            for (column, cell) in cells[row].enumerated() {
                if rest <= 0, !cell.text.isEmpty { return Position(row: row, column: column) }
                rest -= cell.text.unicodeScalars.count
            }
        }
        return nil
    }

    /// Returns the style of a text's first character; nil if the text is not shown.
    public func style(of text: String) -> TerminalStyle? {
        position(of: text).map { cells[$0.row][$0.column].style }
    }

    /// Returns whether some row contains a text more often than the same row of the earlier screen did. A scroll moves
    /// lines to other rows. The comparison takes this into account.
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
    /// The screen's text in a frame, for the message of a failed test.
    public var description: String {
        let edge = String(repeating: "─", count: size.columns)
        let lines = cells.map { row in "│" + row.map(\.text).joined() + "│" }
        let place = caret.map { "caret in row \($0.row + 1), column \($0.column + 1)" } ?? "no caret"
        return (["┌\(edge)┐"] + lines + ["└\(edge)┘", place]).joined(separator: "\n")
    }
}

/// The style of a cell.
public struct TerminalStyle: Hashable, Sendable {
    /// The attributes of the text.
    public var attributes: Attributes
    /// The colour of the text; nil for the terminal's default.
    public var foreground: Color?
    /// The background colour; nil for the terminal's default.
    public var background: Color?

    /// Creates a style.
    public init(_ attributes: Attributes = [], foreground: Color? = nil, background: Color? = nil) {
        self.attributes = attributes
        self.foreground = foreground
        self.background = background
    }

    /// The text attributes that the emulator supports. It does not support faint text (SGR 2).
    public struct Attributes: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Bold text (SGR 1).
        public static let bold = Attributes(rawValue: 1)
        /// Underlined text of any kind (SGR 4).
        public static let underline = Attributes(rawValue: 2)
        /// Italic text (SGR 3).
        public static let italic = Attributes(rawValue: 4)
        /// Blinking text (SGR 5).
        public static let blink = Attributes(rawValue: 8)
        /// Foreground and background colours swapped (SGR 7).
        public static let reverse = Attributes(rawValue: 16)
        /// Struck-through text (SGR 9).
        public static let strike = Attributes(rawValue: 32)
    }

    /// A colour that a program has selected.
    public enum Color: Hashable, Sendable {
        /// One of the 256 colours of the palette: 1 is red, 2 is green, 6 is cyan.
        case palette(UInt8)
        /// A colour of red, green and blue, each from 0 to 255.
        case rgb(red: UInt8, green: UInt8, blue: UInt8)
    }
}

extension TerminalStyle: CustomStringConvertible {
    /// The style in words, such as "bold reverse, text 1".
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
