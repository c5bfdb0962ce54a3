package import ProfileForm
internal import TextLayout

/// A table of all profiles that fills the screen. The user can search it while typing, sort it, filter it, and view
/// single profiles and their history. Most keys are those of visidata and lazygit.
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
        /// Read the history of a profile.
        case history(id: Int64, name: String)
        /// Find the newest change, and say what an undo of it would do.
        case previewUndo
        /// Undo a change.
        case undo(change: Int64)
        /// Copy a value of a profile to the clipboard of the terminal. If there is no column, copy all its values.
        case copy(id: Int64, BrowseColumn?)
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
        /// A text to read, such as the history of a profile.
        case text(TextScreen)
        /// What the undo of a change would do. The user is asked.
        case undoable(change: Int64, text: String)
        /// A change was undone. The text says how many profiles have changed. `left` says which have not, and why.
        case undone(String, left: [String])
        /// A note about a request that has changed nothing.
        case noted(String)
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
    /// The line into which the keys go that the user presses; nil if they are commands.
    private(set) var entry: Entry?
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
    /// A question, and the request if the user picks the second option.
    private(set) var question: (choice: ChoiceScreen, request: Request)?
    /// A text that is shown in place of the table.
    private(set) var text: TextScreen?
    /// The number of hidden lines above the visible lines of the detail area, for the profile with this id.
    private var detailScroll: (id: Int64, lines: Int)?
    package var notices: [NoticeScreen]
    package private(set) var isBusy = false
    private(set) var size = ScreenSize(columns: 80, rows: 24)

    /// A line into which the user types.
    enum Entry: Hashable {
        case search
        /// The number of a row to go to.
        case rowNumber(String)
    }

    var isSearching: Bool { entry == .search }

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
            let distance = (incoming ?? window).rowsToWanted
            return .rows(view, start, count: max(Self.fewestRows, 4 * layout.rows, min(distance, Self.mostRows)))
        }
        return counts[view] == nil ? .count(view) : nil
    }

    /// The minimum number of rows per read; a read of fewer rows is not worth its cost.
    private static let fewestRows = 100
    /// The maximum number of rows per read on the way to a distant row. Reading them takes some hundredths of a second.
    private static let mostRows = 2_000

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
            note = ScreenNote(text: "Removed \(name) (u undoes it)")
        case .text(let text):
            isBusy = false
            note = nil
            self.text = text
        case .undoable(let change, let text):
            isBusy = false
            note = nil
            question = (.undoing(text), .undo(change: change))
        case .undone(let text, let left):
            isBusy = false
            reload()
            note = ScreenNote(text: text)
            if !left.isEmpty {
                self.text = TextScreen(title: "Undone in part", lines: ([text, ""] + left).map { .init($0) })
            }
        case .noted(let text):
            isBusy = false
            note = ScreenNote(text: text)
        case .failed(let text):
            isBusy = false
            note = nil
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
        if !incoming.isOnItsWay, !incoming.rows.isEmpty || incoming.start(height: layout.rows) == nil {
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
        if let text {
            var text = text
            self.text = text.isClosed(by: key, on: size) ? nil : text
            return nil
        }
        if let question { return answer(key, question.choice, question.request) }
        switch entry == nil ? key.orMovement : key {
        case .up: window.move(by: -1, height: layout.rows)
        case .down: window.move(by: 1, height: layout.rows)
        case .pageUp: window.move(by: -max(1, layout.rows - 1), height: layout.rows)
        case .pageDown: window.move(by: max(1, layout.rows - 1), height: layout.rows)
        case .home: goTo(.first)
        case .end: goTo(.last)
        default:
            switch entry {
            case .search: typedSearch(key)
            case .rowNumber(let digits): typed(key, digits)
            case nil: return pressed(key.orMovement)
            }
        }
        return nil
    }

    /// Handles a key while the search has the focus.
    private mutating func typedSearch(_ key: Key) {
        switch key {
        case .character(let character): search(for: view.search + String(character))
        case .paste(let text): search(for: view.search + text.prefix { !$0.isNewline })
        case .backspace where view.search.isEmpty: entry = nil
        case .backspace: search(for: String(view.search.dropLast()))
        case .control("u"): search(for: "")
        case .enter, .tab: entry = nil
        case .escape:
            entry = nil
            search(for: "")
        default: break
        }
    }

    /// Handles a key while the user types the number of a row.
    private mutating func typed(_ key: Key, _ digits: String) {
        var digits = digits
        switch key {
        case .character(let character): digits.append(character)
        case .paste(let text): digits += text
        case .backspace where digits.isEmpty: return entry = nil
        case .backspace: digits.removeLast()
        case .control("u"): digits = ""
        case .escape: return entry = nil
        case .enter, .tab:
            entry = nil
            if let number = Int(digits) { goTo(row: number) }
            return
        default: break
        }
        // 15 digits are enough for the number of any row, and can always be converted to an Int.
        entry = .rowNumber(String(digits.filter { $0.isASCII && $0.isNumber }.prefix(15)))
    }

    private mutating func pressed(_ key: Key) -> ScreenAction<Request>? {
        switch key {
        case .left, .backTab: column = max(0, column - 1)
        case .right, .tab: column = min(columns.count - 1, column + 1)
        case .character("/"), .control("f"): entry = .search
        case .character(":"): entry = .rowNumber("")
        case .character("?"): text = .browseKeys
        case .character("J"): scrollDetail(by: 1)
        case .character("K"): scrollDetail(by: -1)
        case .character("s"): sort()
        case .character("f"): filter()
        case .character("r"): reload()
        case .character("n"): return ask(.register(place))
        case .enter, .character("e"): return chosenRow().flatMap { ask(.edit(id: $0.id, place)) }
        case .delete, .character("d"):
            question = chosenRow().map {
                (.removing($0.name), .remove(id: $0.id, name: $0.name, revision: $0.revision))
            }
        case .character("H"): return chosenRow().flatMap { ask(.history(id: $0.id, name: $0.name)) }
        case .character("u"):
            // A large import takes seconds.
            note = ScreenNote(text: "Reading the newest change …")
            return ask(.previewUndo)
        case .character("y"): return chosenRow().flatMap { ask(.copy(id: $0.id, columns[column])) }
        case .character("Y"): return chosenRow().flatMap { ask(.copy(id: $0.id, nil)) }
        case .character("="): filterByCell(isExcluded: false)
        case .character("!"): filterByCell(isExcluded: true)
        // The user does not want to wait for a distant row any more.
        case .escape where incoming?.isOnItsWay == true && view == shownView: incoming = nil
        case .escape where !view.search.isEmpty: search(for: "")
        case .escape where !view.conditions.isEmpty:
            view.conditions.removeLast()
            show()
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
        _ key: Key, _ choice: ChoiceScreen, _ request: Request
    ) -> ScreenAction<Request>? {
        var choice = choice
        let outcome = choice.take(key)
        question = outcome == nil ? (choice, request) : nil
        guard outcome == .picked(1) else { return nil }
        if case .undo = request { note = ScreenNote(text: "Undoing …") }
        return ask(request)
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

    /// Shows only profiles that have the same value in the selected column as the selected profile, or only profiles
    /// that have another value.
    private mutating func filterByCell(isExcluded: Bool) {
        guard let row = chosenRow() else { return }
        let name = columns[column].name
        let value = row.cells[column]
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

    /// Selects the row with a number, counted from 1. If there are fewer rows, selects the last one.
    private mutating func goTo(row number: Int) {
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

    private mutating func scrollDetail(by count: Int) {
        guard let row = window.selectedRow, let detail = layout.detail else { return }
        let most = detailLines(of: row, width: detail.width).count - detail.textRows.count
        detailScroll = (row.id, max(0, min(hiddenDetailLines + count, most)))
    }
}
