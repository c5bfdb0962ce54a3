internal import ProfileCore

/// A profile in the table: its shown values, and its position. The next rows are read from this position.
package struct BrowseRow: Hashable, Sendable {
    package let id: Int64
    package let revision: Int64
    /// The name of the profile.
    package let name: String
    /// The value of each column; nil if there is no value. A long value is shortened to the part around the first match
    /// of the search. So the table does not have to search the whole value each time the user presses a key.
    package let cells: [String?]
    /// The messages of the profile's issues.
    package let issues: [String]
    /// Further facts about the profile, each with a name.
    package let facts: [Fact]
    /// The position of the row in its view. Reading can continue from this position.
    package let place: String

    package struct Fact: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a row from a profile's values.
    ///
    /// - Parameters:
    ///   - id: The id of the profile.
    ///   - revision: The revision of the profile.
    ///   - name: The name of the profile.
    ///   - cells: The values, by column.
    ///   - search: The searched text; empty if there is no search.
    ///   - issues: The messages of the profile's issues.
    ///   - facts: Further facts about the profile.
    ///   - place: The position of the row in its view.
    package init(
        id: Int64, revision: Int64, name: String, cells: [String?], searching search: String, issues: [String],
        facts: [Fact], place: String
    ) {
        self.id = id
        self.revision = revision
        self.name = name
        let wanted = FoldedText(search)
        self.cells = cells.map { $0.map { Self.excerpt(of: $0, around: wanted) } }
        self.issues = issues
        self.facts = facts
        self.place = place
    }
}

extension BrowseRow {
    /// The maximum number of Unicode scalars of a value in a cell. A longer value is cut to this number of scalars. An
    /// ellipsis then replaces the text before and after the shown part.
    private static let longestCell = 300

    /// Whether a cell contains the whole value. A shortened value exceeds `longestCell`, because of its ellipsis.
    static func isWhole(_ cell: String) -> Bool { cell.unicodeScalars.count <= longestCell }

    private static func excerpt(of value: String, around wanted: FoldedText) -> String {
        // A text never has more scalars than bytes, so the byte count is a quick first check.
        let scalars = value.unicodeScalars
        guard value.utf8.count > longestCell, scalars.count > longestCell else { return value }
        var start = scalars.startIndex
        if let place = wanted.ranges(in: value).first,
            scalars.distance(from: start, to: place.upperBound) > longestCell
        {
            let beforeMatch = scalars.index(place.lowerBound, offsetBy: -longestCell / 2, limitedBy: start) ?? start
            start = min(beforeMatch, scalars.index(scalars.endIndex, offsetBy: -longestCell))
        }
        let shown = scalars[start...].prefix(longestCell)
        return (start > scalars.startIndex ? "…" : "") + String(shown) + (shown.endIndex < scalars.endIndex ? "…" : "")
    }
}

/// A column of the table.
package struct BrowseColumn: Hashable, Sendable {
    /// The name of the column.
    package let name: String
    package let title: String
    /// Whether the column contains numbers. They are aligned at the right. They are always shown in full, because a
    /// truncated number could be misread.
    package let isNumber: Bool
    /// Whether the column contains the keys of the profiles.
    package let isKey: Bool

    package init(_ name: String, title: String, isNumber: Bool = false, isKey: Bool = false) {
        self.name = name
        self.title = title
        self.isNumber = isNumber
        self.isKey = isKey
    }
}

/// The search, the filter and the order of the profiles that the table shows.
package struct BrowseView: Hashable, Sendable {
    /// The searched text. Each profile of the view contains this text in at least one field. The text is empty if there
    /// is no search.
    package var search = ""
    package var filter = Filter.everything
    /// The conditions on single columns. Each profile of the view meets all of them.
    package var conditions: [Condition] = []
    /// The sort order; nil for the order in which the profiles were stored.
    package var order: Order?

    package enum Filter: String, CaseIterable, Sendable {
        case everything
        case invalid
        case unjudged = "not judged yet"
    }

    /// A condition on the value of a column.
    package struct Condition: Hashable, Sendable {
        /// The name of the column.
        package let column: String
        /// The value; nil for profiles without a value.
        package let value: String?
        /// Whether the view leaves out the profiles with this value. If false, it contains only these profiles.
        package let isExcluded: Bool

        package init(column: String, value: String?, isExcluded: Bool) {
            self.column = column
            self.value = value
            self.isExcluded = isExcluded
        }
    }

    /// The maximum number of conditions; a query of the store cannot have more.
    package static let mostConditions = 50

    package struct Order: Hashable, Sendable {
        /// The name of the column.
        package let column: String
        package let isDescending: Bool

        package init(column: String, isDescending: Bool) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    package init() {}

    /// Whether the view contains all profiles in the order in which they were stored. The store finds a row of such a
    /// view without reading the rows before it.
    var hasNumberedRows: Bool { search.isEmpty && filter == .everything && conditions.isEmpty && order == nil }

    /// Returns the view without the conditions and the sort order whose columns no longer exist.
    func having(_ columns: [BrowseColumn]) -> BrowseView {
        var view = self
        view.conditions.removeAll { condition in !columns.contains { $0.name == condition.column } }
        if let order, !columns.contains(where: { $0.name == order.column }) { view.order = nil }
        return view
    }
}

/// The data that the table needs next.
package enum BrowseDemand: Hashable, Sendable {
    /// At most `count` rows of a view, read from a start. The reply may have fewer rows, although more rows follow. Its
    /// `goingOn` is the position where the next read continues.
    case rows(BrowseView, Start, count: Int)
    /// The number of rows in the view.
    case count(BrowseView)

    /// The position where reading starts.
    package enum Start: Hashable, Sendable {
        case first
        case after(String)
        /// The row with this index, counted from 0. Only a view of all profiles in the order in which they were stored is
        /// read from such a start.
        case row(Int)
        /// The rows before a position, in reverse order: the nearest row comes first.
        case before(String)
        /// The rows at the end of the view, in reverse order: the last row comes first.
        case last

        /// Whether the rows are read from the bottom to the top.
        package var isUpward: Bool {
            switch self {
            case .first, .after, .row: false
            case .before, .last: true
            }
        }
    }
}
