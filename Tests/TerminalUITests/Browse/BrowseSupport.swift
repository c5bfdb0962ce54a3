import ProfileCore
import TerminalUI

/// Profiles in memory that answer the demands of a table as a store does, in portions of any size.
struct BrowsedPeople {
    var people: [(id: Int64, name: String, age: Int?, issues: [String])]
    /// The maximum number of rows in a portion.
    var portion = Int.max
    /// The maximum number of rows that are examined for a portion, whether they match or not.
    var lookedAt = Int.max

    init(_ count: Int) {
        people = (0..<count).map { index in
            (Int64(index + 1), "person\(index)", index.isMultiple(of: 7) ? nil : index * 37 % 90, [])
        }
    }

    /// The columns of the table. A test replaces them as if the rules had changed.
    var columns = Self.columns

    /// A column whose cells are all x. If it is set, every profile matches every search.
    var wanted: String?

    static let columns = [
        BrowseColumn("username", title: "Username"), BrowseColumn("age", title: "Age", isNumber: true),
    ]

    /// All rows of a view.
    func rows(_ view: BrowseView) -> [BrowseRow] { everyone(view).filter { isFound($0, view) }.map(row) }

    private func everyone(_ view: BrowseView) -> [(id: Int64, name: String, age: Int?, issues: [String])] {
        guard let order = view.order else { return people }
        func key(_ index: Int) -> (Int, Int) {
            let place = order.column == "username" ? index : people[index].age ?? 1_000
            return (order.isDescending && place != 1_000 ? -place : place, order.isDescending ? -index : index)
        }
        return people.indices.sorted { key($0) < key($1) }.map { people[$0] }
    }

    private func isFound(_ person: (id: Int64, name: String, age: Int?, issues: [String]), _ view: BrowseView) -> Bool {
        (view.search.isEmpty || wanted != nil || person.name.contains(view.search))
            && (view.filter != .invalid || !person.issues.isEmpty)
            && view.conditions.allSatisfy { condition in
                let value = condition.column == "username" ? person.name : person.age.map(String.init)
                return (value == condition.value) != condition.isExcluded
            }
    }

    private func row(_ person: (id: Int64, name: String, age: Int?, issues: [String])) -> BrowseRow {
        BrowseRow(
            id: person.id, revision: 1, name: person.name,
            cells: columns.map { column in
                if column.name == wanted { return "x" }
                return column.name == "username" ? person.name : person.age.map(String.init)
            },
            searching: "", issues: person.issues,
            facts: [.init("Revision", "1")], place: String(person.id))
    }

    /// The answer to a demand, as a store would give it.
    func answer(_ demand: BrowseDemand) -> BrowseScreen.Reply {
        switch demand {
        case .count(let view): return .count(rows(view).count, view)
        case .rows(let view, let start, let count):
            var everyone = everyone(view)
            if start.isUpward { everyone.reverse() }
            switch start {
            case .first, .last: break
            case .row(let index): everyone.removeFirst(min(index, everyone.count))
            case .after(let place), .before(let place):
                // If the profile at this place was removed, no row is skipped.
                let index = everyone.firstIndex { String($0.id) == place }
                everyone.removeFirst(index.map { $0 + 1 } ?? 0)
            }
            var found: [BrowseRow] = []
            for (index, person) in everyone.enumerated() {
                if found.count == min(count, portion) || index == lookedAt {
                    return .rows(found, of: columns, demand, goingOn: String(everyone[index - 1].id))
                }
                if isFound(person, view) { found.append(row(person)) }
            }
            return .rows(found, of: columns, demand, goingOn: nil)
        }
    }
}

extension BrowseScreen {
    /// A table of people that has read everything that it demands.
    static func browsing(_ people: BrowsedPeople, at place: Place = Place(), rows: Int = 24) -> BrowseScreen {
        var screen = BrowseScreen(columns: BrowsedPeople.columns, at: place)
        screen.resize(to: ScreenSize(columns: 80, rows: rows))
        screen.read(people)
        return screen
    }

    /// Answers all demands of the screen.
    mutating func read(_ people: BrowsedPeople) { while let demand { receive(people.answer(demand)) } }

    /// Presses keys, and answers all demands of the screen after each key.
    @discardableResult
    mutating func press(_ keys: Key..., reading people: BrowsedPeople) -> ScreenAction<Request>? {
        var action: ScreenAction<Request>?
        for key in keys {
            action = handle(key)
            read(people)
        }
        return action
    }

    mutating func type(_ text: String, reading people: BrowsedPeople) {
        for character in text { press(.character(character), reading: people) }
    }

    /// The value of a name in the screen's state, as text.
    func told(_ name: String) -> String {
        guard case .object(let members) = state, let value = members.first(where: { $0.name == name })?.value else {
            return "nothing"
        }
        return value.string ?? value.text()
    }

    /// The names in sight.
    var names: [String] {
        guard case .object(let members) = state,
            case .array(let rows)? = members.first(where: { $0.name == "rows" })?.value
        else { return [] }
        return rows.compactMap(\.string)
    }
}

extension JSONValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
