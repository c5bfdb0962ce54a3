internal import TextLayout

/// The layout of the table screen. A larger screen shows more parts.
struct BrowseLayout {
    /// The row of the search line; nil if there is no room.
    let search: Int?
    /// The row of the headings; nil if there is no room.
    let headings: Int?
    /// The first row of the table; `rows` is the number of its rows.
    let firstRow: Int
    let rows: Int
    /// The width of the table in terminal columns.
    let width: Int
    /// The area that shows the selected profile; nil if there is no room.
    let detail: Detail?
    /// The rows at the bottom for a note and the key hints.
    let foot: Range<Int>

    struct Detail {
        let rows: Range<Int>
        let column: Int
        let width: Int
        /// Whether the area is beside the table instead of below it.
        let isBeside: Bool

        /// The rows of the text. If the area is below the table, its first row separates it from the table.
        var textRows: Range<Int> { isBeside ? rows : rows.dropFirst() }
    }

    init(_ size: ScreenSize, isTyping: Bool) {
        search = size.rows >= 8 || isTyping ? 1 : nil
        let above = search == nil ? 1 : 2
        headings = size.rows >= 4 ? above : nil
        firstRow = headings == nil ? above : above + 1
        let footRows = size.rows >= 8 ? 2 : size.rows >= 5 ? 1 : 0
        foot = max(firstRow, size.rows - footRows)..<max(firstRow, size.rows)
        let isBeside = size.columns >= Self.columnsForDetail
        width = isBeside ? size.columns - Self.detailColumns : size.columns
        let end = foot.lowerBound - (!isBeside && size.rows >= Self.rowsForDetail ? Self.detailRows : 0)
        rows = max(1, end - firstRow)
        if isBeside {
            detail = Detail(
                rows: above..<foot.lowerBound, column: width + 2, width: Self.detailColumns - 3, isBeside: true)
        } else if end < foot.lowerBound {
            detail = Detail(
                rows: end..<foot.lowerBound, column: 1, width: max(0, size.columns - 2), isBeside: false)
        } else {
            detail = nil
        }
    }

    private static let columnsForDetail = 100
    private static let detailColumns = 40
    private static let rowsForDetail = 18
    private static let detailRows = 6
}

extension Frame {
    /// Draws a line across the screen.
    mutating func drawRule(row: Int) {
        write(String(repeating: "─", count: max(0, size.columns - 2)), row: row, column: 1, style: .dim)
    }

    /// Draws a label and a text after it. If the user types the text, also sets the caret.
    mutating func drawEntry(_ label: String, _ text: String, row: Int, isActive: Bool = true) {
        let start = 1 + write(label, row: row, column: 1, style: isActive ? .bold : .dim)
        // If the text is long, show its end, because the user types there.
        let whole = text.visible
        let shown = whole[whole.start(before: whole.endIndex, within: max(0, size.columns - start - 2))...]
        let typed = write(String(shown), row: row, column: start, style: isActive ? .underline : [])
        if isActive { caret = ScreenPosition(row: row, column: start + typed) }
    }

    /// Draws the headings of a table from a column of the screen, and the number of table columns that are left out.
    ///
    /// - Parameters:
    ///   - fit: The columns.
    ///   - layout: The layout of the screen.
    ///   - start: The column of the screen at which the first heading begins.
    ///   - hint: A text about the columns that are left out. If there is no room for this text above the headings, the
    ///     number of these columns is drawn beside the headings.
    ///   - heading: Returns the heading of a column.
    mutating func drawHeadings(
        _ fit: ColumnFit, _ layout: BrowseLayout, from start: Int, hint: String? = nil,
        _ heading: (Int) -> (text: String, style: Style, isRight: Bool)
    ) {
        guard let row = layout.headings else { return }
        var start = start
        for place in fit.places {
            let (text, style, isRight) = heading(place.column)
            let shown = text.visible(upTo: place.width)
            let indent = isRight ? place.width - shown.displayWidth : 0
            write(shown, row: row, column: start + indent, style: style)
            start += place.width + ColumnFit.gap
        }
        guard !fit.fallen.isEmpty else { return }
        if let hint, let row = layout.search {
            let first = layout.width - 2 - hint.displayWidth
            // The hint must not cover the end of a long search text in the same row.
            if first > 0, self[row: row].prefix(layout.width).dropFirst(first).allSatisfy(\.isBlankOrRule) {
                write(" " + hint, row: row, column: first, style: .dim)
                return
            }
        }
        guard start + 3 <= layout.width else { return }
        write("+\(fit.fallen.count)", row: row, column: start, style: .dim)
    }

    /// Draws the lines of the area beside or below a table, and a line that separates it from the table. The first
    /// `hidden` lines are left out. An ellipsis stands where there are more lines above or below.
    mutating func draw(_ lines: [PanelLine], in detail: BrowseLayout.Detail, hiding hidden: Int = 0) {
        if detail.isBeside {
            for row in detail.rows { write("│", row: row, column: detail.column - 2, style: .dim) }
        } else {
            let line = String(repeating: "─", count: detail.width)
            write(line, row: detail.rows.lowerBound, column: detail.column, style: .dim)
        }
        let rows = detail.textRows
        let lines = lines.dropFirst(max(0, min(hidden, lines.count - rows.count)))
        for (row, line) in zip(rows, lines) {
            write(line.text, row: row, column: detail.column, style: line.style, width: detail.width)
        }
        if lines.startIndex > 0, let first = rows.first {
            write("…", row: first, column: detail.column + detail.width - 1, style: .dim)
        }
        if lines.count > rows.count, let last = rows.last {
            write("…", row: last, column: detail.column + detail.width - 1, style: .dim)
        }
    }
}

extension Cell {
    fileprivate var isBlankOrRule: Bool { character == " " || character == "─" }
}
