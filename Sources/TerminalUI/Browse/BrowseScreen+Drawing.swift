package import ProfileCore
internal import TextLayout

// The drawing of the table.
extension BrowseScreen {
    /// The layout for the current size.
    var layout: BrowseLayout { BrowseLayout(size, isTyping: entry != nil) }

    /// The number of rows that the table shows at the same time.
    package var rowsOfTable: Int { layout.rows }

    package func draw(into frame: inout Frame) {
        if let text { return text.draw(into: &frame) }
        let layout = BrowseLayout(frame.size, isTyping: entry != nil)
        drawHead(into: &frame, layout)
        let fit = columnFit(layout)
        frame.drawHeadings(fit, layout, from: Self.firstColumn, hint: hint(of: fit)) { place in
            let index = columns.shown[place]
            return (
                heading(index), index == columns.selected ? [.bold, .underline] : .bold, columns[index].isNumber
            )
        }
        for index in 0..<layout.rows where window.top + index < window.rows.count {
            draw(
                window.rows[window.top + index], into: &frame, at: layout.firstRow + index, layout, fit,
                isSelected: window.top + index == window.selected)
        }
        if window.rows.isEmpty, !isReading {
            frame.write(emptyText, row: layout.firstRow, column: 2, style: .dim, width: layout.width - 3)
        }
        if let detail = layout.detail {
            let lines = window.selectedRow.map { detailLines(of: $0, width: detail.width) } ?? []
            frame.draw(lines, in: detail, hiding: hiddenDetailLines)
        }
        drawFoot(into: &frame, layout)
        question?.choice.draw(into: &frame)
        chooser?.draw(into: &frame)
    }

    /// The column of the terminal at which the table begins. Before it are the marks.
    static let firstColumn = 2

    private var emptyText: String {
        guard view.search.isEmpty, view.conditions.isEmpty else { return "Nothing is found" }
        return view.filter == .everything
            ? "There are no profiles yet: n registers one" : "No profile is \(view.filter.rawValue)"
    }

    private func drawHead(into frame: inout Frame, _ layout: BrowseLayout) {
        let width = max(0, frame.size.columns - 2)
        let status = status
        let title = "Profiles"
        // If there is no room for both the title and the status, only the status is shown, because it is more useful.
        if status.displayWidth + title.displayWidth + 2 <= width {
            frame.write(title, row: 0, column: 1, style: .bold)
        }
        frame.write(status, row: 0, column: max(1, width + 1 - status.displayWidth), style: .dim, width: width)
        guard let row = layout.search else { return }
        switch entry {
        case .rowNumber(let digits): return frame.drawEntry("Go to row: ", digits, row: row)
        case .setting(let text): return frame.drawEntry("Set in \(selectionText): ", text, row: row)
        case .file(let text): return frame.drawEntry("Export \(exportText) to the file: ", text, row: row)
        case .search, nil: break
        }
        guard isSearching || !view.search.isEmpty else {
            return frame.drawRule(row: row)
        }
        frame.drawEntry("Search: ", view.search, row: row, isActive: isSearching)
    }

    /// The number of the selected row, the number of rows, the filter and the order.
    private var status: String {
        var parts: [String] = []
        let count = counts[view]
        if !marked.isEmpty { parts.append("\(marked.count.grouped) selected") }
        if isReading {
            parts.append("reading …")
        } else if let number = window.number {
            parts.append(number.grouped + (count.map { " of " + $0.grouped } ?? ""))
        } else if let count {
            parts.append(count.grouped)
        }
        if view.filter != .everything { parts.append(view.filter.rawValue) }
        parts += view.conditions.map { condition in
            let title = title(ofColumn: condition.column)
            guard let value = condition.value else { return title + (condition.isExcluded ? " not empty" : " empty") }
            return "\(title) \(condition.isExcluded ? "≠" : "=") \(value.visible(upTo: Self.widestCondition))"
        }
        if let order = view.order {
            parts.append("by \(title(ofColumn: order.column)) \(order.isDescending ? "↓" : "↑")")
        }
        return parts.joined(separator: " · ")
    }

