public import ProfileCore
internal import ProfileStore

/// A summary of the values of some profiles: for each field, how many profiles have a value, and which values are
/// frequent, small, great, short or long. See
/// ``ProfileStore/ProfileRepository/summary(of:matching:mostValues:)``.
public struct ProfileSummary: Hashable, Sendable {
    /// The number of profiles.
    public let profiles: Int
    /// The summary of each field, in the order of the request.
    public let fields: [Field]

    /// The summary of the values of one field.
    public struct Field: Hashable, Sendable {
        /// The rules of the field. For a fact of the store, such as `_created_at`, they are the rules by which queries
        /// compare it.
        public let rules: FieldRules
        /// The number of profiles that have a value.
        public let filled: Int
        /// The number of different values.
        public let distinct: DistinctCount
        /// The most frequent values, the most frequent first. Equally frequent values are sorted by value. Empty for a
        /// unique field, because each of its values occurs once.
        public let frequentValues: [ValueCount]
        /// The least value in the sort order of the field; nil if no profile has a value of the field's type, and for
        /// booleans.
        public let minimum: String?
        /// The greatest value in the sort order of the field; see ``minimum``.
        public let maximum: String?
        /// The arithmetic mean of the values that are numbers. Nil if the field has no numbers, or if the sum of the
        /// numbers is beyond the range of a `Double`.
        public let mean: Double?
        /// The number of characters of the shortest value; nil if no profile has a value.
        public let shortest: Int?
        /// The number of characters of the longest value; nil if no profile has a value.
        public let longest: Int?
        /// The mean number of characters; nil if no profile has a value.
        public let meanLength: Double?
    }

    /// The number of different values.
    public struct DistinctCount: Hashable, Sendable {
        /// The number of different values. If ``isExact`` is false, there are more than this number.
        public let count: Int
        /// Whether all different values were counted. The memory for counting is limited.
        public let isExact: Bool
    }

    /// A value and the number of profiles that have it.
    public struct ValueCount: Hashable, Sendable {
        /// The stored form of the value.
        public let value: String
        /// The number of profiles with this value that were counted.
        public let count: Int
        /// The greatest number of profiles that may be missing in ``count``. It is zero unless the field has more
        /// different values than can be counted.
        public let mostMissed: Int
    }
}

extension ProfileSummary {
    /// The summary as JSON:
    /// `{"profiles","fields":[{"field","title","type","filled","distinct","distinct_is_exact","minimum","maximum","mean",
    /// "shortest","longest","mean_length","values":[{"value","count","most_missed"}]}]}`.
    public var json: JSONValue { ["profiles": .number(profiles), "fields": .array(fields.map(\.json))] }
}

extension ProfileSummary.Field {
    fileprivate var json: JSONValue {
        [
            "field": .string(rules.name.text), "title": .string(rules.title), "type": .string(rules.type.rawValue),
            "filled": .number(filled), "distinct": .number(distinct.count),
            "distinct_is_exact": .bool(distinct.isExact), "minimum": rules.json(of: minimum),
            "maximum": rules.json(of: maximum), "mean": mean.map { .number(NumberText.canonical($0)) } ?? .null,
            "shortest": shortest.map(JSONValue.number) ?? .null, "longest": longest.map(JSONValue.number) ?? .null,
            "mean_length": meanLength.map { .number(NumberText.canonical($0)) } ?? .null,
            "values": .array(
                frequentValues.map {
                    [
                        "value": rules.json(of: $0.value), "count": .number($0.count),
                        "most_missed": .number($0.mostMissed),
                    ]
                }),
        ]
    }
}
