internal import TextLayout

/// The content of a screen as a value: a grid of cells and a caret. A wide character takes two cells.
package struct Frame: Equatable, Sendable {
    package let size: ScreenSize
    /// The position of the visible cursor; nil hides the cursor.
    package var caret: ScreenPosition?

    /// The cells, row by row.
    private(set) var cells: [Cell]

    /// Creates an empty frame.
    package init(_ size: ScreenSize) {
        self.size = size
        cells = Array(repeating: Cell(), count: size.columns * size.rows)
    }

    /// Writes text into a row, over the present content.
    ///
    /// Text is clipped to the screen and to `width` columns. If a wide character does not fit completely, it is
    /// omitted. If one half of a wide character is overwritten, the other half disappears too. Control characters are
    /// shown as symbols. Characters without a width are omitted.
    ///
    /// - Returns: The number of columns that the text occupies, including columns to the left of the screen.
    @discardableResult
    package mutating func write(
        _ text: String, row: Int, column: Int, style: Style = [], width: Int? = nil
    ) -> Int {
        guard (0..<size.rows).contains(row), column < size.columns, width ?? 1 > 0 else { return 0 }
        // The sum of `column` and `width` is capped at the screen's width, so it cannot overflow. The sums in the loop
        // cannot overflow either, because `position` never exceeds `end`.
        let end =
            width.map { column.addingReportingOverflow($0) }
            .map { $0.overflow ? size.columns : min(size.columns, $0.partialValue) } ?? size.columns
        var position = column
        for character in text {
            let shown = character.shownInFrame
            let characterWidth = shown.displayWidth
            guard characterWidth > 0 else { continue }
            guard position + characterWidth <= end else { break }
            if position >= 0 { put(shown, characterWidth, style, at: row * size.columns + position) }
            position += characterWidth
        }
        return position - column
    }

    /// The rows, joined by line ends and without trailing spaces.
    package var text: String {
        (0..<size.rows).map { row in
            let line = String(self[row: row].compactMap(\.character))
            return line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? ""
        }
        .joined(separator: "\n")
    }

    /// The cells of a row.
    package subscript(row row: Int) -> ArraySlice<Cell> { cells[row * size.columns..<(row + 1) * size.columns] }

    private mutating func put(_ character: Character, _ width: Int, _ style: Style, at index: Int) {
        // If one half of a wide character is overwritten, the other half cannot be shown, so it becomes a space.
        if cells[index].character == nil { cells[index - 1].character = " " }
        let next = index + width
        if next < cells.count, cells[next].character == nil { cells[next].character = " " }
        cells[index] = Cell(character: character, style: style)
        if width == 2 { cells[index + 1] = Cell(character: nil, style: style) }
    }
}

/// The content of one column of one row.
package struct Cell: Equatable, Sendable {
    /// The character; nil in the second column of a wide one.
    package var character: Character? = " "
    package var style: Style = []
}

extension Character {
    /// The character itself. A control character is replaced by a symbol, because control characters must not reach the
    /// terminal.
    fileprivate var shownInFrame: Character {
        guard let scalar = unicodeScalars.first else { return self }
        switch (scalar.properties.generalCategory, scalar.value) {
        // Unicode's block Control Pictures.
        case (.control, 0...0x1F): return Character(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
        case (.control, 0x7F): return "\u{2421}"
        case (.control, _), (.lineSeparator, _), (.paragraphSeparator, _): return "\u{FFFD}"
        // Right-to-left overrides and similar characters would also change other cells.
        case (.format, 0x202A...0x202E), (.format, 0x2066...0x2069): return "\u{FFFD}"
        default: break
        }
        // If this character ended with a joiner, a terminal would join the next cell to it.
        guard unicodeScalars.last == "\u{200D}", unicodeScalars.count > 1 else { return self }
        return Character(String(String.UnicodeScalarView(unicodeScalars.dropLast())))
    }
}
