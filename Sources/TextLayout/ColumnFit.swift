/// The layout of table columns within a width: which columns are shown, how wide each one is, and which ones are left
/// out.
///
/// Widths are in columns of a terminal. To save space, the layout first narrows the widest columns, down to a width
/// that can still be read. Then it leaves out columns without `mustStay`, from the right. If the remaining columns do
/// not fit yet, the layout narrows them below the readable width. If they still do not fit, it leaves out columns with
/// `mustStay`. The first column is never left out.
package struct ColumnFit: Hashable, Sendable {
    /// The full width and the minimum width of one column.
    package struct Column: Hashable, Sendable {
        /// The width that shows every cell and the heading in full.
        package let width: Int
        /// The smallest width at which the column can be read well.
        package let leastWidth: Int
        /// Whether this column is one of the last columns to be left out.
        package let mustStay: Bool

        /// Describes a column.
        ///
        /// - Parameters:
        ///   - heading: The heading of the column.
        ///   - widestCell: The width of the widest cell.
        ///   - isWhole: Whether cells should be shown in full, because a truncated cell could be misread. An example is
        ///     a column of numbers.
        ///   - mustStay: Whether this column is one of the last columns to be left out.
        package init(heading: String, widestCell: Int, isWhole: Bool = false, mustStay: Bool = false) {
            let heading = heading.visible.displayWidth
            width = max(heading, widestCell)
            let cells = isWhole ? widestCell : min(widestCell, Self.readableWidth)
            leastWidth = max(min(heading, Self.readableWidth), cells)
            self.mustStay = mustStay
        }

        /// Describes a column of a width that the user has chosen.
        package init(chosenWidth: Int, mustStay: Bool) {
            width = max(1, chosenWidth)
            leastWidth = width
            self.mustStay = mustStay
        }

        /// The width at which text can be read well. This width has room for two or three short words, or for most of a
        /// name.
        private static let readableWidth = 12
    }

    /// A shown column and its width.
    package struct Place: Hashable, Sendable {
        /// The index of the column.
        package let column: Int
        /// The width of the column, at least 1.
        package let width: Int
    }

    /// The shown columns, from left to right.
    package let places: [Place]
    /// The indices of the columns that are left out, from left to right.
    package let fallen: [Int]

    /// The number of spaces between two columns.
    package static let gap = 2
    /// The minimum width of a column that must stay. This width has room for a few letters and an ellipsis.
    private static let narrowest = 6

    /// Fits columns into a width. Nil means that the width is not limited.
    package init(_ columns: [Column], within width: Int? = nil) {
        let width = width ?? .max
        var shown = Array(columns.indices)
        func stays(_ index: Int) -> Bool { index == 0 || columns[index].mustStay }
        /// Removes columns from the right until the remaining columns fit, or until no column may be removed.
        func dropColumns(needing least: (Column) -> Int, where mayFall: (Int) -> Bool) {
            while Self.taken(shown.map { least(columns[$0]) }) > width, let last = shown.lastIndex(where: mayFall) {
                shown.remove(at: last)
            }
        }
        dropColumns(needing: \.leastWidth) { !stays($0) }
        dropColumns(needing: { min($0.leastWidth, Self.narrowest) }) { $0 != 0 }
        places = zip(shown, Self.widths(shown.map { columns[$0] }, within: width)).map { Place(column: $0, width: $1) }
        fallen = columns.indices.filter { !shown.contains($0) }
    }

    private static func taken(_ widths: [Int]) -> Int { widths.reduce(-gap) { $0 + $1 + gap } }

    /// Returns the widths of the shown columns. Each column gets its full width, but not more than a bound. The bound
    /// is the same for all columns. If the bound is smaller than the `leastWidth` of a column, the column gets its
    /// `leastWidth`.
    private static func widths(_ columns: [Column], within width: Int) -> [Int] {
        guard taken(columns.map(\.width)) > width else { return columns.map(\.width) }
        // If the columns do not fit even at their least widths, the minimum width of each column is lowered to
        // `narrowest`.
        let isEnough = taken(columns.map(\.leastWidth)) <= width
        let least = columns.map { isEnough ? $0.leastWidth : min($0.leastWidth, narrowest) }
        func bounded(by bound: Int) -> [Int] { zip(columns, least).map { max($1, min($0.width, bound)) } }
        var bound = 1
        while taken(bounded(by: bound + 1)) <= width { bound += 1 }
        var widths = bounded(by: bound)
        // The remaining terminal columns are distributed from the left. If a table column is narrower than its full
        // width, it gets one of these terminal columns.
        var rest = width - taken(widths)
        for index in columns.indices where rest > 0 && columns[index].width > widths[index] && widths[index] >= bound {
            widths[index] += 1
            rest -= 1
        }
        // If only the first column is shown, it may become narrower than its minimum width.
        if widths.count == 1 { widths[0] = max(1, min(widths[0], width)) }
        return widths
    }
}
