package import ProfileCore
internal import TextLayout

// The drawing of the table.
extension ProposalScreen {
    package func draw(into frame: inout Frame) {
        let layout = layout(frame.size)
        drawHead(into: &frame, layout)
        let fit = columnFit(layout)
        frame.drawHeadings(fit, layout, from: Self.firstColumn) { (Self.headings[$0], .bold, false) }
        for index in 0..<layout.rows where top + index < table.columns.count {
            draw(top + index, into: &frame, at: layout.firstRow + index, layout, fit)
        }
        if let detail = layout.detail { frame.draw(detailLines(width: detail.width), in: detail) }
        drawFoot(into: &frame, layout)
        switch dialogue {
        case .key(let list, _), .type(let list, _): list.draw(into: &frame)
        case .name, nil: break
        }
    }

    private func drawHead(into frame: inout Frame, _ layout: BrowseLayout) {
        let width = max(0, frame.size.columns - 2)
        let status = status
        let room = width - status.displayWidth - 2
        if room >= min(title.displayWidth, 12) {
            frame.write(title.visible(upTo: room), row: 0, column: 1, style: .bold)
        }
        frame.write(status, row: 0, column: max(1, width + 1 - status.displayWidth), style: .dim, width: width)
        guard let row = layout.search else { return }
        guard case .name(let name, let header) = dialogue else {
            return frame.drawRule(row: row)
        }
        frame.drawEntry("Name of \(header.visible(upTo: width / 3)): ", name, row: row)
    }

    /// The progress of the inference, or the numbers of columns and rows.
    private var status: String {
        guard !isReading else {
            return "reading …" + (progress.map { " \(Int(min(max($0, 0), 1) * 100)) %" } ?? "")
        }
        let place = "\((selected + 1).grouped) of \(table.columns.count.grouped)"
        return table.columns.isEmpty ? table.summary : place + " · " + table.summary
    }

    // MARK: The table

    private static let headings = ["Field", "Type", "Filled", "Rules", "Examples", "Doubtful"]

    private func cells(of column: ProposedColumn) -> [String] {
        [
            column.field ?? column.header, column.type, column.filled, column.rules,
            column.examples.joined(separator: " · "), column.doubts.joined(separator: "; "),
        ]
    }

    private func columnFit(_ layout: BrowseLayout) -> ColumnFit {
        let rows = table.columns.map { cells(of: $0).map(\.visible.displayWidth) }
        let columns = Self.headings.indices.map { index in
            ColumnFit.Column(
                heading: Self.headings[index], widestCell: min(rows.map { $0[index] }.max() ?? 0, 40),
                isWhole: index == 2, mustStay: index == 1)
        }
        return ColumnFit(columns, within: max(1, layout.width - Self.firstColumn - 1))
    }

    /// The start of the table. The marks of doubts and of the key are on its left.
    private static let firstColumn = 3

    private func draw(
        _ index: Int, into frame: inout Frame, at line: Int, _ layout: BrowseLayout, _ fit: ColumnFit
    ) {
        let column = table.columns[index]
        var style: Style = index == selected ? .reverse : []
        if index == selected {
            frame.write(String(repeating: " ", count: max(0, layout.width - 1)), row: line, column: 0, style: style)
        }
        if column.field == nil {
            style.insert(.dim)
            frame.write("×", row: line, column: 0, style: style)
        } else if !column.doubts.isEmpty {
            frame.write("!", row: line, column: 0, style: style.union([.error, .bold]))
        }
        if table.keyHeaders.contains(column.header) {
            frame.write("K", row: line, column: 1, style: style.union([.accent, .bold]))
        }
        let cells = cells(of: column)
        var start = Self.firstColumn
        for place in fit.places {
            frame.write(cells[place.column].visible(upTo: place.width), row: line, column: start, style: style)
            start += place.width + ColumnFit.gap
        }
    }

    // MARK: The selected column

    private func detailLines(width: Int) -> [PanelLine] {
        guard let column else { return table.notes.flatMap { $0.visible.wrapped(to: width) }.map { PanelLine($0) } }
        var lines: [PanelLine] = []
        func add(_ text: String, _ style: Style = []) {
            lines += text.visible.wrapped(to: width).map { PanelLine($0, style) }
        }
        add(heading(of: column), .bold)
        for doubt in column.doubts { add("! " + doubt, .error) }
        if column.field != nil { add("\(column.type)\(column.rules.isEmpty ? "" : "; " + column.rules)") }
        if !column.examples.isEmpty { add("such as \(column.examples.joined(separator: " · "))") }
        for remark in column.remarks { add(remark, .dim) }
        for note in table.notes { add(note, .dim) }
        return lines
    }

    private func heading(of column: ProposedColumn) -> String {
        let header = column.header.isEmpty ? "(no name)" : column.header
        guard let field = column.field else { return header + ": left out" }
        let change =
            choices.loose.contains(column.header)
            ? " (loosened)" : choices.strict.contains(column.header) ? " (tightened)" : ""
        return (field == header ? header : "\(header) → \(field)") + change
    }

    // MARK: Note and key hints

    private func drawFoot(into frame: inout Frame, _ layout: BrowseLayout) {
        // The doubt is shown here only if there is no detail area for it.
        let doubt = layout.detail == nil ? column?.doubts.first : nil
        frame.drawFoot(
            note ?? doubt.map { ScreenNote(text: "! " + $0.visible, style: .error) }, notices.isEmpty ? keys : nil,
            rows: layout.foot)
    }

    private var keys: KeyLegend {
        switch dialogue {
        case .key, .type: return KeyLegend([])
        case .name: return KeyLegend([.init("Return", "rename", rank: 0), .init("Esc", "keep the name", rank: 1)])
        case nil: break
        }
        let takes = column.map { $0.field == nil } ?? false
        return KeyLegend([
            .init("Return", accepting, rank: 0), .init("x", takes ? "take in" : "leave out", rank: 2),
            .init("k", "key", rank: 3), .init("t", "type", rank: 4), .init("- +", "looser, tighter", rank: 5),
            .init("r", "rename", rank: 6), .init("v", "unusual values", rank: 7), .init("q", "cancel", rank: 1),
        ])
    }

    // MARK: State for tests

    package var details: [JSONMember] {
        let question: JSONValue? =
            switch dialogue {
            case .key(let list, _), .type(let list, _): list.json
            case .name(let text, _): .string(text)
            case nil: nil
            }
        return [
            JSONMember("screen", "proposal"), JSONMember("title", .string(title)),
            JSONMember("selected", column.map { .string($0.header) } ?? .null),
            JSONMember("is_reading", .bool(isReading)), JSONMember("question", question ?? .null),
            JSONMember("fields", .array(table.columns.map { $0.field.map(JSONValue.string) ?? .null })),
            JSONMember("key", .array(table.keyHeaders.map(JSONValue.string))),
            JSONMember("note", note.map { .string($0.text) } ?? .null),
        ]
    }
}