    private func title(ofColumn name: String) -> String {
        (columns.all.first { $0.name == name }?.title ?? name).visible
    }

    /// The maximum width of the value of a condition.
    private static let widestCondition = 24

    // MARK: The table

    /// The number of columns that are left out, with an arrow. The arrow points to the right if at least one of them is
    /// to the right of the selected column. Otherwise it points to the left.
    private func hint(of fit: ColumnFit) -> String {
        let count = fit.fallen.count
        let text = "\(count.grouped) more \(count == 1 ? "column" : "columns")"
        return fit.fallen.contains { $0 > columns.shown.firstIndex(of: columns.selected) ?? 0 }
            ? text + " →" : "← " + text
    }

    /// The layout of the shown columns. Its indices are those of ``BrowseColumns/shown``.
    func columnFit(_ layout: BrowseLayout) -> ColumnFit {
        let seen = window.rows[min(window.top, window.rows.count)...].prefix(layout.rows)
        let fitted = columns.shown.map { index in
            let column = columns[index]
            let isWanted =
                index == columns.selected || column.isKey || column.name == view.order?.column
                || seen.contains { isFound($0.cells[index]) }
            if let width = columns.chosenWidth(of: index) {
                return ColumnFit.Column(chosenWidth: width, mustStay: isWanted)
            }
            return ColumnFit.Column(
                heading: heading(index), widestCell: columns.widths[index], isWhole: column.isNumber, mustStay: isWanted
            )
        }
        return ColumnFit(fitted, within: max(1, layout.width - 3))
    }

    /// Whether a cell contains the searched text.
    private func isFound(_ cell: String?) -> Bool {
        guard let cell, !shownView.search.isEmpty else { return false }
        return FoldedText(shownView.search).isContained(in: cell.utf8.span)
    }

    private func heading(_ index: Int) -> String {
        guard let order = view.order, order.column == columns[index].name else { return columns[index].title.visible }
        return columns[index].title.visible + (order.isDescending ? " ↓" : " ↑")
    }

    private func draw(
        _ row: BrowseRow, into frame: inout Frame, at line: Int, _ layout: BrowseLayout, _ fit: ColumnFit,
        isSelected: Bool
    ) {
        let style: Style = isSelected ? .reverse : []
        if isSelected {
            frame.write(String(repeating: " ", count: max(0, layout.width - 1)), row: line, column: 0, style: style)
        }
        if marked.contains(row.id) { frame.write("•", row: line, column: 1, style: style.union([.accent, .bold])) }
        if !row.issues.isEmpty { frame.write("!", row: line, column: 0, style: style.union([.error, .bold])) }
        let wanted = FoldedText(shownView.search)
        var start = Self.firstColumn
        for place in fit.places {
            let index = columns.shown[place.column]
            let cell = row.cells[index].map {
                MarkedText($0, marks: wanted.ranges(in: $0), upTo: place.width)
            }
            let shown = cell ?? MarkedText("–")
            var column = start
            if columns[index].isNumber { column += max(0, place.width - shown.displayWidth) }
            for part in shown.parts {
                column += frame.write(
                    String(part.text), row: line, column: column,
                    style: part.isMarked ? style.union([.bold, .accent]) : style, width: start + place.width - column)
            }
            start += place.width + ColumnFit.gap
        }
    }

    // MARK: The selected profile

