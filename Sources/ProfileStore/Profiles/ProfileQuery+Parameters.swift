internal import ProfileCore

extension ProfileQuery.Condition {
    /// Reads a comparison in the notation of the command's option `--where`: `age>=30`, `city=Bath`, `city!=Bath`.
    /// `city=` finds the profiles without a city, and `city!=` finds the profiles with a city. Returns nil for any
    /// other text.
    ///
    /// The text before the operator is the name of a field, or a fact such as `_id`. Whether the field or the fact
    /// exists is checked when the query runs.
    public init?(_ text: String) {
        guard let written = try? WrittenCondition(comparing: text), let condition = try? Self(written) else {
            return nil
        }
        self = condition
    }

    fileprivate init(_ written: WrittenCondition) throws(QueryParameterError.Reason) {
        self.init(try .of(written.field), written.comparison)
    }
}

extension ProfileQuery {
    private enum Parameter: String, CaseIterable {
        case comparison = "where"
        case choice = "any"
        case content = "contains"
        case text = "q"
        case joinsByOr = "or"
        case status, sort
        case isReversed = "reversed"
        case limit, after

        var mayBeRepeated: Bool { [.comparison, .choice, .content, .sort].contains(self) }
    }

    /// The value of `sort` for the order of the best match. No field has this name.
    private static let relevance = "_relevance"

    /// Reads a query from names and values, such as the parameters of a URL:
    /// `?where=age>=30&where=city!=&any=level=basic,gold&sort=age:desc&sort=name&limit=50`.
    ///
    /// | name | value |
    /// |---|---|
    /// | `where` | a comparison: `age>=30`, `city=`; see ``Condition``; may be repeated |
    /// | `any` | any of several values: `city=Bath,Leeds`; `\,` is a comma within a value; may be repeated |
    /// | `contains` | a text anywhere in a field: `city=ath`; may be repeated |
    /// | `q` | the ``text`` that any field contains |
    /// | `or` | whether a profile needs to meet only one of the conditions: `true` or `false` |
    /// | `status` | `invalid` or `unjudged` |
    /// | `sort` | `age`, `age:asc` or `age:desc`, may be repeated; or `_relevance` alone |
    /// | `reversed` | whether the whole order is reversed: `true` or `false` |
    /// | `limit` | the ``limit``, from 1 to `mostLimit` |
    /// | `after` | the cursor of the previous page |
    ///
    /// - Parameters:
    ///   - parameters: The names and values, decoded from the notation of URLs.
    ///   - mostLimit: The greatest ``limit`` that a caller may ask for, at least 1. It also limits ``usualLimit``, which
    ///     applies without the parameter `limit`.
    /// - Throws: The first error, with the name of its parameter. Whether a field exists is checked when the query runs.
    public init(
        parameters: some Sequence<(name: String, value: String)>, mostLimit: Int = 1_000
    ) throws(QueryParameterError) {
        let limits = 1...max(1, mostLimit)
        self.init(limit: min(Self.usualLimit, limits.upperBound))
        var read: Set<Parameter> = []
        for (name, value) in parameters {
            do throws(QueryParameterError.Reason) {
                guard let parameter = Parameter(rawValue: name) else {
                    throw .unknownName(known: Parameter.allCases.map(\.rawValue))
                }
                guard read.insert(parameter).inserted || parameter.mayBeRepeated else { throw .repeated }
                try take(value, for: parameter, limits)
            } catch {
                throw QueryParameterError(name: name, reason: error)
            }
        }
    }

    private mutating func take(
        _ value: String, for parameter: Parameter, _ limits: ClosedRange<Int>
    ) throws(QueryParameterError.Reason) {
        switch parameter {
        case .comparison: conditions.append(try Condition(try .comparing(value)))
        case .choice:
            guard value.contains("=") else { throw .noOperator }
            guard let written = WrittenCondition(choosing: value) else { throw .noValue }
            conditions.append(try Condition(written))
        case .content:
            guard let written = WrittenCondition(containing: value) else { throw .noOperator }
            conditions.append(try Condition(written))
        case .text: text = value
        case .joinsByOr: joinsByOr = try Self.flag(value)
        case .isReversed: isReversed = try Self.flag(value)
        case .status:
            guard let known = Status(rawValue: value) else {
                throw .unknownWord(known: [Status.invalid.rawValue, Status.unjudged.rawValue])
            }
            status = known
        case .sort: try sort(by: value)
        case .limit:
            guard let number = Int(value), limits.contains(number) else { throw .outOfRange(limits) }
            limit = number
        case .after:
            guard let cursor = ProfileCursor(value) else { throw .badCursor }
            after = cursor
        }
    }

    private mutating func sort(by text: String) throws(QueryParameterError.Reason) {
        switch order {
        case nil where text == Self.relevance: order = .relevance
        case .relevance: throw .otherOrder
        case _ where text == Self.relevance: throw .otherOrder
        case nil: order = .fields([try SortField(text)])
        case .fields(let fields): order = .fields(fields + [try SortField(text)])
        }
    }

    private static func flag(_ text: String) throws(QueryParameterError.Reason) -> Bool {
        guard let flag = Bool(text) else { throw .unknownWord(known: ["true", "false"]) }
        return flag
    }
}

extension ProfileQuery.SortField {
    fileprivate init(_ text: String) throws(QueryParameterError.Reason) {
        let written = WrittenSort(text)
        self.init(try .of(written.field), isDescending: written.isDescending ?? false)
    }
}

extension WrittenCondition {
    fileprivate static func comparing(_ text: String) throws(QueryParameterError.Reason) -> WrittenCondition {
        do throws(Fault) {
            return try WrittenCondition(comparing: text)
        } catch {
            switch error {
            case .noOperator: throw .noOperator
            case .noValue: throw .noValue
            }
        }
    }
}

extension FieldName {
    fileprivate static func of(_ text: String) throws(QueryParameterError.Reason) -> FieldName {
        guard let name = inQuery(text) else { throw .badField(text) }
        return name
    }
}
