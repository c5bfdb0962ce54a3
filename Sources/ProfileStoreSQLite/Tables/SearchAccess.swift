internal import ProfileCore
internal import ProfileStore

/// The way in which SQLite finds the profiles of a search. The SQL of the statement prevents the query planner from
/// choosing another way.
struct SearchAccess {
    enum Way: Equatable {
        /// Uses the index of a field. The associated value is the position of the condition on this field in the list
        /// of conditions.
        case condition(Int)
        /// Uses the index of invalid profiles.
        case marks
        /// Scans an index in the sort order, between the bounds that the conditions set.
        case order
        /// Reads every profile.
        case everything
    }

    let way: Way
    /// Whether the search reads only the profiles of its page, and at most `fewProfiles` profiles. Such a search runs
    /// on the caller's thread.
    let isBrief: Bool
    let plan: QueryPlan

    init(_ search: ProfileSearch) {
        let conditions = search.conditions
        if let order = search.walkedField {
            way = .order
            isBrief = search.limit <= Self.fewProfiles
            plan = .index(order.map { [$0.name] } ?? [])
            return
        }
        // If the conditions are joined by OR, the index for one condition finds only a part of the matching profiles.
        let best = (search.joinsByOr ? 0..<0 : conditions.indices).compactMap { index in
            conditions[index].rank(havingIndex: conditions[index].field.hasColumnIndex)
                .map { (rank: $0, index: index) }
        }.min { ($0.rank, $0.index) < ($1.rank, $1.index) }
        let isAlone = conditions.count == 1 && search.status == nil && search.text == nil && search.order == nil
        if let best, best.rank < .bounds || !search.isOfInvalid {
            way = .condition(best.index)
            plan = .index([conditions[best.index].field.name])
            isBrief = best.rank == .oneProfile || best.rank == .oneValue && isAlone && search.limit <= Self.fewProfiles
        } else if search.isOfInvalid {
            way = .marks
            plan = .index([])
            isBrief =
                conditions.isEmpty && search.text == nil && search.order == nil && search.limit <= Self.fewProfiles
        } else {
            way = .everything
            plan = .everything
            isBrief = false
        }
    }

    /// The maximum number of profiles that a search may read on a thread of Swift's concurrency pool.
    private static let fewProfiles = 1_000
}

extension FieldRules {
    /// Whether the store's database has an index of the field's column. The column `phone` has an index under every
    /// schema.
    fileprivate var hasColumnIndex: Bool { hasIndex || column == ProfileTable.phone }
}

extension ProfileSearch {
    fileprivate var isOfInvalid: Bool { if case .invalid = status { true } else { false } }

    /// The sort field, if its index can be scanned in the sort order and all conditions are bounds of this field.
    /// `.some(nil)` means that the profiles are sorted by id. Nil in all other cases.
    fileprivate var walkedField: FieldRules?? {
        guard status == nil, text == nil else { return nil }
        guard let order else { return conditions.isEmpty ? .some(nil) : nil }
        guard let field = order.field, field.hasColumnIndex, field.isOrderedAsText,
            !joinsByOr, conditions.allSatisfy({ $0.field.name == field.name && $0.comparison.isBound })
        else { return nil }
        return field
    }
}

extension ProfileQuery.Comparison {
    /// Whether the comparison is a lower bound, an upper bound or a prefix.
    var isBound: Bool {
        switch self {
        case .hasPrefix, .isLess, .isAtMost, .isGreater, .isAtLeast: true
        default: false
        }
    }
}
