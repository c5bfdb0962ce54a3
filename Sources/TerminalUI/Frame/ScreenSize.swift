/// The number of columns and rows of a screen.
package struct ScreenSize: Hashable, Sendable {
    package let columns: Int
    package let rows: Int

    /// Creates a size. The numbers of columns and rows are limited to the range from 0 to 1,000. Otherwise a wrong size
    /// from a terminal could cost gigabytes of memory.
    package init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 0), 1_000)
        self.rows = min(max(rows, 0), 1_000)
    }
}

/// A position on a screen; the first row and column are 0.
package struct ScreenPosition: Hashable, Sendable {
    package let row: Int
    package let column: Int

    package init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }
}
