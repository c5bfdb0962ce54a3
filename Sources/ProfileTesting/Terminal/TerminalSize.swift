/// The size of a terminal in cells.
public struct TerminalSize: Hashable, Sendable {
    /// The number of cells in a row.
    public let columns: Int
    /// The number of rows.
    public let rows: Int

    /// Creates a size. Both numbers are limited to 1 to 1,000.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), 1_000)
        self.rows = min(max(rows, 1), 1_000)
    }

    /// 80 columns and 24 rows, as terminals have had since the VT100.
    public static let standard = TerminalSize(columns: 80, rows: 24)
    /// 40 columns and 15 rows, on which everything should still be usable.
    public static let small = TerminalSize(columns: 40, rows: 15)
}
