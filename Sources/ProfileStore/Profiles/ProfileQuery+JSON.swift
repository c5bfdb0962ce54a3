public import ProfileCore

extension ProfileQuery: JSONEncodable, JSONDecodable {
    private enum Key: String, CaseIterable {
        case conditions, text, status, order, limit, after
        case joinsByOr = "or"
        case isReversed = "reversed"

        static let names = allCases.map(\.rawValue)
    }

    /// Reads an object with any of `conditions`, `or`, `text`, `status`, `order`, `reversed`, `limit` and `after`; see
    /// <doc:Queries>.
    @_disfavoredOverload
    public init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: Key.names)
        self.init(
            try members.array(Key.conditions.rawValue, Condition.init(_:)) ?? [],
            joinsByOr: try members.flag(Key.joinsByOr.rawValue) ?? false,
            text: try members.text(Key.text.rawValue),
            status: try members.read(Key.status.rawValue, Status.init(json:)),
            order: try members.read(Key.order.rawValue, Order.init(_:)),
            isReversed: try members.flag(Key.isReversed.rawValue) ?? false,
            limit: try members.integer(Key.limit.rawValue) ?? Self.usualLimit,
            after: try members.read(Key.after.rawValue, ProfileCursor.init(_:)))
    }

    /// The object that ``init(_:)`` reads. Except for `limit`, members with default values are left out.
    public var json: JSONValue {
        var members: [JSONMember] = []
        func add(_ key: Key, _ value: JSONValue?) {
            if let value { members.append(JSONMember(key.rawValue, value)) }
        }
        add(.conditions, conditions.isEmpty ? nil : .array(conditions.map(\.json)))
        add(.joinsByOr, joinsByOr ? true : nil)
        add(.text, text.map(JSONValue.string))
        add(.status, status.map { .string($0.rawValue) })
        add(.order, order?.json)
        add(.isReversed, isReversed ? true : nil)
        add(.limit, .number(limit))
        add(.after, after?.json)
        return .object(members)
    }
}

extension ProfileQuery.Status: Codable {
    fileprivate init(json: JSONValue) throws(JSONMemberError) {
        guard let status = Self(rawValue: try String(json: json)) else {
            throw JSONMemberError(.unknownWord(known: [Self.invalid.rawValue, Self.unjudged.rawValue]))
        }
        self = status
    }
}

extension ProfileQuery.SortField: JSONEncodable, JSONDecodable {
    /// Reads an object with `field` and an optional `descending` (false by default).
    @_disfavoredOverload
    public init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: ["field", "descending"])
        self.init(
            try members.require("field", FieldName.init(_:)),
            isDescending: try members.flag("descending") ?? false)
    }

    /// The object that ``init(_:)`` reads.
    public var json: JSONValue { ["field": field.json, "descending": .bool(isDescending)] }
}

extension ProfileQuery.Order: JSONEncodable, JSONDecodable {
    private static let relevanceWord = "relevance"

    /// Reads a ``ProfileQuery/SortField``, an array of them, or the text `relevance`.
    @_disfavoredOverload
    public init(_ json: JSONValue) throws(JSONMemberError) {
        switch json {
        case .string(Self.relevanceWord): self = .relevance
        case .string: throw JSONMemberError(.unknownWord(known: [Self.relevanceWord]))
        case .array: self = .fields(try [ProfileQuery.SortField](json: json, ProfileQuery.SortField.init(_:)))
        default: self = .fields([try ProfileQuery.SortField(json)])
        }
    }

    /// The form that ``init(_:)`` reads.
    public var json: JSONValue {
        switch self {
        case .fields(let fields) where fields.count == 1: fields[0].json
        case .fields(let fields): .array(fields.map(\.json))
        case .relevance: .string(Self.relevanceWord)
        }
    }
}

extension ProfileQuery.Condition: JSONEncodable, JSONDecodable {
    /// The comparisons by their names in JSON.
    private enum Name: String, CaseIterable {
        case equals, contains
        case differs = "differs_from"
        case hasPrefix = "has_prefix"
        case isLess = "is_less_than"
        case isAtMost = "is_at_most"
        case isGreater = "is_greater_than"
        case isAtLeast = "is_at_least"
        case isAny = "is_any_of"
        case isAbsent = "is_absent"
        case isPresent = "is_present"

        init(json: JSONValue) throws(JSONMemberError) {
            guard let name = Self(rawValue: try String(json: json)) else {
                throw JSONMemberError(.unknownWord(known: Self.allCases.map(\.rawValue)))
            }
            self = name
        }

        /// The member that contains the value of the comparison.
        var valueKey: String? {
            switch self {
            case .isAny: "values"
            case .isAbsent, .isPresent: nil
            default: "value"
            }
        }
    }

    /// Reads `field`, `comparison` and a `value`. The comparison `is_any_of` has the member `values`, which is an array
    /// of texts. The comparisons `is_absent` and `is_present` have no value.
    @_disfavoredOverload
    public init(_ json: JSONValue) throws(JSONMemberError) {
        let name = try JSONMembers(json, known: ["field", "comparison", "value", "values"])
            .require("comparison", Name.init(json:))
        let members = try JSONMembers(json, known: ["field", "comparison"] + [name.valueKey].compactMap(\.self))
        var value: String {
            get throws(JSONMemberError) { try members.requiredText("value") }
        }
        let comparison: ProfileQuery.Comparison =
            switch name {
            case .equals: .equals(try value)
            case .differs: .differs(from: try value)
            case .hasPrefix: .hasPrefix(try value)
            case .contains: .contains(try value)
            case .isLess: .isLess(than: try value)
            case .isAtMost: .isAtMost(try value)
            case .isGreater: .isGreater(than: try value)
            case .isAtLeast: .isAtLeast(try value)
            case .isAny: .isAny(of: try members.requiredTexts("values"))
            case .isAbsent: .isAbsent
            case .isPresent: .isPresent
            }
        self.init(try members.require("field", FieldName.init(_:)), comparison)
    }

    /// The object that ``init(_:)-(JSONValue)`` reads.
    public var json: JSONValue {
        let (name, value): (Name, JSONValue?) =
            switch comparison {
            case .equals(let value): (.equals, .string(value))
            case .differs(let value): (.differs, .string(value))
            case .hasPrefix(let value): (.hasPrefix, .string(value))
            case .contains(let value): (.contains, .string(value))
            case .isLess(let value): (.isLess, .string(value))
            case .isAtMost(let value): (.isAtMost, .string(value))
            case .isGreater(let value): (.isGreater, .string(value))
            case .isAtLeast(let value): (.isAtLeast, .string(value))
            case .isAny(let values): (.isAny, .array(values.map(JSONValue.string)))
            case .isAbsent: (.isAbsent, nil)
            case .isPresent: (.isPresent, nil)
            }
        let members = [JSONMember("field", field.json), JSONMember("comparison", .string(name.rawValue))]
        guard let key = name.valueKey, let value else { return .object(members) }
        return .object(members + [JSONMember(key, value)])
    }
}
