// The search, the order and the filters of the table, and the visible part of its rows.
extension BrowseScreen {
    mutating func search(for text: String) {
        guard text != view.search else { return }
        view.search = text
        show()
    }

    /// Switches to the next sort order: ascending by the selected column, then descending, then the order of
    /// registration.
    mutating func sort() {
        let name = columns.selectedColumn.name
        switch view.order {
        case let order? where order.column == name && order.isDescending: view.order = nil
        case let order? where order.column == name: view.order = BrowseView.Order(column: name, isDescending: true)
        default: view.order = BrowseView.Order(column: name, isDescending: false)
        }
        show()
    }

    /// Shows only profiles that have the same value in the selected column as the selected profile, or only profiles
    /// that have another value.
    mutating func filterByCell(isExcluded: Bool) {
        guard let row = chosenRow() else { return }
        let name = columns.selectedColumn.name
        let value = row.cells[columns.selected]
        guard value.map(BrowseRow.isWhole) ?? true else {
            note = ScreenNote(text: "The value is too long for a filter")
            return
        }
        var conditions = view.conditions
        conditions.removeAll { $0.column == name && $0.value == value }
        conditions.append(BrowseView.Condition(column: name, value: value, isExcluded: isExcluded))
        guard conditions.count <= BrowseView.mostConditions else {
            note = ScreenNote(text: "There are too many filters: Esc takes back the last one")
            return
        }
        guard conditions != view.conditions else { return }
        view.conditions = conditions
        show()
    }

    mutating func filter() {
        let all = BrowseView.Filter.allCases
        let index = all.firstIndex(of: view.filter) ?? 0
        view.filter = all[(index + 1) % all.count]
        show()
    }

    /// Starts reading the view from its top.
    mutating func show() {
        isUnreadable = false
        countBefore = nil
        incoming = BrowseWindow()
    }

    /// Reads the visible rows again.
    mutating func reload() {
        isUnreadable = false
        let place = place
        countBefore = place.count
        counts = [:]
        incoming = BrowseWindow(at: place)
    }

    mutating func goTo(_ end: BrowseWindow.End) {
        switch end {
        case .first where window.isAtTop && incoming == nil:
            window.move(by: -window.rows.count, height: layout.rows)
        case .last where window.isAtBottom && incoming == nil:
            window.move(by: window.rows.count, height: layout.rows)
        default: incoming = BrowseWindow(from: end)
        }
    }

    /// Selects the row with a number, counted from 1. If there are fewer rows, selects the last one.
    mutating func goTo(row number: Int) {
        let index = max(0, number - 1)
        if incoming == nil, window.select(index, height: layout.rows) { return }
        incoming = BrowseWindow(to: index, of: counts[view], skippingRows: view.hasNumberedRows)
    }

    // MARK: The detail area

    /// The number of hidden lines above the visible lines of the detail area.
    var hiddenDetailLines: Int {
        guard let detailScroll, detailScroll.id == window.selectedRow?.id else { return 0 }
        return detailScroll.lines
    }

    mutating func scrollDetail(by count: Int) {
        guard let row = window.selectedRow, let detail = layout.detail else { return }
        let most = detailLines(of: row, width: detail.width).count - detail.textRows.count
        detailScroll = (row.id, max(0, min(hiddenDetailLines + count, most)))
    }

    // MARK: Columns

    /// Shows the columns as the user has arranged them, and returns a request to remember this arrangement. The user
    /// need not wait for the request, so the screen is not busy.
    mutating func rearrange(_ arrangement: ColumnArrangement) -> ScreenAction<Request>? {
        guard arrangement != columns.arrangement else { return nil }
        columns.arrangement = arrangement
        return .ask(.remember(arrangement))
    }
}
