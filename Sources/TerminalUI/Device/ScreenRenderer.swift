internal import TextLayout

/// Produces the bytes that change the screen from one frame to the next. The terminal must support ECMA-48 cursor
/// positions.
///
/// Only cells that differ are written. To prevent flicker, the output is enclosed in DEC's private modes 25 (cursor)
/// and 2026 (synchronised output). A terminal ignores modes that it does not know. Automatic wrapping must be off.
struct ScreenRenderer {
    private var bytes: [UInt8] = []
    private let usesColor: Bool
    /// The terminal's current style.
    private var style: Style = []

    /// Returns the bytes that change the screen from the previous frame to the next one. If `previous` is nil or has
    /// another size, the whole screen is drawn. If the frames are equal, there are no bytes. Without colour, `error`,
    /// `success` and `accent` look like other text.
    static func bytes(from previous: Frame?, to next: Frame, usesColor: Bool) -> [UInt8] {
        let known = previous.flatMap { $0.size == next.size ? $0 : nil }
        guard known != next else { return [] }
        var renderer = ScreenRenderer(usesColor: usesColor)
        // If the array had to grow, copies of a secret would stay in memory.
        if next.cells.contains(where: { $0.style.contains(.secret) }) {
            renderer.bytes.reserveCapacity(1_024 + 32 * next.cells.count)
        }
        renderer.append("\u{1B}[?2026h\u{1B}[?25l")
        if known == nil { renderer.append("\u{1B}[0m\u{1B}[2J") }
        let shown = known ?? Frame(next.size)
        for row in 0..<next.size.rows { renderer.draw(row, from: shown[row: row], to: next[row: row]) }
        renderer.change(to: [])
        if let caret = next.caret, caret.row >= 0, caret.row < next.size.rows, caret.column >= 0,
            caret.column < next.size.columns
        {
            renderer.move(row: caret.row, column: caret.column)
            renderer.append("\u{1B}[?25h")
        }
        renderer.append("\u{1B}[?2026l")
        return renderer.bytes
    }

    private init(usesColor: Bool) { self.usesColor = usesColor }

    private mutating func draw(_ row: Int, from shown: ArraySlice<Cell>, to next: ArraySlice<Cell>) {
        // The column of the cursor in this row; nil if it is uncertain.
        var cursor: Int?
        var drawsRest = false
        for (column, (old, new)) in zip(shown, next).enumerated() {
            // The second column of a wide character is written with the first.
            guard let character = new.character else { continue }
            let width = character.displayWidth
            guard drawsRest || old != new || width == 2 && shown.second(after: column) != next.second(after: column)
            else {
                continue
            }
            if cursor != column { move(row: row, column: column) }
            change(to: new.style)
            if character.hasCertainWidth {
                append(character)
                cursor = column + width
            } else {
                // If the terminal draws the character in fewer columns than `width`, the remaining columns are blank.
                // If the terminal draws the character in more columns, the next cells overwrite the extra columns.
                append(width == 2 ? "  " : " ")
                move(row: row, column: column)
                // At the end of a row, some terminals would move the character to the next row, although wrapping is
                // off. The character would then overwrite the next row.
                let fits = column + character.widthOfScalars <= next.count
                append(fits ? character : character.unicodeScalars.first.map(Character.init) ?? " ")
                cursor = nil
                drawsRest = true
            }
        }
    }

    private mutating func move(row: Int, column: Int) { append("\u{1B}[\(row + 1);\(column + 1)H") }

    /// Selects the graphic rendition if it differs from the current one.
    private mutating func change(to wanted: Style) {
        let wanted = wanted.subtracting(usesColor ? .secret : [.secret, .error, .success, .accent])
        guard wanted != style else { return }
        style = wanted
        append("\u{1B}[0")
        for (style, code) in Self.codes where wanted.contains(style) { append(code) }
        append("m")
    }

    /// The standard colours. The terminal's theme makes them readable on its background.
    private static let codes: [(Style, String)] = [
        (.bold, ";1"), (.dim, ";2"), (.underline, ";4"), (.reverse, ";7"),
        (.error, ";31"), (.success, ";32"), (.accent, ";36"),
    ]

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(_ character: Character) { bytes.append(contentsOf: character.utf8) }
}

extension ArraySlice<Cell> {
    /// The cell to the right of a column of this row.
    fileprivate func second(after column: Int) -> Cell? {
        let index = startIndex + column + 1
        return index < endIndex ? self[index] : nil
    }
}
