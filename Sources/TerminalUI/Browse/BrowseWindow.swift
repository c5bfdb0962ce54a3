/// The consecutive rows of a view that are in memory: the selected row and the rows around it.
struct BrowseWindow {
    private(set) var rows: [BrowseRow] = []
    /// More rows above and below the window are read from these positions. A position is nil if there are no more rows.
    private var above: BrowseDemand.Start?
    private var below: BrowseDemand.Start?
    /// Whether there may be rows above that cannot be read yet. Rows above can be read only if at least one row is in
    /// memory, because an upward read starts at such a row.
    private var isAboveUnknown = false
    /// The number of rows above the rows in memory; nil if unknown.
    private var offset: Int?
    /// The index of the selected row.
    private(set) var selected = 0
    /// The index of the first visible row.
    private(set) var top = 0
    /// The id of the profile to select as soon as it is read.
    private var wanted: Int64?
    /// The index of the row to select among all rows of the view. Rows are read until this row is in memory.
    private var wantedIndex: Int?

    /// Creates a window that is read from one end of the view.
    init(from end: End = .first) {
        switch end {
        case .first:
            below = .first
            offset = 0
        case .last: above = .last
        }
    }

    enum End { case first, last }

    /// Creates a window that is read up to a row. If the number of rows is known, reading starts at the nearer end.
    ///
    /// - Parameters:
    ///   - index: The index of the row among all rows of the view.
    ///   - count: The number of all rows; nil if unknown.
    ///   - skips: Whether the rows before a distant row need not be read; see ``BrowseView/hasNumberedRows``.
    init(to index: Int, of count: Int?, skippingRows skips: Bool) {
        let index = count.map { min(index, max(0, $0 - 1)) } ?? index
        if skips, min(index, (count ?? .max) - index) > Self.mostRowsToPass {
            self.init()
            below = .row(index)
            offset = index
            isAboveUnknown = true
        } else if let count, index > count / 2 {
            self.init(from: .last)
            offset = count
        } else {
            self.init()
        }
        wantedIndex = index
    }

    /// Creates a window that is read from the user's previous position.
    init(at place: BrowseScreen.Place) {
        self.init()
        wanted = place.selected
        selected = place.row
        guard let above = place.placeAbove else { return }
        below = .after(above)
        offset = place.offset
        isAboveUnknown = true
    }

    var selectedRow: BrowseRow? { rows.indices.contains(selected) ? rows[selected] : nil }

    /// The number of the selected row, counted from 1; nil if unknown.
    var number: Int? { rows.isEmpty ? nil : offset.map { $0 + selected + 1 } }

    /// Sets the total number of rows. If no row follows below, the number of rows above is computed from the total
    /// number.
    mutating func learn(_ count: Int) { if below == nil, offset == nil, !rows.isEmpty { offset = count - rows.count } }

    /// The position before the first visible row; nil for the top of the view. If the rows above were not read yet,
    /// this is the position of the first visible row itself.
    var placeAboveTop: String? {
        if top > 0 { return rows[top - 1].place }
        guard case .before(let place) = above else { return nil }
        return place
    }

    /// The number of rows up to the position `placeAboveTop`; nil if unknown.
    var offsetOfTop: Int? {
        let isOwnPlace = top == 0 && !rows.isEmpty && placeAboveTop == rows[0].place
        return offset.map { $0 + top + (isOwnPlace ? 1 : 0) }
    }

    /// Marks the number of rows above as unknown.
    mutating func forgetOffset() {
        guard !isAtTop else { return }
        offset = nil
        wantedIndex = nil
    }

    /// Whether the rows up to the wanted row are still to be read.
    var isOnItsWay: Bool { wantedIndex != nil }

    /// The number of rows to read until the wanted row is reached; 0 if there is no such row.
    var rowsToWanted: Int {
        guard let wantedIndex, let offset else { return 0 }
        return wantedIndex < offset ? offset - wantedIndex : max(0, wantedIndex - offset - rows.count + 1)
    }

    /// Selects the row with an index among all rows of the view. Returns false if the row is not in memory.
    mutating func select(_ index: Int, height: Int) -> Bool {
        guard let offset, rows.indices.contains(index - offset) else { return false }
        move(by: index - offset - selected, height: height)
        return true
    }

