/// The evidence that later files will satisfy a rule which all values of a column satisfy (N10).
///
/// Rows in random order are independent observations. If a file is sorted or grouped by a column, many rows together
/// are one observation. The limits below count observations. They were calibrated with 131 public tables, so that few
/// rules break and most rules are found: 98 of 100 rules that were proposed from the first half of a table were broken
/// by at most one in 1,000 rows of the other half. Of the rules that the whole table satisfies, 64 of 100 were proposed.
struct RuleEvidence {
    /// The number of values, or fewer if the rows are sorted or grouped by the column.
    let observations: Int
    /// The number of observations since the last new value; nil if the column has many distinct values or a long value.
    private let sinceNewValue: Int?
    /// Whether some value occurs only once. The number of such values estimates how many values are still unseen (I. J.
    /// Good, "The Population Frequencies of Species", 1953).
    private let hasSingleValue: Bool
    private let isConstant: Bool
    private let values: Int
    private let isKey: Bool

    /// The number of observations that a rule needs.
    static let enough = 200
    /// The number of observations that are needed for a `maxLength` of twice the greatest length.
    private static let enoughForRoom = 100

    /// - Parameters:
    ///   - column: The evidence from the column's values.
    ///   - isKey: Whether the column is the key, or could be the key by its name and its values.
    init(_ column: ColumnEvidence, isKey: Bool) {
        values = column.values
        self.isKey = isKey
        let entries = column.distinct.entries
        hasSingleValue = entries?.contains { $0.count == 1 } ?? true
        // In a random order, rises and falls are equally frequent, and `equal` is the expected share of equal
        // neighbours.
        let equal = entries?.reduce(0) { sum, entry in
            let share = Double(entry.count) / Double(max(1, column.values))
            return sum + share * share
        }
        let differing = max(1 - (equal ?? 0), 1 / Double(max(1, column.values)))
        observations = min(column.values, Int(2 * Double(min(column.order.rises, column.order.falls)) / differing))
        let share = Double(column.values - column.distinct.lastArrival) / Double(max(1, column.values))
        sinceNewValue = entries == nil ? nil : Int(share * Double(observations))
        isConstant = entries?.count == 1
    }

    /// Whether further rows will hardly ever have new values.
    var isComplete: Bool { !hasSingleValue && (sinceNewValue ?? 0) >= Self.enough }

    /// Whether further values will have the same length, characters or shape.
    var isUniform: Bool { isComplete || sinceNewValue == nil && observations >= Self.enough }

    /// Whether hardly any further value will be more than twice as long as the longest.
    var isBounded: Bool { isComplete || observations >= Self.enoughForRoom }

    /// Whether further rows will hardly ever repeat a value, if no row does so far.
    var isUnique: Bool { values >= Self.enough }

    /// Whether further rows will hardly ever lack a value. In a file that is sorted by a column, the rows that lack a
    /// value usually come last.
    var isAlwaysThere: Bool { observations >= Self.enough || isKey && values >= Self.enough }

    /// The reason why a rule is left out.
    var reason: WithheldRule.Reason {
        if values < Self.enough { return .fewValues }
        if isConstant { return .oneValue }
        guard observations < Self.enough else { return .newValues }
        // For rows in random order, `observations` is near the number of values, but can be a little less.
        return observations < values / 2 ? .sortedRows : .fewValues
    }
}
