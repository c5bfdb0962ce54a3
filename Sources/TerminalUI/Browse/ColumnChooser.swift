internal import ProfileCore
internal import TextLayout

/// A list of all columns of the table. The user shows, hides and moves columns.
struct ColumnChooser: Hashable {
    private struct Item: Hashable {
        let name: String
        let title: String
        var isShown: Bool
    }

    private var items: [Item]
    /// The items in the order of the rules, all of them shown.
    private let usual: [Item]
    private var arrangement: ColumnArrangement
    private var selected: Int
    private var note: String?

    init(_ columns: BrowseColumns) {
        arrangement = columns.arrangement
        usual = columns.all.map { Item(name: $0.name, title: $0.title, isShown: true) }
        let order = arrangement.order(of: columns.all)
        items = order.map { index in
            Item(name: columns[index].name, title: columns[index].title, isShown: columns.shown.contains(index))
        }
        selected = order.firstIndex(of: columns.selected) ?? 0
    }

    enum Outcome: Equatable {
        case taken(ColumnArrangement)
        case closed
    }

    /// Handles a key. Returns nil until the user accepts the arrangement of the columns or closes the list.
    mutating func take(_ key: Key) -> Outcome? {
        note = nil
        switch key.orMovement {
        case .up, .backTab: select(selected - 1)
        case .down, .tab: select(selected + 1)
        case .pageUp: select(selected - 10)
        case .pageDown: select(selected + 10)
        case .home: select(0)
        case .end: select(items.count - 1)
        case .character(" "):
            items[selected].isShown.toggle()
            if !items.contains(where: \.isShown) {
                items[selected].isShown = true
                note = "At least one column must stay"
            }
        case .character("J"): move(by: 1)
        case .character("K"): move(by: -1)
        case .character("r"):
            items = usual
            arrangement.widths = [:]
        case .enter: return .taken(chosen)
        case .escape, .character("q"): return .closed
        default: select(selected + (key.wheelLines?.signum() ?? 0))
        }
        return nil
    }

    private var chosen: ColumnArrangement {
        var arrangement = arrangement
        // If the columns are in the order of the rules, no order is stored. So a new field gets its place in the rules.
        arrangement.order = items.map(\.name) == usual.map(\.name) ? [] : items.map(\.name)
        arrangement.hidden = Set(items.filter { !$0.isShown }.map(\.name))
        let names = Set(items.map(\.name))
        arrangement.widths = arrangement.widths.filter { names.contains($0.key) }
        return arrangement
    }

    private mutating func select(_ index: Int) { selected = max(0, min(items.count - 1, index)) }

    private mutating func move(by count: Int) {
        guard items.indices.contains(selected + count) else { return }
        items.swapAt(selected, selected + count)
        selected += count
    }

    func draw(into frame: inout Frame) {
        var panel = Panel(title: "Columns")
        panel.keptLine = selected
        for (index, item) in items.enumerated() {
            let isSelected = index == selected
            let line = (isSelected ? "›" : " ") + (item.isShown ? "✓ " : "  ") + item.title.visible
            panel.add(PanelLine(line, isSelected ? .reverse : item.isShown ? [] : .dim))
        }
        let keys = KeyLegend([
            .init("Space", "show or hide", rank: 1), .init("J K", "move it", rank: 2), .init("r", "reset", rank: 4),
            .init("Return", "take", rank: 0), .init("Esc", "back", rank: 3),
        ])
        panel.foot = [
            note.map { PanelLine($0, .error) } ?? PanelLine(keys.text(fitting: Panel.innerWidth(frame.size)), .dim)
        ]
        let place = panel.draw(into: &frame).lines[selected]
        frame.caret = nil
        if let place { frame.placeCaret(row: place.row, column: place.column) }
    }

    var json: JSONValue {
        [
            "selected": .string(items[selected].name),
            "columns": .array(
                items.map { ["name": .string($0.name), "is_shown": .bool($0.isShown)] }),
        ]
    }
}
