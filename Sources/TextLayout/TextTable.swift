/// Rows of cells in aligned columns, two spaces apart. Cell text is always made safe to show: see `visible`.
package struct TextTable {
    package enum Alignment { case left, right }

    /// The column headings; empty for a table without headings.
    package var headings: [String]
    private let alignments: [Alignment]
    private let widestCell: Int?
    private var rows: [[MarkedText]] = []

    /// Creates a table without rows.
    ///
    /// - Parameters:
    ///   - headings: The column headings.
    ///   - alignments: The alignment of each column. Columns without an entry are left-aligned.
    ///   - widestCell: The maximum cell width in terminal columns. Wider text is cut when it is added, so the table
    ///     needs little memory even for long texts.
    package init(_ headings: [String] = [], _ alignments: [Alignment] = [], widestCell: Int? = nil) {
        self.headings = headings
        self.alignments = alignments
        self.widestCell = widestCell
    }

    /// Adds a row. Rows can have different numbers of cells. A missing value is shown as a dash.
    package mutating func add(_ cells: [String?]) {
        rows.append(cells.map { $0.map { shown($0, []) } ?? Self.missing })
    }

    /// Adds a row of values with marked parts.
    package mutating func add(_ cells: [(value: String?, marks: [Range<String.Index>])]) {
        rows.append(cells.map { cell in cell.value.map { shown($0, cell.marks) } ?? Self.missing })
    }

    private func shown(_ cell: String, _ marks: [Range<String.Index>]) -> MarkedText {
        widestCell.map { MarkedText(cell, marks: marks, upTo: $0) } ?? MarkedText(cell, marks: marks)
    }

    private static let missing = MarkedText("–")

    // MARK: As text

    /// The lines at full width, without trailing spaces.
    package var lines: [String] { lines(ColumnFit(columns())) }

    /// The lines, each with a line end.
    package var text: String { Self.text(lines) }

    /// Returns the full width and the minimum width of each column.
    ///
    /// - Parameters:
    ///   - whole: The columns whose cells should be shown in full, because a truncated cell could be misread.
    ///   - staying: The columns that are left out last if the table is too wide.
    /// - Returns: The columns, as input for ``ColumnFit``.
    package func columns(whole: Set<Int> = [], staying: Set<Int> = []) -> [ColumnFit.Column] {
        var widths: [Int] = []
        for cells in rows {
            widths += Array(repeating: 0, count: max(0, cells.count - widths.count))
            for (column, cell) in cells.enumerated() { widths[column] = max(widths[column], cell.displayWidth) }
        }
        return (0..<max(widths.count, headings.count)).map { column in
            ColumnFit.Column(
                heading: column < headings.count ? headings[column] : "",
                widestCell: column < widths.count ? widths[column] : 0, isWhole: whole.contains(column),
                mustStay: staying.contains(column))
        }
    }

    /// Returns the lines, each with a line end. The lines contain the columns that `fit` shows. `marking` contains a
    /// text to insert before each mark, and a text to insert after each mark.
    package func text(_ fit: ColumnFit, marking: (start: String, end: String) = ("", "")) -> String {
        Self.text(lines(fit, marking: marking))
    }

    private func lines(_ fit: ColumnFit, marking: (start: String, end: String) = ("", "")) -> [String] {
        let all = headings.isEmpty ? rows : [headings.map { MarkedText($0) }] + rows
        return all.map { line($0, fit, marking) }
    }

    private static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    private func line(_ cells: [MarkedText], _ fit: ColumnFit, _ marking: (start: String, end: String)) -> String {
        var line = ""
        // Spaces are written only when text follows them.
        var gap = 0
        for place in fit.places where place.column < cells.count {
            let cell = cells[place.column].cut(to: place.width)
            let padding = place.width - cell.displayWidth
            let isRight = place.column < alignments.count && alignments[place.column] == .right
            if isRight { gap += padding }
            if !cell.text.isEmpty {
                line += String(repeating: " ", count: gap) + cell.text(from: marking.start, to: marking.end)
                gap = 0
            }
            gap += isRight ? ColumnFit.gap : padding + ColumnFit.gap
        }
        return line
    }
}

/// A list of properties in two aligned columns: each line shows a name and its value.
package struct TextBlock {
    private var lines: [(name: String, value: MarkedText)?] = []

    package init() {}

    /// Adds a line; a missing value is shown as a dash.
    package mutating func add(_ name: String, _ value: String?, marks: [Range<String.Index>] = []) {
        lines.append((name.visible, MarkedText(value ?? "–", marks: marks)))
    }

    /// Adds an empty line.
    package mutating func addGap() { lines.append(nil) }

    /// The lines, each with a line end and without trailing spaces.
    package var text: String { text() }

    /// Returns ``text`` with marks: each mark has the first text of `marking` before it, and the second text after it.
    package func text(marking: (start: String, end: String) = ("", "")) -> String {
        let width = lines.compactMap { $0?.name.displayWidth }.max() ?? 0
        return lines.map { line in
            guard let line else { return "\n" }
            let value = line.value.text(from: marking.start, to: marking.end)
            return (line.name.padded(to: width) + "  " + value).withoutTrailingSpaces + "\n"
        }.joined()
    }
}

extension String {
    fileprivate var withoutTrailingSpaces: String {
        guard let end = lastIndex(where: { $0 != " " }) else { return "" }
        return String(self[...end])
    }
}
