/// How many cells a terminal has.
public struct TerminalSize: Hashable, Sendable {
    /// Cells a row.
    public let columns: Int
    /// Rows.
    public let rows: Int

    /// A size, each side brought within 1 to 1,000.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), 1_000)
        self.rows = min(max(rows, 1), 1_000)
    }

    /// 80 columns and 24 rows, as terminals have had since the VT100.
    public static let standard = TerminalSize(columns: 80, rows: 24)
    /// 40 columns and 15 rows, on which everything should still be usable.
    public static let small = TerminalSize(columns: 40, rows: 15)
}
