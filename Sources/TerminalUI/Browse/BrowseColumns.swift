internal import TextLayout

/// The user's choice of columns for the table of a store. Fields that the choice does not name come last, and
/// are shown.
package struct ColumnArrangement: Hashable, Sendable {
    /// The names of columns, in their order.
    package var order: [String] = []
    /// The names of the hidden columns.
    package var hidden: Set<String> = []
    /// The chosen widths in columns of the terminal, by the name of the column.
    package var widths: [String: Int] = [:]

    package init() {}

    /// Returns the indices of all columns in the chosen order, hidden ones too.
    func order(of columns: [BrowseColumn]) -> [Int] {
        var places: [String: Int] = [:]
        for (place, name) in order.enumerated() where places[name] == nil { places[name] = place }
        func place(_ index: Int) -> (Int, Int) { (places[columns[index].name] ?? order.count, index) }
        return columns.indices.sorted { place($0) < place($1) }
    }
}

/// The columns of the table: which ones are shown, in which order, how wide they are, and which one is selected.
struct BrowseColumns {
    /// All columns, one for each cell of a row; at least one.
    private(set) var all: [BrowseColumn]
    var arrangement: ColumnArrangement { didSet { arrange() } }
    /// The indices of the shown columns, from left to right; at least one.
    private(set) var shown: [Int] = []
    /// The index of the selected column, which is shown. If the user presses the key for sorting, the table is sorted by
    /// this column.
    private(set) var selected: Int
    /// The width of the widest cell of each column so far. Widths never shrink, so the columns do not move back and
    /// forth.
    private(set) var widths: [Int]

    init(_ all: [BrowseColumn], arrangement: ColumnArrangement, selecting name: String?) {
        self.all = all
        self.arrangement = arrangement
        widths = Array(repeating: 0, count: all.count)
        selected = -1
        arrange()
        select(name)
    }

    subscript(index: Int) -> BrowseColumn { all[index] }

    var selectedColumn: BrowseColumn { all[selected] }

    /// The names of the shown columns, from left to right. Nil if the user has not changed the columns.
    var chosenNames: [String]? { shown == Array(all.indices) ? nil : shown.map { all[$0].name } }

    private mutating func arrange() {
        let order = arrangement.order(of: all)
        shown = order.filter { !arrangement.hidden.contains(all[$0].name) }
        // A change of the rules may remove all columns that the user has not hidden. Then all columns are shown.
        if shown.isEmpty { shown = order }
        if !shown.contains(selected) { selected = shown[0] }
    }

    /// Selects the column with a name, if it is shown.
    mutating func select(_ name: String?) {
        if let index = shown.first(where: { all[$0].name == name }) { selected = index }
    }

    /// Moves the selection to the right by a number of columns. A negative number moves it to the left.
    mutating func move(by count: Int) {
        let place = shown.firstIndex(of: selected) ?? 0
        selected = shown[max(0, min(shown.count - 1, place + count))]
    }

    /// Sets the width that the user has chosen for a column. A column of numbers stays at least as wide as its widest
    /// number.
    mutating func setWidth(of index: Int, to width: Int) {
        let least = max(Self.narrowestColumn, all[index].isNumber ? widths[index] : 0)
        arrangement.widths[all[index].name] = max(least, min(width, Self.widestColumn))
    }

    /// The width that the user has chosen for a column; nil if the width follows from the cells.
    func chosenWidth(of index: Int) -> Int? {
        arrangement.widths[all[index].name].map { width in
            max(all[index].isNumber ? widths[index] : 1, min(width, Self.widestColumn))
        }
    }

    /// The limits of a chosen width.
    private static let narrowestColumn = 3
    private static let widestColumn = 200

    /// Widens the columns for the cells of a row.
    mutating func makeRoom(for row: BrowseRow) {
        for (column, cell) in zip(all.indices, row.cells) {
            widths[column] = max(widths[column], min(cell?.visible.displayWidth ?? 1, Self.widestCell))
        }
    }

    /// The maximum width of a table column, in columns of the terminal. Without this limit, one long value could push
    /// all other columns off the screen.
    private static let widestCell = 64
}
