package import ProfileCore

/// A validated query: each of its fields exists and is not secret, and its values are in their stored form.
package struct ProfileSearch: Sendable {
    /// A condition on the value of a field.
    package struct Condition: Sendable {
        /// A non-secret field of the schema, or the field of a `ProfileFact`.
        package let field: FieldRules
        package let comparison: ProfileQuery.Comparison

        package init(_ field: FieldRules, _ comparison: ProfileQuery.Comparison) {
            self.field = field
            self.comparison = comparison
        }
    }

    /// A non-secret field whose values define the order of profiles. Profiles without a value come last. In descending
    /// order, the greatest values come first.
    package struct SortField: Sendable {
        package let field: FieldRules
        package let isDescending: Bool

        package init(_ field: FieldRules, isDescending: Bool) {
            self.field = field
            self.isDescending = isDescending
        }
    }

    /// The order of the profiles. Profiles with equal values, or with equally good matches, are sorted by id.
    package enum Order: Sendable {
        /// The order of the values of the first field, then of the next field, and so on. Profiles with equal values in
        /// all fields are sorted by id, in the direction of the last field. There is at least one field.
        case fields([SortField])
        /// The order of relevance: profiles are sorted by the quality of their best match with this text. The best
        /// matches come first. Among equally good matches, the smallest ids come first.
        case relevance(of: FoldedText)

        /// The order of the values of one field.
        package static func field(_ field: FieldRules, isDescending: Bool) -> Order {
            .fields([SortField(field, isDescending: isDescending)])
        }

        /// The only sort field; nil in an order of several fields and in the order of relevance.
        package var field: FieldRules? { fields.count == 1 ? fields[0].field : nil }

        /// The fields whose values define the order; none in the order of relevance.
        package var fields: [SortField] { if case .fields(let fields) = self { fields } else { [] } }

        /// Whether profiles with equal values are sorted by descending id.
        package var isDescending: Bool { fields.last?.isDescending ?? false }

        /// Whether the order has only one sort field, and a profile can lack a value in this field. Profiles without a
        /// value come last.
        package var hasAbsent: Bool { field.map { !$0.isPrimaryKey } ?? false }
    }

    /// A condition on the validation of profiles, or on the version of the schema under which passwords were set.
    package enum Status: Sendable {
        case invalid
        /// The profile was last validated by one of these versions of the schema.
        case judged(by: [Int])
        /// The profile's password was set under a version of the schema that is not in this list.
        case hasPassword(setUnderOthersThan: [Int])
    }

    /// The conditions. A profile must meet all conditions, or one of them if ``joinsByOr`` is true.
    package var conditions: [Condition]
    /// Whether a profile needs to meet only one of the conditions. False if there are fewer than two conditions.
    package var joinsByOr = false
    /// A text that at least one non-secret field must contain.
    package var text: FoldedText?
    package var status: Status?
    /// The order; nil for the order of ids.
    package var order: Order?
    /// Whether the whole order is reversed. Profiles without a value then come first.
    package var isReversed: Bool
    /// The maximum number of profiles of a page.
    package var limit: Int
    /// The cursor after which the page begins. It must come from a search with the same order.
    package var after: ProfileCursor?
    /// The maximum number of bytes. The page ends as soon as its profiles reach this number of bytes.
    package var mostBytes: Int
    /// The last id that the search reads. If there is a last id, the search must be sorted by id.
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

    /// Whether small values, small ids and good matches come first.
    package var isAscending: Bool { (order?.isDescending ?? false) == isReversed }

    /// Returns the cursor of the profile that has this id, and these values in the sort fields.
    package func cursor(id: Int64, values: [[UInt8]?]) -> ProfileCursor {
        let asked: ProfileQuery.Order? =
            switch order {
            case nil: nil
            case .fields(let fields):
                .fields(fields.map { ProfileQuery.SortField($0.field.name, isDescending: $0.isDescending) })
            case .relevance: .relevance
            }
        return ProfileCursor(id: id, order: asked, values: values)
    }
}

extension ProfileSearch {
    /// Throws an error if a page is out of order. The cursor for the next page must come after the search's cursor. In
    /// the order of ids, each profile must also come after the previous one.
    ///
    /// A damaged file may contain a profile twice. If a page could return to an earlier position, a reader that reads
    /// page after page would never finish.
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

    /// Creates a search from a query, by the rules of a validator.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - versions: The versions of the schema whose rules differ from the rules of `validator`. These versions are
    ///     needed only if the query asks for profiles that the rules in force have not validated yet.
    ///   - mostBytes: See ``mostBytes``.
    ///   - validator: The rules.
    /// - Throws: `invalidQuery` with all issues.
    package init(
        _ query: ProfileQuery, otherVersions versions: [Int] = [], mostBytes: Int = .max, by validator: ProfileValidator
    ) throws(ProfileStoreError) {
        var issues: [ValidationIssue] = []
        func field(_ name: FieldName) -> FieldRules? {
            if let rules = validator.schema[name], !rules.isSecret { return rules }
            if let rules = ProfileFact(name: name.text)?.rules { return rules }
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
        case .fields(let fields):
            order = .fields(
                fields.prefix(Self.mostSortFields).compactMap { sort in
                    field(sort.field).map { SortField($0, isDescending: sort.isDescending) }
                })
            if !(1...Self.mostSortFields).contains(fields.count) {
                issues.append(ValidationIssue(nil, .badFormat(expected: .sortFields(most: Self.mostSortFields))))
            }
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
        let after = query.after?.renamed(by: validator.schema)
        if let after, !after.isPlace(in: query.order) {
            issues.append(ValidationIssue(nil, .badFormat(expected: .cursorOfSameOrder)))
        }
        guard issues.isEmpty else { throw .invalidQuery(issues) }
        self.init(
            conditions: conditions, text: text,
            status: query.status.map { $0 == .invalid ? .invalid : .judged(by: versions) }, order: order,
            isReversed: query.isReversed, limit: max(1, min(query.limit, 100_000)), after: after,
            mostBytes: mostBytes)
        joinsByOr = query.joinsByOr && conditions.count > 1
    }

    /// Databases limit the size of a statement.
    private static let mostConditions = 50
    private static let mostValues = 500
    private static let mostSortFields = 10
}

extension ProfileQuery.Comparison {
    /// Returns the same comparison with transformed values. If a comparison searches for a part of a value, as
    /// `contains` does, it stays unchanged.
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
