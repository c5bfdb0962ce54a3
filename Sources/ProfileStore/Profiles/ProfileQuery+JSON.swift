internal import ProfileCore

extension ProfileQuery: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case conditions, text, status, order, limit, after
        case joinsByOr = "or"
        case isReversed = "reversed"
    }

    /// Reads an object with any of `conditions`, `or`, `text`, `status`, `order`, `reversed`, `limit` and `after`; see
    /// <doc:Queries>.
    ///
    /// - Throws: `DecodingError` if a member has the wrong type or an unknown name. The error contains the path of the
    ///   member.
    public init(from decoder: any Decoder) throws {
        try decoder.allowOnly(Key.self)
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decodeIfPresent([Condition].self, forKey: .conditions) ?? [],
            joinsByOr: try container.decodeIfPresent(Bool.self, forKey: .joinsByOr) ?? false,
            text: try container.decodeIfPresent(String.self, forKey: .text),
            status: try container.decodeIfPresent(Status.self, forKey: .status),
            order: try container.decodeIfPresent(Order.self, forKey: .order),
            isReversed: try container.decodeIfPresent(Bool.self, forKey: .isReversed) ?? false,
            limit: try container.decodeIfPresent(Int.self, forKey: .limit) ?? Self.usualLimit,
            after: try container.decodeIfPresent(ProfileCursor.self, forKey: .after))
    }

    /// Writes the object that ``init(from:)`` reads, without default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if !conditions.isEmpty { try container.encode(conditions, forKey: .conditions) }
        if joinsByOr { try container.encode(joinsByOr, forKey: .joinsByOr) }
        try container.encodeIfPresent(text, forKey: .text)
        try container.encodeIfPresent(status, forKey: .status)
        try container.encodeIfPresent(order, forKey: .order)
        if isReversed { try container.encode(isReversed, forKey: .isReversed) }
        try container.encode(limit, forKey: .limit)
        try container.encodeIfPresent(after, forKey: .after)
    }
}

extension ProfileQuery.Status: Codable {}

extension ProfileQuery.SortField: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case field
        case isDescending = "descending"
    }

    /// Reads an object with `field` and an optional `descending` (false by default).
    public init(from decoder: any Decoder) throws {
        try decoder.allowOnly(Key.self)
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decode(FieldName.self, forKey: .field),
            isDescending: try container.decodeIfPresent(Bool.self, forKey: .isDescending) ?? false)
    }

    /// Writes the object that ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(field, forKey: .field)
        try container.encode(isDescending, forKey: .isDescending)
    }
}

extension ProfileQuery.Order: Codable {
    private enum Name: String, Codable { case relevance }

    /// Reads a ``ProfileQuery/SortField``, an array of them, or the text `relevance`.
    public init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            guard Name(rawValue: name) != nil else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "No order is called so"))
            }
            self = .relevance
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .fields(try [ProfileQuery.SortField](from: decoder))
        } else {
            self = .fields([try ProfileQuery.SortField(from: decoder)])
        }
    }

    /// Writes the form that ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .fields(let fields) where fields.count == 1: try fields[0].encode(to: encoder)
        case .fields(let fields): try fields.encode(to: encoder)
        case .relevance: try Name.relevance.encode(to: encoder)
        }
    }
}

extension ProfileQuery.Condition: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case field, comparison, value, values
    }

    /// The comparisons by their names in JSON.
    private enum Name: String, Codable {
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
    }

    /// Reads `field`, `comparison` and a `value`. The comparison `is_any_of` has the member `values`, which is an array
    /// of texts. The comparisons `is_absent` and `is_present` have no value.
    public init(from decoder: any Decoder) throws {
        try decoder.allowOnly(Key.self)
        let container = try decoder.container(keyedBy: Key.self)
        let name = try container.decode(Name.self, forKey: .comparison)
        let wanted: Key? =
            switch name {
            case .isAny: .values
            case .isAbsent, .isPresent: nil
            default: .value
            }
        for key in [Key.value, .values] where key != wanted && container.contains(key) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "\(name.rawValue) has no \(key.rawValue)")
        }
        var value: String { get throws { try container.decode(String.self, forKey: .value) } }
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
            case .isAny: .isAny(of: try container.decode([String].self, forKey: .values))
            case .isAbsent: .isAbsent
            case .isPresent: .isPresent
            }
        self.init(try container.decode(FieldName.self, forKey: .field), comparison)
    }

    /// Writes the form that ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(field, forKey: .field)
        func write(_ name: Name) throws { try container.encode(name, forKey: .comparison) }
        func write(_ name: Name, _ value: String) throws {
            try write(name)
            try container.encode(value, forKey: .value)
        }
        switch comparison {
        case .equals(let value): try write(.equals, value)
        case .differs(let value): try write(.differs, value)
        case .hasPrefix(let value): try write(.hasPrefix, value)
        case .contains(let value): try write(.contains, value)
        case .isLess(let value): try write(.isLess, value)
        case .isAtMost(let value): try write(.isAtMost, value)
        case .isGreater(let value): try write(.isGreater, value)
        case .isAtLeast(let value): try write(.isAtLeast, value)
        case .isAny(let values):
            try write(.isAny)
            try container.encode(values, forKey: .values)
        case .isAbsent: try write(.isAbsent)
        case .isPresent: try write(.isPresent)
        }
    }
}
