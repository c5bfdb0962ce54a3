internal import ProfileCore
internal import ProfileStore

/// How SQLite gets at the profiles of a search. The statement is written so that its planner has no other choice.
struct SearchAccess {
    enum Way: Equatable {
        /// By the index of the field that this condition is about.
        case condition(Int)
        /// By the index of profiles that were found invalid.
        case marks
        /// From place to place in the search's order, between the bounds of its conditions.
        case order
        case everything
    }

    let way: Way
    /// Whether no more is read than a page has, and that is so little that it takes no time.
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
        let best = conditions.indices.compactMap { index in
            conditions[index].rank.map { (rank: $0, index: index) }
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

    /// As many as a thread of Swift's may be kept for.
    private static let fewProfiles = 1_000
}

extension FieldRules {
    /// Whether SQLite has an index of its column, in the order of its bytes.
    var hasIndex: Bool { isUnique || isPrimaryKey || isIndexed || column == ProfileTable.phone }

    /// Whether that index has the order of the field's values too.
    var hasOrderedIndex: Bool {
        switch ValueOrder(self) {
        case .bytes, .ignoringCase: hasIndex
        case .number, .moment: false
        }
    }
}

extension ProfileSearch {
    fileprivate var isOfInvalid: Bool { if case .invalid = status { true } else { false } }

    /// The field whose index has the search's order, where all conditions bound that too; nothing in it for the order of
    /// ids.
    fileprivate var walkedField: FieldRules?? {
        guard status == nil, text == nil else { return nil }
        guard let order else { return conditions.isEmpty ? .some(nil) : nil }
        guard let field = order.field, field.hasOrderedIndex,
            conditions.allSatisfy({ $0.field.name == field.name && $0.comparison.isBound })
        else { return nil }
        return field
    }
}

extension ProfileSearch.Condition {
    /// How few profiles are left by an index, the fewest first.
    enum Rank: Comparable {
        /// At the most.
        case oneProfile
        case someProfiles
        case oneValue
        case someValues
        case bounds
        case absence
    }

    /// Nil where no index serves.
    var rank: Rank? {
        guard field.hasIndex else { return nil }
        let isUnique = field.isUnique || field.isPrimaryKey
        return switch comparison {
        case .equals: isUnique ? .oneProfile : .oneValue
        case .isAny: isUnique ? .someProfiles : .someValues
        case .hasPrefix: .bounds
        case .isLess, .isAtMost, .isGreater, .isAtLeast: field.hasOrderedIndex ? .bounds : nil
        // SQLite knows that every profile has a primary key.
        case .isAbsent: field.isPrimaryKey ? nil : .absence
        case .differs, .contains, .isPresent: nil
        }
    }
}

extension ProfileQuery.Comparison {
    /// Whether the values that meet it are a part of the order.
    var isBound: Bool {
        switch self {
        case .hasPrefix, .isLess, .isAtMost, .isGreater, .isAtLeast: true
        default: false
        }
    }
}
