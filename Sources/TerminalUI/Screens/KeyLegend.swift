/// The keys that do something now, for the bottom of a screen.
struct KeyLegend {
    struct Item {
        let key: String
        let action: String
        /// What is left out last where there is no room has the lowest.
        let rank: Int

        init(_ key: String, _ action: String, rank: Int) {
            self.key = key
            self.action = action
            self.rank = rank
        }

        static let choose = Item("↑↓", "choose", rank: 1)
        static let pick = Item("Return", "take it", rank: 0)
        static let back = Item("Esc", "back", rank: 2)

        fileprivate var width: Int { key.displayWidth + 1 + action.displayWidth }
    }

    private let items: [Item]

    init(_ items: [Item]) { self.items = items }

    private static let gap = 3

    /// The items for which there is room, in their order.
    func items(fitting width: Int) -> [Item] {
        var kept: Set<Int> = []
        var left = width + Self.gap
        for (index, item) in items.enumerated().sorted(by: { $0.element.rank < $1.element.rank }) {
            guard item.width + Self.gap <= left else { continue }
            kept.insert(index)
            left -= item.width + Self.gap
        }
        return items.enumerated().filter { kept.contains($0.offset) }.map(\.element)
    }

    func text(fitting width: Int) -> String {
        items(fitting: width).map { $0.key + " " + $0.action }
            .joined(separator: String(repeating: " ", count: Self.gap))
    }

    func draw(into frame: inout Frame, row: Int, column: Int, width: Int) {
        var column = column
        for item in items(fitting: width) {
            frame.write(item.key, row: row, column: column, style: .bold)
            frame.write(item.action, row: row, column: column + item.key.displayWidth + 1, style: .dim)
            column += item.width + Self.gap
        }
    }
}