    func detailLines(of row: BrowseRow, width: Int) -> [PanelLine] {
        var lines = [PanelLine(row.name.visible(upTo: width), .bold)]
        for issue in row.issues {
            lines += ("✗ " + issue.visible).wrapped(to: width).map { PanelLine($0, .error) }
        }
        // The name is already shown above. Matches come first because there may not be room for all fields.
        let cells = zip(columns.all, row.cells).filter { $1 != row.name }
        for (column, cell) in cells.filter({ isFound($1) }) + cells.filter({ !isFound($1) }) {
            lines += ("\(column.title.visible): \(cell?.visible ?? "–")").wrapped(to: width).map { PanelLine($0) }
        }
        for fact in row.facts {
            lines += ("\(fact.name): \(fact.value.visible)").wrapped(to: width).map { PanelLine($0, .dim) }
        }
        return lines
    }

    // MARK: Note and key hints

    private func drawFoot(into frame: inout Frame, _ layout: BrowseLayout) {
        // The issue is shown here only if there is no detail area for it.
        let issue = layout.detail == nil ? window.selectedRow?.issues.first : nil
        frame.drawFoot(
            note ?? issue.map { ScreenNote(text: "✗ " + $0.visible, style: .error) },
            question == nil && chooser == nil && notices.isEmpty ? keys : nil, rows: layout.foot)
    }

    private var keys: KeyLegend {
        switch entry {
        case .rowNumber: return KeyLegend([.init("Return", "go to the row", rank: 0), .back])
        case .setting: return KeyLegend([.init("Return", "show what would change", rank: 0), .back])
        case .file: return KeyLegend([.init("Return", "export", rank: 0), .back])
        case .search:
            return KeyLegend([
                .init("Return", "to the table", rank: 0), .init("Esc", "end the search", rank: 1),
                .init("↑↓", "move", rank: 2),
            ])
        case nil: return marked.isEmpty ? keysOfRow : Self.keysOfSelection
        }
    }

    private static let keysOfSelection = KeyLegend([
        .init("Space", "select", rank: 2), .init("a", "all", rank: 7), .init("e", "edit", rank: 1),
        .init("Del", "remove", rank: 4), .init("x", "export", rank: 3), .init("Esc", "select none", rank: 0),
        .init("?", "all keys", rank: 5), .init("q", "leave", rank: 6),
    ])

    private var keysOfRow: KeyLegend {
        let hasRow = window.selectedRow != nil
        return KeyLegend(
            [
                hasRow ? .init("Return", "edit", rank: 0) : nil,
                .init("/", "search", rank: 2),
                hasRow ? .init("Space", "select", rank: 10) : nil,
                .init("n", "register", rank: 3),
                hasRow ? .init("Del", "remove", rank: 6) : nil,
                .init("←→ s", "sort", rank: 5),
                .init("f", "filter", rank: 7),
                hasRow ? .init("H", "history", rank: 8) : nil,
                .init("u", "undo", rank: 9),
                .init("?", "all keys", rank: 4),
                .init("q", "leave", rank: 1),
            ].compactMap { $0 })
    }

    // MARK: State for tests

    package var details: [JSONMember] {
        let shown = window.rows[min(window.top, window.rows.count)..<min(window.top + layout.rows, window.rows.count)]
        return [
            JSONMember("screen", .string("browse")), JSONMember("search", .string(view.search)),
            JSONMember("is_searching", .bool(isSearching)),
            JSONMember("conditions", .number(view.conditions.count)),
            JSONMember("marked", .number(marked.count)),
            JSONMember("filter", .string(view.filter.rawValue)),
            JSONMember("column", .string(columns.selectedColumn.title)),
            JSONMember("order", view.order.map { .string($0.column) } ?? .null),
            JSONMember("count", counts[view].map { .number($0) } ?? .null),
            JSONMember("is_reading", .bool(demand != nil)),
            JSONMember("selected", window.selectedRow.map { .string($0.name) } ?? .null),
            JSONMember("rows", .array(shown.map { .string($0.name) })),
            JSONMember("question", question.map { $0.choice.json } ?? .null),
            JSONMember("columns", chooser?.json ?? .null),
            JSONMember("text", text.map { .string($0.title) } ?? .null),
            JSONMember("note", note.map { .string($0.text) } ?? .null),
        ]
    }
}
