internal import ProfileCore

/// A profile in the table: what is shown of it, and where the table goes on from it.
package struct BrowseRow: Hashable, Sendable {
    package let id: Int64
    package let revision: Int64
    /// What it is known by.
    package let name: String
    /// By column; nil where there is no value. Of a long value so much as is ever shown, with the first place of what was
    /// searched for: a key must not wait for all of it to be looked through.
    package let cells: [String?]
    /// What is wrong with it, in words.
    package let issues: [String]
    /// What else there is to know of it, by name.
    package let facts: [Fact]
    /// Its place in the view that it was read for.
    package let place: String

    package struct Fact: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Makes a row of a profile's values.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - revision: Its revision.
    ///   - name: What it is known by.
    ///   - cells: Its values, by column.
    ///   - search: What was searched for; empty for nothing.
    ///   - issues: What is wrong with it.
    ///   - facts: What else there is to know.
    ///   - place: Its place in the view.
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
    /// In Unicode scalars.
    private static let longestCell = 300

    private static func excerpt(of value: String, around wanted: FoldedText) -> String {
        // A text has no more scalars than bytes.
        let scalars = value.unicodeScalars
        guard value.utf8.count > longestCell, scalars.count > longestCell else { return value }
        var start = scalars.startIndex
        if let place = wanted.ranges(in: value).first,
            scalars.distance(from: start, to: place.upperBound) > longestCell
        {
            start = scalars.index(place.lowerBound, offsetBy: -longestCell / 2)
        }
        let shown = scalars[start...].prefix(longestCell)
        return (start > scalars.startIndex ? "…" : "") + String(shown) + (shown.endIndex < scalars.endIndex ? "…" : "")
    }
}

/// A column of the table.
package struct BrowseColumn: Hashable, Sendable {
    /// What it is known by.
    package let name: String
    package let title: String
    /// Whether a part of a cell would be misread, as it would of a number.
    package let isWhole: Bool
    /// Whether rows are told apart by it.
    package let isKey: Bool

    package init(_ name: String, title: String, isWhole: Bool = false, isKey: Bool = false) {
        self.name = name
        self.title = title
        self.isWhole = isWhole
        self.isKey = isKey
    }
}

/// Which profiles the table shows, and in which order.
package struct BrowseView: Hashable, Sendable {
    /// What any of their fields contains; all are shown where it is empty.
    package var search = ""
    package var filter = Filter.everything
    /// Nil for the order in which they came.
    package var order: Order?

    package enum Filter: String, CaseIterable, Sendable {
        case everything
        case invalid
        case unjudged = "not judged yet"
    }

    package struct Order: Hashable, Sendable {
        /// The column's name.
        package let column: String
        package let isDescending: Bool

        package init(column: String, isDescending: Bool) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    package init() {}

    /// The view without an order by a column that is gone.
    func having(_ columns: [BrowseColumn]) -> BrowseView {
        var view = self
        if let order, !columns.contains(where: { $0.name == order.column }) { view.order = nil }
        return view
    }
}

/// What the table has to be told next.
package enum BrowseDemand: Hashable, Sendable {
    /// So many rows of a view from somewhere on; fewer may come, with the place to go on.
    case rows(BrowseView, Start, count: Int)
    /// How many rows the view has.
    case count(BrowseView)

    /// Where rows are read.
    package enum Start: Hashable, Sendable {
        case first
        case after(String)
        /// The rows before a place, the nearest first.
        case before(String)
        /// The last row first.
        case last

        /// Whether rows come from the bottom to the top.
        package var isUpward: Bool {
            switch self {
            case .first, .after: false
            case .before, .last: true
            }
        }
    }
}
