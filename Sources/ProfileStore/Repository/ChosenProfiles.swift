internal import ProfileCore

/// The profiles that a write of many profiles reads and changes: those that a query finds, or those with given ids.
struct ChosenProfiles: Sendable {
    /// The query. If the profiles are given by ids, this query has no conditions. The query of each page then gets a
    /// condition with the ids of one group.
    private let query: ProfileQuery
    /// The ids in ascending order, in groups that fit into a query. Nil if the query finds the profiles.
    private let groups: [[Int64]]?

    /// The position of a page.
    struct Place: Sendable {
        fileprivate var group = 0
        fileprivate var cursor: ProfileCursor?
    }

    /// The maximum number of profiles of a page, and so of a transaction.
    static let mostOfPage = 1_000

    /// All profiles that a query finds.
    init(matching query: ProfileQuery) {
        self.query = query.limited(to: Self.mostOfPage)
        groups = nil
    }

    /// The profiles with these ids, in the order of ids.
    init(ids: some Sequence<Int64>) {
        query = ProfileQuery(limit: Self.groupSize)
        let ids = Set(ids).sorted()
        groups = stride(from: 0, to: ids.count, by: Self.groupSize).map {
            Array(ids[$0..<min($0 + Self.groupSize, ids.count)])
        }
    }

    /// A query has at most 500 values.
    private static let groupSize = 500

    /// The position of the first page; nil if there is no page.
    var start: Place? { groups?.isEmpty == true ? nil : Place(cursor: query.after) }

    /// Returns a page, and the position of the next page. The position is nil after the last page.
    func page(
        at place: Place, in repository: ProfileRepository
    ) async throws(ProfileStoreError) -> (page: ProfilePage, next: Place?) {
        let ids = groups?[place.group]
        var query = query(for: ids)
        // The page is limited to the range from the first to the last id of the group. Without these limits, the query
        // for each group would read the whole store.
        query.after = place.cursor ?? ids?.first.map { ProfileCursor(id: $0 - 1) }
        let page = try await repository.page(of: query, through: ids?.last)
        if let next = page.next { return (page, Place(group: place.group, cursor: next)) }
        let group = place.group + 1
        return (page, group < groups?.count ?? 0 ? Place(group: group) : nil)
    }

    /// Returns a page with the profile that has the given id. The page is empty if the profile was removed, or if the
    /// query no longer finds it.
    func page(id: Int64, in repository: ProfileRepository) async throws(ProfileStoreError) -> ProfilePage {
        var query = query(for: groups.map { _ in [id] })
        query.after = ProfileCursor(id: id - 1)
        return try await repository.page(of: query, through: id)
    }

    private func query(for ids: [Int64]?) -> ProfileQuery {
        guard let ids, let name = ProfileFact.id.rules?.name else { return query }
        var query = query
        query.conditions = [ProfileQuery.Condition(name, .isAny(of: ids.map { String($0) }))]
        return query
    }
}

extension ProfileQuery {
    fileprivate func limited(to limit: Int) -> ProfileQuery {
        var query = self
        query.limit = limit
        return query
    }

    /// The query in the order of ids. This is the only order that an edit cannot change.
    var inOrderOfIDs: ProfileQuery {
        var query = self
        (query.order, query.isReversed, query.after) = (nil, false, nil)
        return query
    }
}