    /// If the wanted row is in memory, selects it. Otherwise selects the row in memory that is nearest to it, so that
    /// rows on the other side are dropped first.
    private mutating func seekWantedRow() {
        guard let wantedIndex, let offset else { return }
        let index = wantedIndex - offset
        selected = max(0, min(index, rows.count - 1))
        let isEnd = index < 0 ? above == nil : below == nil
        if rows.indices.contains(index) || isEnd { self.wantedIndex = nil }
    }

    var isAtTop: Bool { above == nil && !isAboveUnknown }
    var isAtBottom: Bool { below == nil }

    /// Returns the start of the next read; nil if enough rows are in memory. Enough rows means: the user can move by
    /// several screens without waiting.
    func start(height: Int) -> BrowseDemand.Start? {
        let margin = Self.screensAhead * height
        if let wantedIndex, let offset { return wantedIndex < offset ? above : below }
        if let below, rows.count - selected < margin { return below }
        if let above, selected < margin { return above }
        return nil
    }

    /// Adds rows that were read, and drops rows that are far from the selected one.
    mutating func add(_ read: [BrowseRow], from start: BrowseDemand.Start, goingOn: String?, height: Int) {
        if start.isUpward {
            let isFirst = rows.isEmpty && below == nil
            rows.insert(contentsOf: read.reversed(), at: 0)
            selected += read.count
            top += read.count
            offset = offset.map { $0 - read.count }
            above = goingOn.map { .before($0) }
            if above == nil { offset = 0 }
            if isFirst { selected = max(0, rows.count - 1) }
        } else {
            rows += read
            below = goingOn.map { .after($0) }
            if isAboveUnknown, !rows.isEmpty || below == nil {
                above = rows.first.map { .before($0.place) } ?? .last
                isAboveUnknown = false
                // If there is no row at the wanted index, the number of rows is smaller than expected.
                if rows.isEmpty, wantedIndex != nil { forgetOffset() }
            }
        }
        selected = max(0, min(selected, rows.count - 1))
        if let found = rows.firstIndex(where: { $0.id == wanted }) {
            selected = found
            wanted = nil
        }
        seekWantedRow()
        trim(height, keepsTop: !start.isUpward)
        scroll(height)
    }

    private mutating func trim(_ height: Int, keepsTop: Bool) {
        let most = max(Self.mostRows, 4 * Self.screensAhead * height)
        guard rows.count > most else { return }
        let spare = rows.count - most
        // If the last read was downward, drop rows at the top. Otherwise drop rows at the bottom.
        if keepsTop {
            let count = min(spare, max(0, selected - Self.screensAhead * height))
            guard count > 0 else { return }
            above = .before(rows[count].place)
            rows.removeFirst(count)
            selected -= count
            top -= count
            offset = offset.map { $0 + count }
        } else {
            let count = min(spare, max(0, rows.count - 1 - selected - Self.screensAhead * height))
            guard count > 0 else { return }
            below = .after(rows[rows.count - 1 - count].place)
            rows.removeLast(count)
        }
    }

    /// Moves the selection by a number of rows. The selection stays within the rows in memory.
    mutating func move(by count: Int, height: Int) {
        wanted = nil
        selected = max(0, min(rows.count - 1, selected + count))
        scroll(height)
    }

    /// Scrolls by a number of rows. If the selected row would leave the screen, the nearest visible row is selected.
    mutating func scroll(by count: Int, _ height: Int) {
        wanted = nil
        top = max(0, min(top + count, rows.count - height))
        selected = max(0, min(max(top, min(selected, top + height - 1)), rows.count - 1))
    }

    /// Removes the row of a removed profile.
    mutating func remove(_ id: Int64, height: Int) {
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
        rows.remove(at: index)
        if index < selected || selected == rows.count { selected = max(0, selected - 1) }
        scroll(height)
    }

    /// Scrolls until the selected row is visible.
    mutating func scroll(_ height: Int) {
        let height = max(1, height)
        top = max(0, min(top, selected, rows.count - 1))
        if selected - top >= height { top = selected - height + 1 }
        // If there are rows above, show them instead of empty lines below the last row.
        if below == nil { top = max(0, min(top, rows.count - height)) }
    }

    /// The number of screens of rows that are read ahead of the selected row.
    private static let screensAhead = 3
    private static let mostRows = 2_000
    /// The maximum number of rows that are read from an end of the view to the wanted row. If there are more rows, and
    /// the view has numbered rows, reading starts at the wanted row.
    private static let mostRowsToPass = 1_000
}
