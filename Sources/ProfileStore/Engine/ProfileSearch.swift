package import ProfileCore

/// Which profiles to find: a query whose fields are known and whose values are in the form in which they are stored.
package struct ProfileSearch: Sendable {
    /// What the value of a field must be.
    package struct Condition: Sendable {
        /// One of the rules' fields that are not secret.
        package let field: FieldRules
        package let comparison: ProfileQuery.Comparison

        package init(_ field: FieldRules, _ comparison: ProfileQuery.Comparison) {
            self.field = field
            self.comparison = comparison
        }
    }

    /// By what profiles are put in order, then by their ids.
    package enum Order: Sendable {
        /// By the values of one of the rules' fields that are not secret; those without a value come last. Whether the
        /// greatest values, and among the same ones the greatest ids, come first.
        case field(FieldRules, isDescending: Bool)
        /// By how well this matches the one of the values of those fields that it matches best; the best come first, and
        /// among the same ones the smallest ids.
        case relevance(of: FoldedText)

        /// The field whose values are in order.
        package var field: FieldRules? { if case .field(let field, _) = self { field } else { nil } }

        /// Whether the order turns round that of the ids.
        package var isDescending: Bool { if case .field(_, isDescending: true) = self { true } else { false } }

        /// Whether there are profiles without a place, which come last.
        package var hasAbsent: Bool { field.map { !$0.isPrimaryKey } ?? false }
    }

    /// How profiles were judged.
    package enum Status: Sendable {
        case invalid
        /// By one of these versions of the schema.
        case judged(by: [Int])
    }

    /// All must hold.
    package var conditions: [Condition]
    /// What any of the rules' fields that are not secret contains.
    package var text: FoldedText?
    package var status: Status?
    /// Nil for the order of ids.
    package var order: Order?
    /// Whether the whole order is turned round, absent values included.
    package var isReversed: Bool
    /// Most profiles.
    package var limit: Int
    /// Only profiles that come after this place, which is one of the same order.
    package var after: ProfileCursor?
    /// The page ends with the profile that takes it to so many bytes.
    package var mostBytes: Int
    /// No profile beyond this id is looked at; its own order is that of ids.
    package var lastID: Int64?

    package init(
        conditions: [Condition] = [], text: FoldedText? = nil, status: Status? = nil, order: Order? = nil,
        isReversed: Bool = false, limit: Int = 100, after: ProfileCursor? = nil, mostBytes: Int = .max
    ) {
        self.conditions = conditions
        self.text = text
        self.status = status
        self.order = order
        self.isReversed = isReversed
        self.limit = limit
        self.after = after
        self.mostBytes = mostBytes
    }

    /// Whether small values and ids, and better matches, come before great ones.
    package var isAscending: Bool { (order?.isDescending ?? false) == isReversed }

    /// The place of a profile that was found, by its id and what it has in the order's field.
    package func cursor(id: Int64, value: [UInt8]?) -> ProfileCursor {
        let asked: ProfileQuery.Order? =
            switch order {
            case nil: nil
            case .field(let field, let isDescending): .field(field.name, isDescending: isDescending)
            case .relevance: .relevance
            }
        return ProfileCursor(id: id, order: asked, value: value)
    }
}

extension ProfileSearch {
    /// Throws unless a page begins behind the place that the search goes on after, and ends further on.
    ///
    /// A damaged file may hold profiles twice. A walk from page to page that goes back would never end.
    /// - Throws: `corrupt`.
    func requireOrder(of page: ProfilePage) throws(ProfileStoreError) {
        if let after, let next = page.next, !precedes(after, next) { throw .outOfOrder(next.id, after: after.id) }
        guard order == nil else { return }
        var last = after?.id
        for profile in page.profiles {
            if let last, isReversed ? profile.id >= last : profile.id <= last {
                throw .outOfOrder(profile.id, after: last)
            }
            last = profile.id
        }
    }

    /// Reads a query by some rules.
    ///
    /// - Parameters:
    ///   - query: What is asked for.
    ///   - versions: The versions of the schema that have not judged as these rules do; they matter where profiles are
    ///     asked for that are not judged yet.
    ///   - mostBytes: See ``mostBytes``.
    ///   - validator: The rules.
    /// - Throws: `invalidQuery` with everything that is wrong.
    package init(
        _ query: ProfileQuery, otherVersions versions: [Int] = [], mostBytes: Int = .max, by validator: ProfileValidator
    ) throws(ProfileStoreError) {
        var issues: [ValidationIssue] = []
        func field(_ name: FieldName) -> FieldRules? {
            if let rules = validator.schema[name], !rules.isSecret { return rules }
            issues.append(ValidationIssue(nil, .unknownField(name.text)))
            return nil
        }
        func stored(_ value: String, _ rules: FieldRules) -> String {
            do throws(ValidationFailure) {
                return try validator.searchedForm(of: value, in: rules.name)
            } catch {
                issues += error.issues
                return value
            }
        }
        var conditions: [Condition] = []
        for condition in query.conditions.prefix(Self.mostConditions) {
            guard let rules = field(condition.field) else { continue }
            conditions.append(Condition(rules, condition.comparison.mapValues { stored($0, rules) }))
        }
        let text = query.text.map { FoldedText($0) }
        var order: Order?
        switch query.order {
        case nil: break
        case .field(let name, let isDescending): order = field(name).map { .field($0, isDescending: isDescending) }
        case .relevance:
            order = text.map { .relevance(of: $0) }
            if order == nil { issues.append(ValidationIssue(nil, .badFormat(expected: .textForRelevance))) }
        }
        if query.conditions.count > Self.mostConditions {
            issues.append(ValidationIssue(nil, .badFormat(expected: .conditions(most: Self.mostConditions))))
        }
        if query.conditions.reduce(0, { $0 + $1.comparison.valueCount }) > Self.mostValues {
            issues.append(ValidationIssue(nil, .badFormat(expected: .conditionValues(most: Self.mostValues))))
        }
        if let after = query.after, !after.isPlace(in: query.order) {
            issues.append(ValidationIssue(nil, .badFormat(expected: .cursorOfSameOrder)))
        }
        guard issues.isEmpty else { throw .invalidQuery(issues) }
        self.init(
            conditions: conditions, text: text,
            status: query.status.map { $0 == .invalid ? .invalid : .judged(by: versions) }, order: order,
            isReversed: query.isReversed, limit: max(1, min(query.limit, 100_000)), after: query.after,
            mostBytes: mostBytes)
    }

    /// Databases bound how much a statement says.
    private static let mostConditions = 50
    private static let mostValues = 500
}

extension ProfileQuery.Comparison {
    /// The same comparison, with other values where whole values are compared.
    fileprivate func mapValues(_ transform: (String) -> String) -> Self {
        switch self {
        case .equals(let value): .equals(transform(value))
        case .differs(let value): .differs(from: transform(value))
        case .isLess(let value): .isLess(than: transform(value))
        case .isAtMost(let value): .isAtMost(transform(value))
        case .isGreater(let value): .isGreater(than: transform(value))
        case .isAtLeast(let value): .isAtLeast(transform(value))
        case .isAny(let values): .isAny(of: values.map(transform))
        case .hasPrefix, .contains, .isAbsent, .isPresent: self
        }
    }

    fileprivate var valueCount: Int {
        switch self {
        case .isAny(let values): values.count
        case .isAbsent, .isPresent: 0
        default: 1
        }
    }
}
