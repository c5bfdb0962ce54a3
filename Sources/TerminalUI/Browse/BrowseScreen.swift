package import ProfileForm
internal import TextLayout

/// A table of all profiles that fills the screen. The user can search it while typing, sort it, filter it, and view
/// single profiles.
///
/// The screen keeps only the rows around the selected row in memory. When the user comes near other rows, the screen
/// demands these rows. So the screen is as fast with millions of profiles as with ten. The screen accepts keys while
/// rows are read.
package struct BrowseScreen: Screen {
    /// A request of the screen.
    package enum Request: Hashable, Sendable {
        /// Edit a profile, then return to this place in the table.
        case edit(id: Int64, Place)
        /// Register a new profile, then return to this place in the table.
        case register(Place)
        /// Remove the profile if it still has the shown revision.
        case remove(id: Int64, name: String, revision: Int64)
    }

    /// An answer to the screen.
    package enum Reply: Sendable {
        /// The demanded rows in the order in which they were read, and the columns according to the rules in force. If
        /// more rows may follow, `goingOn` is the position where the next read continues. This position is behind the
        /// last examined row, even if this row did not match. If no row follows, `goingOn` is nil.
        case rows([BrowseRow], of: [BrowseColumn], BrowseDemand, goingOn: String?)
        /// The number of rows in a view.
        case count(Int, BrowseView)
        /// The demanded data cannot be read.
        case unreadable(String)
        /// The profile was removed.
        case removed(id: Int64, name: String)
        /// The request failed.
        case failed(String)
    }

    /// The user's position in the table. The user returns to this position from a form.
    package struct Place: Hashable, Sendable {
        var view: BrowseView
        /// The name of the selected column; nil for the first column.
        var column: String?
        /// The position above the first visible row; nil if this row is the first row of the view.
        var placeAbove: String?
        /// The number of rows above the visible ones, and the number of all rows. Nil if unknown.
        var offset: Int?
        var count: Int?
        var selected: Int64?
        /// The distance of the selected row from the first visible row.
        var row = 0

        /// Creates a place at the top of the search results for a text. An empty text finds all profiles.
        package init(searching text: String = "") {
            view = BrowseView()
            view.search = text
            offset = 0
        }
    }

    /// The columns; at least one.
    private(set) var columns: [BrowseColumn]
    package private(set) var view: BrowseView
    private(set) var window: BrowseWindow
    /// The index of the selected column. If the user presses the key for sorting, the table is sorted by this column.
    private(set) var column: Int
    /// Whether the keys that the user presses go into the search line.
    private(set) var isSearching = false
    /// The view of the rows in the window. While the first rows of a new view are read, this is the previous view.
    package private(set) var shownView: BrowseView
    /// The window of a new view, until its first rows have been read.
    private var incoming: BrowseWindow?
    private(set) var counts: [BrowseView: Int] = [:]
    /// The previous total number of rows, from the time when the rows above the window were counted. The next total is
    /// compared with this number. The value is nil if no comparison is necessary.
    private var countBefore: Int?
    /// The width of the widest cell of each column so far. Widths never shrink, so the columns do not move back and
    /// forth.
    private(set) var widths: [Int]
    private(set) var note: ScreenNote?
    private var isUnreadable = false
    var removal: (row: BrowseRow, choice: ChoiceScreen)?
    package var notices: [NoticeScreen]
    package private(set) var isBusy = false
    private(set) var size = ScreenSize(columns: 80, rows: 24)

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - columns: The columns, one for each cell of a row; at least one.
    ///   - place: The position to return to.
    ///   - note: A note about the last action.
    ///   - notices: The notices to show first.
    package init(columns: [BrowseColumn], at place: Place = Place(), note: String? = nil, notices: [NoticeScreen] = [])
    {
        self.columns = columns
        self.notices = notices
        let view = place.view.having(columns)
        self.view = view
        shownView = view
        column = columns.firstIndex { $0.name == place.column } ?? 0
        window = BrowseWindow(at: place)
        countBefore = place.count
        widths = Array(repeating: 0, count: columns.count)
        self.note = note.map { ScreenNote(text: $0) }
    }

    /// The user's current position.
    package var place: Place {
        var place = Place()
        place.view = view
        place.column = columns[column].name
        place.selected = window.selectedRow?.id
        // The position of a row is valid only in the view that contains the row.
        guard view == shownView else { return place }
        place.count = counts[view]
        (place.placeAbove, place.offset) = (window.placeAboveTop, window.offsetOfTop)
        place.row = window.selected - window.top
        return place
    }

    // MARK: What it needs

    package var demand: BrowseDemand? {
        guard !isUnreadable else { return nil }
        if let start = (incoming ?? window).start(height: layout.rows) {
            return .rows(view, start, count: max(Self.fewestRows, 4 * layout.rows))
        }
        return counts[view] == nil ? .count(view) : nil
    }

    /// The minimum number of rows per read; a read of fewer rows is not worth its cost.
    private static let fewestRows = 100

    /// Whether the user is waiting for rows.
    var isReading: Bool { incoming != nil || window.rows.isEmpty && window.start(height: layout.rows) != nil }

    package mutating func receive(_ reply: Reply) {
        switch reply {
        case .rows(_, let columns, _, _) where columns != self.columns: showAnew(with: columns)
        case .rows(let rows, _, .rows(let view, let start, _), let goingOn): take(rows, of: view, start, goingOn)
        case .rows: break
        case .count(let count, let view):
            counts[view] = count
            // Rows were added or removed at unknown positions, so the number of rows above is no longer known.
            if let countBefore, countBefore != count {
                window.forgetOffset()
                incoming?.forgetOffset()
            }
            countBefore = nil
            window.learn(count)
        case .unreadable(let text):
            isUnreadable = true
            note = ScreenNote(text: text + " (r reads again)", style: .error)
        case .removed(let id, let name):
            isBusy = false
            window.remove(id, height: layout.rows)
            // Other views may also have contained the removed profile, so their counts are forgotten.
            counts = counts[view].map { [view: max(0, $0 - 1)] } ?? [:]
            note = ScreenNote(text: "Removed \(name)")
        case .failed(let text):
            isBusy = false
            notices.append(.error(text))
        }
    }

    private mutating func take(
        _ rows: [BrowseRow], of view: BrowseView, _ start: BrowseDemand.Start, _ goingOn: String?
    ) {
        for row in rows {
            for (column, cell) in zip(columns.indices, row.cells) {
                widths[column] = max(widths[column], min(cell?.visible.displayWidth ?? 1, Self.widestCell))
            }
        }
        defer { if let count = counts[view] { window.learn(count) } }
        guard var incoming else { return window.add(rows, from: start, goingOn: goingOn, height: layout.rows) }
        incoming.add(rows, from: start, goingOn: goingOn, height: layout.rows)
        // The previous rows stay visible until the new view has rows or is known to be empty.
        if !incoming.rows.isEmpty || incoming.start(height: layout.rows) == nil {
            window = incoming
            shownView = view
            self.incoming = nil
        } else {
            self.incoming = incoming
        }
    }

    /// If the rules in force have changed, starts again with the new columns.
    private mutating func showAnew(with columns: [BrowseColumn]) {
        let chosen = self.columns[column].name
        self.columns = columns
        column = columns.firstIndex { $0.name == chosen } ?? 0
        widths = Array(repeating: 0, count: columns.count)
        counts = [:]
        view = view.having(columns)
        shownView = view
        window = BrowseWindow()
        incoming = nil
        note = ScreenNote(text: "The rules have changed: everything is read again")
    }

    /// The maximum width of a table column, in columns of the terminal. Without this limit, one long value could push
    /// all other columns off the screen.
    private static let widestCell = 64

    package mutating func resize(to size: ScreenSize) {
        self.size = size
        window.scroll(layout.rows)
    }

    // MARK: Keys

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        note = nil
        // On a small screen, the search line uses one row of the table, so the table may have to scroll.
        defer { window.scroll(layout.rows) }
        if let removal { return answer(key, removal.row, removal.choice) }
        switch key {
        case .up: window.move(by: -1, height: layout.rows)
        case .down: window.move(by: 1, height: layout.rows)
        case .pageUp: window.move(by: -max(1, layout.rows - 1), height: layout.rows)
        case .pageDown: window.move(by: max(1, layout.rows - 1), height: layout.rows)
        case .home: goTo(.first)
        case .end: goTo(.last)
        case .control("u") where isSearching: search(for: "")
        default: return isSearching ? typed(key) : pressed(key)
        }
        return nil
    }

    /// Handles a key while the search has the focus.
    private mutating func typed(_ key: Key) -> ScreenAction<Request>? {
        switch key {
        case .character(let character): search(for: view.search + String(character))
        case .paste(let text): search(for: view.search + text.prefix { !$0.isNewline })
        case .backspace where view.search.isEmpty: isSearching = false
        case .backspace: search(for: String(view.search.dropLast()))
        case .enter, .tab: isSearching = false
        case .escape:
            isSearching = false
            search(for: "")
        default: break
        }
        return nil
    }

    private mutating func pressed(_ key: Key) -> ScreenAction<Request>? {
        switch key {
        case .left, .backTab: column = max(0, column - 1)
        case .right, .tab: column = min(columns.count - 1, column + 1)
        case .character("/"), .control("f"): isSearching = true
        case .character("s"): sort()
        case .character("f"): filter()
        case .character("r"): reload()
        case .character("n"): return ask(.register(place))
        case .enter, .character("e"): return chosenRow().flatMap { ask(.edit(id: $0.id, place)) }
        case .delete, .character("d"): removal = chosenRow().map { ($0, .removing($0.name)) }
        case .escape where !view.search.isEmpty: search(for: "")
        case .escape, .character("q"): return .leave
        default: break
        }
        return nil
    }

    /// Returns the selected row. If the visible rows still belong to the previous view, returns nil and shows a note.
    private mutating func chosenRow() -> BrowseRow? {
        guard view == shownView else {
            note = ScreenNote(text: "Still reading: press it again")
            return nil
        }
        return window.selectedRow
    }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? { nil }

    private mutating func answer(
        _ key: Key, _ row: BrowseRow, _ choice: ChoiceScreen
    ) -> ScreenAction<Request>? {
        var choice = choice
        let outcome = choice.take(key)
        removal = outcome == nil ? (row, choice) : nil
        return outcome == .picked(1) ? ask(.remove(id: row.id, name: row.name, revision: row.revision)) : nil
    }

    private mutating func ask(_ request: Request) -> ScreenAction<Request> {
        isBusy = true
        return .ask(request)
    }

    private mutating func search(for text: String) {
        guard text != view.search else { return }
        view.search = text
        show()
    }

    /// Switches to the next sort order: ascending by the selected column, then descending, then the order of
    /// registration.
    private mutating func sort() {
        let name = columns[column].name
        switch view.order {
        case let order? where order.column == name && order.isDescending: view.order = nil
        case let order? where order.column == name: view.order = BrowseView.Order(column: name, isDescending: true)
        default: view.order = BrowseView.Order(column: name, isDescending: false)
        }
        show()
    }

    private mutating func filter() {
        let all = BrowseView.Filter.allCases
        let index = all.firstIndex(of: view.filter) ?? 0
        view.filter = all[(index + 1) % all.count]
        show()
    }

    /// Starts reading the view from its top.
    private mutating func show() {
        isUnreadable = false
        countBefore = nil
        incoming = BrowseWindow()
    }

    /// Reads the visible rows again.
    private mutating func reload() {
        isUnreadable = false
        let place = place
        countBefore = place.count
        counts = [:]
        incoming = BrowseWindow(at: place)
    }

    private mutating func goTo(_ end: BrowseWindow.End) {
        switch end {
        case .first where window.isAtTop && incoming == nil:
            window.move(by: -window.rows.count, height: layout.rows)
        case .last where window.isAtBottom && incoming == nil:
            window.move(by: window.rows.count, height: layout.rows)
        default: incoming = BrowseWindow(from: end)
        }
    }
}

extension ChoiceScreen {
    /// The question before a profile is removed.
    fileprivate static func removing(_ name: String) -> ChoiceScreen {
        ChoiceScreen(
            title: "Remove \(name.visible)?", text: "With its password, its passcode and its sessions.",
            options: ["Keep it", "Remove it"])
    }
}
