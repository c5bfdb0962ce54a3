internal import ProfileCore
internal import ProfileStore
internal import TerminalUI

// The rows and the columns of the table of all profiles.

extension ProfileRepository {
    /// Reads the rows or the count that a table demands.
    func supply(_ demand: BrowseDemand) async throws(ProfileStoreError) -> BrowseScreen.Reply {
        switch demand {
        case .count(let view): return .count(try await count(query(of: view)), view)
        case .rows(let view, let start, let count):
            var query = query(of: view)
            query.limit = count
            query.isReversed = start.isUpward
            var skipped = 0
            switch start {
            case .first, .last: break
            case .row(let index):
                let place = try await place(before: index)
                query.after = ProfileCursor(id: place.id)
                skipped = index - place.count
                query.limit += skipped
            case .after(let place), .before(let place): query.after = ProfileCursor(place)
            }
            // A search reads a limited number of ids at a time, so the first matches are shown early.
            let page =
                query.order == nil && (query.text != nil || query.status != nil || !query.conditions.isEmpty)
                ? try await page(of: query, lookingAt: Self.idsAtOnce) : try await profiles(query)
            let place = query
            let rows = page.profiles.dropFirst(skipped).map { profile in
                BrowseRow(profile, searching: view.search, place: place.cursor(at: profile))
            }
            let columns = (page.profiles.first?.schema ?? schema).browseColumns
            return .rows(rows, of: columns, demand, goingOn: page.next?.description)
        }
    }

    /// Returns an id before the row with this index, and the number of profiles up to this id. Rows are in the order
    /// of ids. At most `mostSkipped` profiles are between the id and the row. Counting ids takes a hundredth of the
    /// time of reading the profiles.
    private func place(before index: Int) async throws(ProfileStoreError) -> (id: Int64, count: Int) {
        guard let name = ProfileFact.id.rules?.name,
            let first = try await profiles(ProfileQuery(limit: 1)).profiles.first?.id,
            let last = try await profiles(ProfileQuery(isReversed: true, limit: 1)).profiles.first?.id
        else { return (0, 0) }
        var low = (id: first - 1, count: 0)
        var high = (id: last, count: try await count())
        // If the ids have no gaps, the first estimated id is right. Otherwise every second step halves the range of
        // ids, so the loop needs few steps.
        var halves = false
        while low.count + Self.mostSkipped < index, index < high.count, high.id - low.id > 1 {
            let share = halves ? 0.5 : Double(index - low.count) / Double(high.count - low.count)
            let id = low.id + max(1, min(high.id - low.id - 1, Int64(Double(high.id - low.id) * share)))
            let count = try await count(ProfileQuery([ProfileQuery.Condition(name, .isAtMost(String(id)))]))
            if count <= index { low = (id, count) } else { high = (id, count) }
            halves.toggle()
        }
        return index < high.count ? low : high
    }

    /// The maximum number of profiles that are read and not shown.
    private static let mostSkipped = 1_000

    /// Returns the query for the profiles of a view.
    func query(of view: BrowseView) -> ProfileQuery {
        let order = view.order.flatMap { order in
            FieldName(order.column).map { ProfileQuery.Order($0, isDescending: order.isDescending) }
        }
        let status: ProfileQuery.Status? =
            switch view.filter {
            case .everything: nil
            case .invalid: .invalid
            case .unjudged: .unjudged
            }
        let conditions = view.conditions.compactMap { condition in
            FieldName(condition.column).map { ProfileQuery.Condition($0, condition.comparison) }
        }
        return ProfileQuery(conditions, text: view.search.isEmpty ? nil : view.search, status: status, order: order)
    }

    /// The number of ids that a search reads at a time. Reading this number of ids takes some hundredths of a second.
    private static let idsAtOnce: Int64 = 50_000
}

extension ProfileSchema {
    var browseColumns: [BrowseColumn] {
        openFields.map { field in
            BrowseColumn(
                field.name.text, title: field.title, isNumber: field.type == .integer || field.type == .number,
                isKey: field.isPrimaryKey)
        }
    }

    /// Whether the schema still has all fields of a view's order and conditions.
    func hasColumns(of view: BrowseView) -> Bool {
        (view.conditions.map(\.column) + [view.order?.column].compactMap(\.self)).allSatisfy { column in
            openFields.contains { $0.name.text == column }
        }
    }
}

extension BrowseDemand {
    var view: BrowseView {
        switch self {
        case .count(let view), .rows(let view, _, _): view
        }
    }
}

extension BrowseView.Condition {
    fileprivate var comparison: ProfileQuery.Comparison {
        guard let value else { return isExcluded ? .isPresent : .isAbsent }
        return isExcluded ? .differs(from: value) : .equals(value)
    }
}

extension BrowseRow {
    fileprivate init(_ profile: Profile, searching search: String, place: ProfileCursor) {
        var facts: [Fact] = []
        if profile.schema.hasPassword { facts.append(Fact("Password", profile.hasPassword ? "set" : "not set")) }
        facts += [
            Fact("Revision", String(profile.revision)), Fact("Created", profile.createdAt.text),
            Fact("Updated", profile.updatedAt.text),
        ]
        self.init(
            id: profile.id, revision: profile.revision, name: profile.username, cells: profile.fields.map(\.value),
            searching: search, issues: profile.issues.map(\.message), facts: facts, place: place.description)
    }
}
