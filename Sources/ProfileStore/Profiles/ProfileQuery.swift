public import ProfileCore

/// A query for profiles: conditions, an order and a page; see <doc:Queries>.
public struct ProfileQuery: Hashable, Sendable {
    /// A condition on the value of a field.
    public struct Condition: Hashable, Sendable {
        /// The field, which must not be secret, or a fact of the store; see <doc:Queries>.
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
    /// A caller passes values as a person types them. They are converted to their stored form: `78761241` finds
    /// `7876-1241`. If a value breaks the field's rules, it is looked up unchanged. A profile that was validated by
    /// other rules may have this value. If the field's type cannot represent a value, the query has an issue.
    ///
    /// The comparisons `isLess`, `isAtMost`, `isGreater` and `isAtLeast` use the sort order of the field: numbers by
    /// value, times by time, and text by its bytes in UTF-8. The primary key is sorted as text, ignoring the case of
    /// ASCII letters. If a stored value does not have the field's type, it has no position in this order:
    /// `isGreater(than: "5")` does not find `unknown`.
    public enum Comparison: Hashable, Sendable {
        /// The value of the field equals this value, byte by byte. The primary key ignores the case of ASCII letters.
        case equals(String)
        /// The value of the field differs from this value, or the profile has no value.
        case differs(from: String)
        /// The stored value begins with this text. Every value begins with the empty text.
        case hasPrefix(String)
        /// The value contains this text, ignoring case and accents. Every value contains the empty text.
        case contains(String)
        /// The value of the field is less than this value, in the sort order of the field.
        case isLess(than: String)
        /// The value of the field is less than or equal to this value, in the sort order of the field.
        case isAtMost(String)
        /// The value of the field is greater than this value, in the sort order of the field.
        case isGreater(than: String)
        /// The value of the field is greater than or equal to this value, in the sort order of the field.
        case isAtLeast(String)
        /// The value equals any of these values. An empty list matches no profile.
        case isAny(of: [String])
        /// The value is absent.
        case isAbsent
        /// The value is present.
        case isPresent
    }

    /// The result of the last validation.
    public enum Status: String, Hashable, Sendable {
        /// Revalidation found the profile invalid.
        case invalid
        /// The rules in force have not validated the profile yet. The profile was stored or last validated under other
        /// rules.
        case unjudged
    }

    /// A field by whose values profiles are sorted.
    public struct SortField: Hashable, Sendable {
        /// The field, which must not be secret, or a fact of the store; see <doc:Queries>.
        public let field: FieldName
        /// Whether the greatest values come first. In both directions, profiles without a value come last.
        public let isDescending: Bool

        /// Creates a sort field.
        public init(_ field: FieldName, isDescending: Bool = false) {
            self.field = field
            self.isDescending = isDescending
        }
    }

    /// The order of the profiles. Profiles with equal values, or with equally good matches, are sorted by id.
    public enum Order: Hashable, Sendable {
        /// Profiles are sorted by the values of the first field. Profiles with equal values in that field are sorted by
        /// the next field, and so on. An order has 1 to 10 fields.
        case fields([SortField])
        /// Profiles are sorted by their best match with the query's ``ProfileQuery/text``. Values that equal the text
        /// come first. Then come values that begin with the text, and then values in which a word begins with the text.
        /// All other values that contain the text come last. The query must have a text.
        case relevance

        /// The order of a field's values.
        public init(_ field: FieldName, isDescending: Bool = false) {
            self = .fields([SortField(field, isDescending: isDescending)])
        }
    }

    /// The default limit.
    public static let usualLimit = 100

    /// The conditions. A profile must meet all conditions, or one of them if ``joinsByOr`` is true. A query has at most
    /// 50 conditions. Together they have at most 500 values.
    public var conditions: [Condition]
    /// Whether it is enough if a profile meets one of the conditions. False by default: a profile must meet all
    /// conditions. The ``text`` and the ``status`` must always match.
    public var joinsByOr: Bool
    /// A text that at least one non-secret field must contain; see ``Comparison/contains(_:)``.
    public var text: String?
    /// Only profiles with this validation result are found; nil finds profiles with any result.
    public var status: Status?
    /// The order; nil for the order of ids. On SQLite, this is the order in which profiles were first stored.
    public var order: Order?
    /// Whether the whole order is reversed. Profiles without a value then come first. To read the previous page,
    /// reverse the query, and continue after the first profile of this page; see ``cursor(at:)``.
    public var isReversed: Bool
    /// The maximum number of profiles in one page, from 1 to 100,000. A smaller number is treated as 1, and a greater
    /// number as 100,000.
    public var limit: Int
    /// The cursor that the previous page returned; see ``ProfilePage/next``. The cursor must belong to the order of the
    /// query.
    public var after: ProfileCursor?

    /// Creates a query for the profiles that meet every condition, or one of them if `joinsByOr` is true. Without
    /// conditions it finds all profiles.
    public init(
        _ conditions: [Condition] = [], joinsByOr: Bool = false, text: String? = nil, status: Status? = nil,
        order: Order? = nil, isReversed: Bool = false, limit: Int = Self.usualLimit, after: ProfileCursor? = nil
    ) {
        self.conditions = conditions
        self.joinsByOr = joinsByOr
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
        let values: [[UInt8]?] =
            switch order {
            case nil: []
            case .fields(let fields): fields.map { profile.text(of: $0.field).map { Array($0.utf8) } }
            case .relevance: [text.flatMap { profile.match(of: FoldedText($0)) }.map { [UInt8($0.rawValue)] }]
            }
        return ProfileCursor(id: profile.id, order: order, values: values)
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
    /// The store uses indexes. It reads only the profiles that the indexes of these fields find, or only as many
    /// profiles as the page contains. The list may be empty, because the store may use the index of ids or the index of
    /// invalid profiles instead.
    case index([FieldName])
    /// The store may read every profile.
    case everything
}
