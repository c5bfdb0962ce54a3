/// The rows of a view that are in memory: some that follow each other, among them the selected one and those around it.
struct BrowseWindow {
    private(set) var rows: [BrowseRow] = []
    /// Where more rows are read above and below; nil where there are none.
    private var above: BrowseDemand.Start?
    private var below: BrowseDemand.Start?
    /// Whether there may be rows above that can be read once there is a row to read them from.
    private var isAboveUnknown = false
    /// How many rows are above these; nil where nobody has counted.
    private var offset: Int?
    /// The index of the selected row.
    private(set) var selected = 0
    /// The index of the first row that is seen.
    private(set) var top = 0
    /// What is selected as soon as it is read.
    private var wanted: Int64?

    /// A window that begins to be read at an end of the view.
    init(from end: End = .first) {
        switch end {
        case .first:
            below = .first
            offset = 0
        case .last: above = .last
        }
    }

    enum End { case first, last }

    /// A window that begins to be read where somebody was before.
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

    /// The number of the selected row, from 1; nil where it is not known.
    var number: Int? { rows.isEmpty ? nil : offset.map { $0 + selected + 1 } }

    /// Learns how many rows there are in all, which tells how many are above where none is below.
    mutating func learn(_ count: Int) { if below == nil, offset == nil, !rows.isEmpty { offset = count - rows.count } }

    /// The place before the first row that is seen, or its own where those above were not read yet; nil for the top of the
    /// view.
    var placeAboveTop: String? {
        if top > 0 { return rows[top - 1].place }
        guard case .before(let place) = above else { return nil }
        return place
    }

    /// How many rows there are down to that place; nil where it is not known.
    var offsetOfTop: Int? {
        let isOwnPlace = top == 0 && !rows.isEmpty && placeAboveTop == rows[0].place
        return offset.map { $0 + top + (isOwnPlace ? 1 : 0) }
    }

    /// Nobody knows any more how many rows are above.
    mutating func forgetOffset() { if !isAtTop { offset = nil } }

    var isAtTop: Bool { above == nil && !isAboveUnknown }
    var isAtBottom: Bool { below == nil }

    /// What has to be read so that somebody can go on for some screens of rows without waiting.
    func start(height: Int) -> BrowseDemand.Start? {
        let margin = Self.screensAhead * height
        if let below, rows.count - selected < margin { return below }
        if let above, selected < margin { return above }
        return nil
    }

    /// Adds rows that were read, and lets go of those that are far from the selected one.
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
            }
        }
        selected = max(0, min(selected, rows.count - 1))
        if let found = rows.firstIndex(where: { $0.id == wanted }) {
            selected = found
            wanted = nil
        }
        trim(height, keepsTop: !start.isUpward)
        scroll(height)
    }

    private mutating func trim(_ height: Int, keepsTop: Bool) {
        let most = max(Self.mostRows, 4 * Self.screensAhead * height)
        guard rows.count > most else { return }
        let spare = rows.count - most
        // The rows that the last reading did not go towards.
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

    /// Selects another row, as near as there is one in memory.
    mutating func move(by count: Int, height: Int) {
        wanted = nil
        selected = max(0, min(rows.count - 1, selected + count))
        scroll(height)
    }

    /// Takes a profile out that is gone.
    mutating func remove(_ id: Int64, height: Int) {
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
        rows.remove(at: index)
        if index < selected || selected == rows.count { selected = max(0, selected - 1) }
        scroll(height)
    }

    /// Keeps the selected row in sight.
    mutating func scroll(_ height: Int) {
        let height = max(1, height)
        top = max(0, min(top, selected, rows.count - 1))
        if selected - top >= height { top = selected - height + 1 }
        // No empty lines below the last row while there are rows above.
        if below == nil { top = max(0, min(top, rows.count - height)) }
    }

    /// Screens of rows that are read ahead of the selected one.
    private static let screensAhead = 3
    private static let mostRows = 2_000
}
