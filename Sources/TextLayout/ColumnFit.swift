/// Columns side by side in a bounded width: which are shown and how wide they are, and which fell out.
///
/// Columns become narrower before any falls out, the widest first, as long as they can be read; then they fall out from the
/// right. Those that must stay, and the first, become narrower than can be read well before they fall out too; the first
/// never does. Widths are in columns of a terminal.
package struct ColumnFit: Hashable, Sendable {
    /// What a column would take, and what it needs.
    package struct Column: Hashable, Sendable {
        /// Shows all that is in it, its heading included.
        package let width: Int
        /// Can be read well enough.
        package let leastWidth: Int
        /// Whether others fall out before it does.
        package let mustStay: Bool

        /// Describes a column.
        ///
        /// - Parameters:
        ///   - heading: What stands over it.
        ///   - widestCell: What its widest cell takes.
        ///   - isWhole: Whether a part of a cell would be misread, as it would of a number.
        ///   - mustStay: Whether others fall out before it does.
        package init(heading: String, widestCell: Int, isWhole: Bool = false, mustStay: Bool = false) {
            let heading = heading.visible.displayWidth
            width = max(heading, widestCell)
            let cells = isWhole ? widestCell : min(widestCell, Self.readableWidth)
            leastWidth = max(min(heading, Self.readableWidth), cells)
            self.mustStay = mustStay
        }

        /// Two or three short words, or the better part of a name.
        private static let readableWidth = 12
    }

    /// A column that is shown.
    package struct Place: Hashable, Sendable {
        /// Which of the columns it is.
        package let column: Int
        /// How wide it is, at least 1.
        package let width: Int
    }

    /// From left to right.
    package let places: [Place]
    /// Which of the columns are not shown, from left to right.
    package let fallen: [Int]

    /// How far columns stand apart.
    package static let gap = 2
    /// A few letters and an ellipsis: columns that must stay are no narrower.
    private static let narrowest = 6

    /// Fits columns into a width; nil for as much as they take.
    package init(_ columns: [Column], within width: Int? = nil) {
        let width = width ?? .max
        var shown = Array(columns.indices)
        func stays(_ index: Int) -> Bool { index == 0 || columns[index].mustStay }
        /// Takes columns out from the right until the others have room, as far as they may be taken.
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

    /// The widths of columns that are all shown: what they would take up to a bound that is the same for all, and what they
    /// need where that is more.
    private static func widths(_ columns: [Column], within width: Int) -> [Int] {
        guard taken(columns.map(\.width)) > width else { return columns.map(\.width) }
        // Where not even what they need has room, each has a part of it.
        let isEnough = taken(columns.map(\.leastWidth)) <= width
        let least = columns.map { isEnough ? $0.leastWidth : min($0.leastWidth, narrowest) }
        func bounded(by bound: Int) -> [Int] { zip(columns, least).map { max($1, min($0.width, bound)) } }
        var bound = 1
        while taken(bounded(by: bound + 1)) <= width { bound += 1 }
        var widths = bounded(by: bound)
        // What is left over goes to the first that can use it.
        var rest = width - taken(widths)
        for index in columns.indices where rest > 0 && columns[index].width > widths[index] && widths[index] >= bound {
            widths[index] += 1
            rest -= 1
        }
        // The first stays whatever the width.
        if widths.count == 1 { widths[0] = max(1, min(widths[0], width)) }
        return widths
    }
}
