/// Rows of cells in aligned columns, two spaces apart. Whatever is in a cell, it is safe to show: see `visible`.
package struct TextTable {
    package enum Alignment { case left, right }

    /// What stands over the columns; empty for a table without headings.
    package var headings: [String]
    private let alignments: [Alignment]
    private let widestCell: Int?
    private var rows: [[MarkedText]] = []

    /// Makes a table without rows.
    ///
    /// - Parameters:
    ///   - headings: What stands over the columns.
    ///   - alignments: By column; those without one are aligned to the left.
    ///   - widestCell: In columns of a terminal. What is wider is cut when it is added, so that the table takes little
    ///     memory whatever the cells hold.
    package init(_ headings: [String] = [], _ alignments: [Alignment] = [], widestCell: Int? = nil) {
        self.headings = headings
        self.alignments = alignments
        self.widestCell = widestCell
    }

    /// Adds a row, which may have fewer cells than others; a missing value is shown as a dash.
    package mutating func add(_ cells: [String?]) {
        rows.append(cells.map { $0.map { shown($0, []) } ?? Self.missing })
    }

    /// Adds a row of values of which parts are marked.
    package mutating func add(_ cells: [(value: String?, marks: [Range<String.Index>])]) {
        rows.append(cells.map { cell in cell.value.map { shown($0, cell.marks) } ?? Self.missing })
    }

    private func shown(_ cell: String, _ marks: [Range<String.Index>]) -> MarkedText {
        widestCell.map { MarkedText(cell, marks: marks, upTo: $0) } ?? MarkedText(cell, marks: marks)
    }

    private static let missing = MarkedText("–")

    // MARK: As text

    /// The lines, none of which ends in spaces, however wide they are.
    package var lines: [String] { lines(ColumnFit(columns())) }

    /// The lines, each with a line end.
    package var text: String { Self.text(lines) }

    /// What the columns would take and need.
    ///
    /// - Parameters:
    ///   - whole: Columns a part of whose cells would be misread.
    ///   - staying: Columns that fall out after the others.
    /// - Returns: The columns, to be fitted into a width.
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

    /// The lines of the columns that fit, each with a line end. Around marks stands what makes them seen.
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
        // Spaces are written only when something follows them.
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

/// Names and values, aligned, one a line: what there is to know of one thing.
package struct TextBlock {
    private var lines: [(name: String, value: MarkedText)?] = []

    package init() {}

    /// Adds a line; a missing value is shown as a dash.
    package mutating func add(_ name: String, _ value: String?, marks: [Range<String.Index>] = []) {
        lines.append((name.visible, MarkedText(value ?? "–", marks: marks)))
    }

    /// Sets what follows apart by an empty line.
    package mutating func addGap() { lines.append(nil) }

    /// The lines, each ending in a line end and none in spaces.
    package var text: String { text() }

    /// The same, with what makes marks seen around them.
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
