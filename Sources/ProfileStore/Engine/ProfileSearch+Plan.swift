package import ProfileCore

// The conditions that an index can serve. Each engine chooses among them, because it knows its indexes.
extension FieldRules {
    /// Whether the schema requires an index of the field's column.
    package var hasIndex: Bool { isPrimaryKey || isUnique || isIndexed }

    /// Whether the field's values are sorted as texts, as an index sorts them. Numbers and moments are not.
    package var isOrderedAsText: Bool {
        switch ValueOrder(self) {
        case .bytes, .ignoringCase: true
        case .number, .moment: false
        }
    }
}

extension ProfileSearch.Condition {
    /// An estimate of how many profiles an index leaves, the fewest first.
    package enum Rank: Comparable {
        /// At most one profile.
        case oneProfile
        case someProfiles
        case oneValue
        case someValues
        case bounds
        case absence
    }

    /// Returns the rank of the condition; nil if it cannot use an index. `hasIndex` is whether the engine has an index of
    /// the field's column.
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
