public import ProfileCore

/// A query for profiles: conditions, an order and a page; see <doc:Queries>.
public struct ProfileQuery: Hashable, Sendable {
    /// A condition on the value of a field.
    public struct Condition: Hashable, Sendable {
        /// The field, which must not be secret.
        public let field: FieldName
        /// The comparison and its value.
        public let comparison: Comparison

        /// Creates a condition.
        public init(_ field: FieldName, _ comparison: Comparison) {
            self.field = field
            self.comparison = comparison
        }
    }

    /// A comparison of a field's value.
    ///
    /// Values are given as a person types them, and are looked up in their stored form: `78761241` finds `7876-1241`.
    /// If a value breaks the field's rules, it is looked up unchanged. A profile that was judged by other rules may
    /// have this value. If the field's type cannot represent a value, the query has an issue.
    ///
    /// Greater and less use the sort order of the field: numbers by value, times by time, and text by its bytes in
    /// UTF-8. The primary key is sorted as text, ignoring the case of ASCII letters. A stored value that is not of the
    /// field's type has no place in this order: `isGreater(than: "5")` does not find `unknown`.
    public enum Comparison: Hashable, Sendable {
        /// The value equals this one, byte by byte. The primary key ignores the case of ASCII letters.
        case equals(String)
        /// The value differs from this one, or is absent.
        case differs(from: String)
        /// The stored value begins with this text. Every value begins with the empty text.
        case hasPrefix(String)
        /// The value contains this text, ignoring case and accents. Every value contains the empty text.
        case contains(String)
        /// The value is less than this one in the order of the field.
        case isLess(than: String)
        /// The value is less than this one, or equal to it, in the order of the field.
        case isAtMost(String)
        /// The value is greater than this one in the order of the field.
        case isGreater(than: String)
        /// The value is greater than this one, or equal to it, in the order of the field.
        case isAtLeast(String)
        /// The value equals any of these values. An empty list matches no profile.
        case isAny(of: [String])
        /// The value is absent.
        case isAbsent
        /// The value is present.
        case isPresent
    }

    /// The result of the last judgement.
    public enum Status: String, Hashable, Sendable {
        /// Revalidation found the profile invalid.
        case invalid
        /// The rules in force have not judged the profile yet. The profile was stored or last judged under other rules.
        case unjudged
    }

    /// The order of the profiles. Profiles with equal values, or with equally good matches, are sorted by id.
    public enum Order: Hashable, Sendable {
        /// By the values of a field that is not secret, ascending or descending. In ascending and in descending order,
        /// profiles without a value come last.
        case field(FieldName, isDescending: Bool)
        /// By the profile's best match with the query's ``ProfileQuery/text``. First come whole values, then values
        /// that begin with the text, then values that contain a word that begins with the text. The query must have a
        /// text.
        case relevance

        /// The order of a field's values.
        public init(_ field: FieldName, isDescending: Bool = false) {
            self = .field(field, isDescending: isDescending)
        }
    }

    /// The default limit.
    public static let usualLimit = 100

    /// The conditions. A profile must meet all of them. A query has at most 50 conditions. Together they have at most
    /// 500 values.
    public var conditions: [Condition]
    /// A text that at least one non-secret field must contain; see ``Comparison/contains(_:)``.
    public var text: String?
    /// The result of the last judgement that a profile must have; nil for any result.
    public var status: Status?
    /// The order; nil for the order of ids, which is the order in which profiles were stored.
    public var order: Order?
    /// Whether the whole order is reversed, including absent values. To read the previous page, reverse the query, and
    /// continue after the first profile of this page; see ``cursor(at:)``.
    public var isReversed: Bool
    /// The maximum number of profiles in one page, from 1 to 100,000. Other numbers are set to the nearest bound.
    public var limit: Int
    /// The cursor that the previous page returned; see ``ProfilePage/next``. The cursor must belong to the order of the
    /// query.
    public var after: ProfileCursor?

    /// Creates a query for the profiles that meet every condition. Without conditions it finds all profiles.
    public init(
        _ conditions: [Condition] = [], text: String? = nil, status: Status? = nil, order: Order? = nil,
        isReversed: Bool = false, limit: Int = Self.usualLimit, after: ProfileCursor? = nil
    ) {
        self.conditions = conditions
        self.text = text
        self.status = status
        self.order = order
        self.isReversed = isReversed
        self.limit = limit
        self.after = after
    }

    /// Returns the cursor of a profile in the order of this query. A query with this cursor continues after the
    /// profile. A reversed query with this cursor returns the profiles before it.
    public func cursor(at profile: Profile) -> ProfileCursor {
        let place: [UInt8]? =
            switch order {
            case nil: nil
            case .field(let field, _): profile[field].map { Array($0.utf8) }
            case .relevance: text.flatMap { profile.match(of: FoldedText($0)) }.map { [UInt8($0.rawValue)] }
            }
        return ProfileCursor(id: profile.id, order: order, value: place)
    }
}

extension Profile {
    /// Returns the best match of a text in the values; nil if no value contains it.
    package func match(of text: FoldedText) -> TextMatch? {
        fields.compactMap { $0.value.flatMap { text.match(in: $0.utf8.span) } }.max()
    }
}

/// How a store runs a query.
public enum QueryPlan: Hashable, Sendable {
    /// The store uses indexes: it reads only the profiles that the indexes of these fields find, or only as many
    /// profiles as the page contains. The list may be empty, because the order of ids and the invalid profiles have
    /// indexes of their own.
    case index([FieldName])
    /// The store may read every profile.
    case everything
}
