internal import TextLayout

// The mouse over the table.
extension BrowseScreen {
    /// A column whose right edge the user drags.
    struct DraggedEdge {
        /// The index of the column.
        let column: Int
        /// The distance of the mouse from the column's right edge when the button was pressed.
        let grip: Int
        var hasMoved = false
    }

    /// The last press of the button over a row.
    struct RowPress {
        let id: Int64
        let time: ContinuousClock.Instant
    }

    /// The maximum time between the two presses of a double click, as on most desktops.
    private static let doubleClickTime = Duration.milliseconds(500)

    mutating func take(_ event: MouseEvent) -> ScreenAction<Request>? {
        switch event.action {
        case .wheelUp, .wheelDown:
            guard let lines = Key.mouse(event).wheelLines else { return nil }
            if layout.detail?.contains(event.position) == true {
                scrollDetail(by: lines)
            } else {
                window.scroll(by: lines, layout.rows)
            }
        // While the user types, a click could lose the text.
        case .press where entry == nil || isSearching: return press(at: event.position)
        case .press: break
        case .drag: dragEdge(to: event.position.column)
        case .release: return releaseEdge()
        }
        return nil
    }

    private mutating func press(at position: ScreenPosition) -> ScreenAction<Request>? {
        draggedEdge = nil
        let layout = layout
        guard position.column < layout.width else { return nil }
        if position.row == layout.headings {
            pressHeading(at: position.column)
            return nil
        }
        let index = window.top + position.row - layout.firstRow
        guard (layout.firstRow..<layout.firstRow + layout.rows).contains(position.row),
            window.rows.indices.contains(index)
        else { return nil }
        entry = nil
        window.move(by: index - window.selected, height: layout.rows)
        return pressRow(isBeforeTable: position.column < Self.firstColumn)
    }

    /// Handles a press over the row that is now the selected one.
    private mutating func pressRow(isBeforeTable: Bool) -> ScreenAction<Request>? {
        guard let row = chosenRow() else { return nil }
        let last = lastPress
        lastPress = nil
        if isBeforeTable {
            toggleMark(of: row)
            return nil
        }
        guard let now else { return nil }
        if let last, last.id == row.id, last.time.duration(to: now) < Self.doubleClickTime {
            return ask(.edit(id: row.id, place))
        }
        lastPress = RowPress(id: row.id, time: now)
        return nil
    }

    // MARK: Headings

    /// The places of the shown table columns: the index of each column, the screen column at which it begins, and its
    /// width.
    private var headings: [(column: Int, start: Int, width: Int)] {
        var start = Self.firstColumn
        return columnFit(layout).places.map { place in
            defer { start += place.width + ColumnFit.gap }
            return (columns.shown[place.column], start, place.width)
        }
    }

    /// Sorts by the column if its heading was pressed. Begins to drag its right edge if the gap after the heading was
    /// pressed.
    private mutating func pressHeading(at position: Int) {
        for (column, start, width) in headings {
            let edge = start + width
            if (start..<edge).contains(position) {
                columns.select(columns[column].name)
                return sort()
            }
            if (edge..<edge + ColumnFit.gap).contains(position) {
                draggedEdge = DraggedEdge(column: column, grip: position - edge)
            }
        }
    }

    private mutating func dragEdge(to position: Int) {
        guard let edge = draggedEdge, let heading = headings.first(where: { $0.column == edge.column }) else { return }
        draggedEdge?.hasMoved = true
        columns.setWidth(of: edge.column, to: position - edge.grip - heading.start)
    }

    private mutating func releaseEdge() -> ScreenAction<Request>? {
        guard let edge = draggedEdge else { return nil }
        draggedEdge = nil
        return edge.hasMoved ? .ask(.remember(columns.arrangement)) : nil
    }
}

extension BrowseLayout.Detail {
    func contains(_ position: ScreenPosition) -> Bool {
        rows.contains(position.row) && (!isBeside || position.column >= column - 2)
    }
}
