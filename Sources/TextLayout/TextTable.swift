/// Rows of cells in aligned columns, two spaces apart. Whatever is in a cell, it is safe to show: see `visible`.
package struct TextTable {
    package enum Alignment { case left, right }

    /// What stands over the columns; empty for a table without headings.
    package var headings: [String]
    private let alignments: [Alignment]
    private let widestCell: Int?
    private var rows: [[String]] = []

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
        rows.append(cells.map { $0.map(shown) ?? "–" })
    }

    private func shown(_ cell: String) -> String { widestCell.map { cell.visible(upTo: $0) } ?? cell.visible }

    /// The lines, none of which ends in spaces.
    package var lines: [String] {
        let all = headings.isEmpty ? rows : [headings.map(\.visible)] + rows
        var widths: [Int] = []
        for cells in all {
            widths += Array(repeating: 0, count: max(0, cells.count - widths.count))
            for (column, cell) in cells.enumerated() { widths[column] = max(widths[column], cell.displayWidth) }
        }
        return all.map { line($0, widths) }
    }

    /// The lines, each with a line end.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        // Spaces are written only when something follows them.
        var gap = 0
        for (column, cell) in cells.enumerated() {
            let padding = widths[column] - cell.displayWidth
            let isRight = column < alignments.count && alignments[column] == .right
            if isRight { gap += padding }
            if !cell.isEmpty {
                line += String(repeating: " ", count: gap) + cell
                gap = 0
            }
            gap += isRight ? 2 : padding + 2
        }
        return line
    }
}

/// Names and values, aligned, one a line: what there is to know of one thing.
package struct TextBlock {
    private var lines: [(name: String, value: String)?] = []

    package init() {}

    /// Adds a line; a missing value is shown as a dash.
    package mutating func add(_ name: String, _ value: String?) {
        lines.append((name.visible, value?.visible ?? "–"))
    }

    /// Sets what follows apart by an empty line.
    package mutating func addGap() { lines.append(nil) }

    /// The lines, each ending in a line end and none in spaces.
    package var text: String {
        let width = lines.compactMap { $0?.name.displayWidth }.max() ?? 0
        return lines.map { line in
            guard let line else { return "\n" }
            return (line.name.padded(to: width) + "  " + line.value).withoutTrailingSpaces + "\n"
        }.joined()
    }
}

extension String {
    fileprivate var withoutTrailingSpaces: String {
        guard let end = lastIndex(where: { $0 != " " }) else { return "" }
        return String(self[...end])
    }
}
