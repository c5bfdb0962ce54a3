internal import ProfileForm
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
        /// Find the ids of all profiles of a view.
        case select(BrowseView)
        /// Say what an edit of these profiles would change. `setting` is an assignment that the user typed, such as
        /// `town=London`.
        case previewEdit(Set<Int64>, setting: String)
        /// Edit these profiles.
        case editMany(Set<Int64>, setting: String)
        /// Remove these profiles.
        case removeMany(Set<Int64>)
        /// Write profiles to a file.
        case export(BrowseExport)
        /// Remember the columns for the next time. The screen is not busy meanwhile.
        case remember(ColumnArrangement)
        /// Copy the value of a column to the clipboard of the terminal. If the column is nil, copy all values of the
        /// profile.
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
        /// The effect that the undo of a change would have. The screen asks the user whether to undo the change.
        case undoable(change: Int64, text: String)
        /// Profiles were changed. The note says how many. `left` says which were not, and why; nil if there are none.
        case changed(String, left: TextScreen?)
        /// The selected profiles were removed. The text says how many.
        case removedMany(String)
        /// The request has failed after it had changed profiles.
        case stopped(String)
        /// The ids of all profiles of the view.
        case selected(Set<Int64>)
        /// The effect that the edit of several profiles would have. The screen asks the user whether to edit them.
        case editable(Set<Int64>, setting: String, text: String)
        /// The file of an export already exists. The screen asks the user whether to replace the file.
        case exists(BrowseExport)
        /// Profiles were exported. The text says how many.
        case exported(String)
        /// The request is done, and the user need not know.
        case done
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
        var marked: Set<Int64> = []
        var arrangement = ColumnArrangement()

        /// Creates a place at the top of the search results for a text. An empty text finds all profiles.
        package init(searching text: String = "", arrangement: ColumnArrangement = ColumnArrangement()) {
            self.arrangement = arrangement
            view = BrowseView()
            view.search = text
            offset = 0
        }
    }

    var columns: BrowseColumns
    package internal(set) var view: BrowseView
    var window: BrowseWindow
    /// The line that receives the pressed keys; nil if the keys are commands.
    var entry: Entry?
    /// The ids of the selected profiles. The user selects profiles to edit, remove or export them together.
    var marked: Set<Int64>
    /// The view of the rows in the window. While the first rows of a new view are read, this is the previous view.
    package private(set) var shownView: BrowseView
    /// The window of a new view, until its first rows have been read.
    var incoming: BrowseWindow?
    var counts: [BrowseView: Int] = [:]
    /// The previous total number of rows, from the time when the rows above the window were counted. The next total is
    /// compared with this number. The value is nil if no comparison is necessary.
    var countBefore: Int?
    var note: ScreenNote?
    var isUnreadable = false
    /// A question, and the request if the user picks the second option.
    var question: (choice: ChoiceScreen, request: Request)?
    /// The list of columns over the table.
    var chooser: ColumnChooser?
    /// A text that is shown in place of the table.
    var text: TextScreen?
    /// The number of hidden lines above the visible lines of the detail area, for the profile with this id.
    var detailScroll: (id: Int64, lines: Int)?
    var draggedEdge: DraggedEdge?
    var lastPress: RowPress?
    private(set) var now: ContinuousClock.Instant?
    package var notices: [NoticeScreen]
    package internal(set) var isBusy = false
    private(set) var size = ScreenSize(columns: 80, rows: 24)

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
        self.columns = BrowseColumns(columns, arrangement: place.arrangement, selecting: place.column)
        self.notices = notices
        let view = place.view.having(columns)
        self.view = view
        shownView = view
        marked = place.marked
        window = BrowseWindow(at: place)
        countBefore = place.count
        self.note = note.map { ScreenNote(text: $0) }
    }

    /// The user's current position.
    package var place: Place {
        var place = Place()
        place.view = view
        place.column = columns.selectedColumn.name
        place.arrangement = columns.arrangement
        place.selected = window.selectedRow?.id
        place.marked = marked
        // The position of a row is valid only in the view that contains the row.
        guard view == shownView else { return place }
        place.count = counts[view]
        (place.placeAbove, place.offset) = (window.placeAboveTop, window.offsetOfTop)
        place.row = window.selected - window.top
        return place
    }

    // MARK: Demanded data and replies

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
        case .rows(_, let columns, _, _) where columns != self.columns.all: showAnew(with: columns)
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
            marked.remove(id)
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
        case .changed(let text, let left):
            isBusy = false
            reload()
            note = ScreenNote(text: text)
            self.text = left
        case .removedMany(let text):
            isBusy = false
            marked = []
            reload()
            note = ScreenNote(text: text)
        case .stopped(let text):
            isBusy = false
            reload()
            note = nil
            notices.append(.error(text))
        case .selected, .editable, .exists, .exported: receiveOfSelection(reply)
        case .done: break
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
        for row in rows { columns.makeRoom(for: row) }
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
        self.columns = BrowseColumns(
            columns, arrangement: self.columns.arrangement, selecting: self.columns.selectedColumn.name)
        chooser = nil
        counts = [:]
        view = view.having(columns)
        shownView = view
        window = BrowseWindow()
        incoming = nil
        note = ScreenNote(text: "The rules have changed: everything is read again")
    }

    package mutating func advance(to now: ContinuousClock.Instant) { self.now = now }

    package mutating func resize(to size: ScreenSize) {
        self.size = size
        window.scroll(layout.rows)
    }
}
