package import ProfileForm
internal import TextLayout

/// All profiles in a table that fills the screen: searched as somebody types, sorted, filtered, and looked at one by one.
///
/// It holds the rows around the selected one alone, and demands others as somebody comes near them, so that it is as quick
/// with millions of profiles as with ten. Keys are taken while rows are read.
package struct BrowseScreen: Screen {
    /// What it asks for.
    package enum Request: Hashable, Sendable {
        /// To change a profile, and come back.
        case edit(id: Int64, Place)
        /// To store a new one, and come back.
        case register(Place)
        /// To remove one, as it is shown.
        case remove(id: Int64, name: String, revision: Int64)
    }

    /// What it is told.
    package enum Reply: Sendable {
        /// Rows that were demanded, as they follow each other from there on; where to go on after the last of them, or after
        /// those that were looked at in vain, if there may be more. The columns are those of the rules in force.
        case rows([BrowseRow], of: [BrowseColumn], BrowseDemand, goingOn: String?)
        /// How many rows a view has.
        case count(Int, BrowseView)
        /// What was demanded cannot be read.
        case unreadable(String)
        /// A profile is gone.
        case removed(id: Int64, name: String)
        /// What was asked for was not done.
        case failed(String)
    }

    /// Where somebody is in the table: to come back to it from a form.
    package struct Place: Hashable, Sendable {
        var view: BrowseView
        /// The chosen column's name; nil for the first.
        var column: String?
        /// The place above the first row that was seen; nil for the top.
        var placeAbove: String?
        /// How many rows were above it, among how many; nil where that is not known.
        var offset: Int?
        var count: Int?
        var selected: Int64?
        /// How many rows below the first that was seen.
        var row = 0

        /// The top of all profiles that contain a text.
        package init(searching text: String = "") {
            view = BrowseView()
            view.search = text
            offset = 0
        }
    }

    /// There is one at least.
    private(set) var columns: [BrowseColumn]
    package private(set) var view: BrowseView
    private(set) var window: BrowseWindow
    /// The index of the column that is sorted by on request.
    private(set) var column: Int
    /// Whether keys are typed into the search.
    private(set) var isSearching = false
    /// The view that the rows in the window are of: the one before while the first rows of a new one are read.
    package private(set) var shownView: BrowseView
    /// The rows of a view that is read for the first time, until there is one.
    private var incoming: BrowseWindow?
    private(set) var counts: [BrowseView: Int] = [:]
    /// How many rows there were when those above the window were counted; nil where that is as it was.
    private var countBefore: Int?
    /// What each column's cells have taken so far, so that columns stay where they are.
    private(set) var widths: [Int]
    private(set) var note: ScreenNote?
    private var isUnreadable = false
    var removal: (row: BrowseRow, choice: ChoiceScreen)?
    package var notices: [NoticeScreen]
    package private(set) var isBusy = false
    private(set) var size = ScreenSize(columns: 80, rows: 24)

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - columns: One for each cell of a row; there is one at least.
    ///   - place: Where somebody was before.
    ///   - note: What has just been done.
    ///   - notices: What is shown first.
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

    /// Where somebody is.
    package var place: Place {
        var place = Place()
        place.view = view
        place.column = columns[column].name
        place.selected = window.selectedRow?.id
        // The places of rows are those of the view that they are in.
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

    /// Reading is worth its while from here on.
    private static let fewestRows = 100

    /// Whether rows are still to come that somebody waits for.
    var isReading: Bool { incoming != nil || window.rows.isEmpty && window.start(height: layout.rows) != nil }

    package mutating func receive(_ reply: Reply) {
        switch reply {
        case .rows(_, let columns, _, _) where columns != self.columns: showAnew(with: columns)
        case .rows(let rows, _, .rows(let view, let start, _), let goingOn): take(rows, of: view, start, goingOn)
        case .rows: break
        case .count(let count, let view):
            counts[view] = count
            // Others have come or gone, and nobody knows where.
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
            // Those of other views may have held it too.
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
        // The rows before stay in sight until there are others, or it is certain that there are none.
        if !incoming.rows.isEmpty || incoming.start(height: layout.rows) == nil {
            window = incoming
            shownView = view
            self.incoming = nil
        } else {
            self.incoming = incoming
        }
    }

    /// Other rules are in force, whose fields are others.
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

    /// One long value must not push all others off the screen.
    private static let widestCell = 64

    package mutating func resize(to size: ScreenSize) {
        self.size = size
        window.scroll(layout.rows)
    }

    // MARK: Keys

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        note = nil
        // The search takes a row away where there are few.
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

    /// A key that is typed into the search.
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

    /// The row that a key means; none while those in sight are of the view before, of which nobody wants one.
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

    /// By the column, the other way round, and in the order in which profiles came again.
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

    /// Reads the view from its top.
    private mutating func show() {
        isUnreadable = false
        countBefore = nil
        incoming = BrowseWindow()
    }

    /// Reads what is seen anew.
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
    /// Asks before a profile is removed.
    fileprivate static func removing(_ name: String) -> ChoiceScreen {
        ChoiceScreen(
            title: "Remove \(name.visible)?", text: "With its password, its passcode and its sessions.",
            options: ["Keep it", "Remove it"])
    }
}
