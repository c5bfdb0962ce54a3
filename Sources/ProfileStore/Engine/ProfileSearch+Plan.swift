package import ProfileCore

// The conditions that an index can serve. Each engine chooses among these conditions, because only the engine knows
// which indexes exist.
extension FieldRules {
    /// Whether the schema requires an index of the field's column.
    package var hasIndex: Bool { isPrimaryKey || isUnique || isIndexed }

    /// Whether the field's values are sorted as texts. An index sorts every value as text, but numbers and times need
    /// another order.
    package var isOrderedAsText: Bool {
        switch ValueOrder(self) {
        case .bytes, .ignoringCase: true
        case .number, .moment: false
        }
    }
}

extension ProfileSearch.Condition {
    /// An estimate of how many profiles a search reads if it uses an index for the condition. The cases are sorted by
    /// the estimate, the smallest first.
    package enum Rank: Comparable {
        /// At most one profile.
        case oneProfile
        case someProfiles
        case oneValue
        case someValues
        case bounds
        case absence
    }

    /// Returns the rank of the condition; nil if no index can serve it. `hasIndex` is true if the engine has an index
    /// of the field's column.
    package func rank(havingIndex hasIndex: Bool) -> Rank? {
        guard hasIndex else { return nil }
        let isUnique = field.isUnique || field.isPrimaryKey
        return switch comparison {
        case .equals: isUnique ? .oneProfile : .oneValue
        case .isAny: isUnique ? .someProfiles : .someValues
        case .hasPrefix: .bounds
        case .isLess, .isAtMost, .isGreater, .isAtLeast: field.isOrderedAsText ? .bounds : nil
        // The column of the primary key is never NULL.
        case .isAbsent: field.isPrimaryKey ? nil : .absence
        case .differs, .contains, .isPresent: nil
        }
    }
}
