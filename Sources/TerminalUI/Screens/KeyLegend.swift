internal import TextLayout

/// The keys that the user can press now, with their actions. They are shown at the bottom of a screen.
struct KeyLegend {
    struct Item {
        let key: String
        let action: String
        /// The rank of the item: 0 is the most important. If there is no room, the items with the highest ranks are
        /// left out first.
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

    /// Returns the items in rows, without changing their order. If the items need more than `most` rows, the items with
    /// the highest ranks are left out.
    private func rows(fitting width: Int, most: Int) -> [[Item]] {
        var kept = items
        while true {
            let rows = Self.wrapped(kept, to: width)
            guard rows.count > most, let last = kept.indices.max(by: { kept[$0].rank < kept[$1].rank }) else {
                return rows
            }
            kept.remove(at: last)
        }
    }

    private static func wrapped(_ items: [Item], to width: Int) -> [[Item]] {
        var rows: [[Item]] = []
        var left = 0
        for item in items {
            if rows.isEmpty || item.width > left {
                rows.append([])
                left = width
            }
            rows[rows.count - 1].append(item)
            left -= item.width + gap
        }
        return rows
    }

    /// Returns the keys that fit into one row, with their actions.
    func text(fitting width: Int) -> String {
        rows(fitting: width, most: 1).joined().map { $0.key + " " + $0.action }
            .joined(separator: String(repeating: " ", count: Self.gap))
    }

    /// Draws the keys and their actions into the last of the given rows. If `rows` is too short, the items with the
    /// highest ranks are left out.
    func draw(into frame: inout Frame, rows: Range<Int>, column: Int, width: Int) {
        let lines = self.rows(fitting: width, most: rows.count)
        for (row, line) in zip(rows.suffix(lines.count), lines) {
            var column = column
            for item in line {
                frame.write(item.key, row: row, column: column, style: .bold)
                frame.write(item.action, row: row, column: column + item.key.displayWidth + 1, style: .dim)
                column += item.width + Self.gap
            }
        }
    }
}

extension Frame {
    /// Draws a note and the keys into the rows at the bottom of a screen.
    mutating func drawFoot(_ note: ScreenNote?, _ keys: KeyLegend?, rows: Range<Int>) {
        let width = max(0, size.columns - 2)
        // If only one row is free, it shows the note, because the note is more useful than the keys.
        if let note, let row = rows.first { write(note.text, row: row, column: 1, style: note.style, width: width) }
        keys?.draw(into: &self, rows: rows.dropFirst(note == nil ? 0 : 1), column: 1, width: width)
    }

    /// Draws a note about running work into the last row.
    mutating func drawWork(_ text: String) {
        let last = max(0, size.rows - 1)
        drawFoot(ScreenNote(text: text), nil, rows: last..<last + 1)
    }
}
