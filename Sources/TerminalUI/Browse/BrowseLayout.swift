/// What stands where on the screen of a table: the wider and higher it is, the more.
struct BrowseLayout {
    /// The row of the search; nil where there is no room.
    let search: Int?
    /// The row of the headings; nil where there is no room.
    let headings: Int?
    /// The first row of the table, and how many there are.
    let firstRow: Int
    let rows: Int
    /// The columns that the table has.
    let width: Int
    /// Where the selected profile is shown; nil where there is no room.
    let detail: Detail?
    /// What has happened, and the keys.
    let foot: Range<Int>

    struct Detail {
        let rows: Range<Int>
        let column: Int
        let width: Int
        /// Whether it is beside the table, and not below.
        let isBeside: Bool
    }

    init(_ size: ScreenSize, isSearching: Bool) {
        search = size.rows >= 8 || isSearching ? 1 : nil
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
