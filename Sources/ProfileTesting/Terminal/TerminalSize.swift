/// The size of a terminal in cells.
public struct TerminalSize: Hashable, Sendable {
    /// The number of cells in a row.
    public let columns: Int
    /// The number of rows.
    public let rows: Int

    /// Creates a size. Each number is clamped to the range from 1 to 1,000.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), 1_000)
        self.rows = min(max(rows, 1), 1_000)
    }

    /// The usual size of a terminal since the VT100: 80 columns and 24 rows.
    public static let standard = TerminalSize(columns: 80, rows: 24)
    /// A small size at which all screens should still be usable: 40 columns and 15 rows.
    public static let small = TerminalSize(columns: 40, rows: 15)
}
