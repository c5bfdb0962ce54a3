public import ProfileCore

/// Which profiles to look up, in which order, a page at a time; see <doc:Queries>.
public struct ProfileQuery: Hashable, Sendable {
    /// What a field's value must be.
    public struct Condition: Hashable, Sendable {
        /// One that is not secret.
        public let field: FieldName
        /// How its value is compared, and with what.
        public let comparison: Comparison

        /// Names a condition.
        public init(_ field: FieldName, _ comparison: Comparison) {
            self.field = field
            self.comparison = comparison
        }
    }

    /// How the value of a field is compared.
    ///
    /// Values are given as somebody would type them, and looked up in the form in which they are stored: `78761241` finds
    /// `7876-1241`. One that breaks the field's rules is looked up as it is, since a profile that other rules judged may
    /// hold it; one that the field's type cannot have is an issue of the query.
    ///
    /// Greater and less go by the order of the field: numbers by value, moments as they follow each other, text by its
    /// bytes in UTF-8, and the primary key whatever the case of its ASCII letters. Only values of the field's type have a
    /// place there: `isGreater(than: "5")` finds no `unknown`.
    public enum Comparison: Hashable, Sendable {
        /// The whole value, byte by byte; the primary key whatever the case of its ASCII letters.
        case equals(String)
        /// Also where there is no value.
        case differs(from: String)
        /// The value begins like this, as it is typed here and stored there. Every value begins with the empty text.
        case hasPrefix(String)
        /// This stands somewhere in the value, whatever the case of letters and the accents on them. Every value contains
        /// the empty text.
        case contains(String)
        /// Before this value in the order of the field.
        case isLess(than: String)
        /// Before this value, or the same.
        case isAtMost(String)
        /// After this value in the order of the field.
        case isGreater(than: String)
        /// After this value, or the same.
        case isAtLeast(String)
        /// One of these; of none there is none.
        case isAny(of: [String])
        /// There is no value.
        case isAbsent
        /// There is a value, whichever.
        case isPresent
    }

    /// How profiles were judged.
    public enum Status: String, Hashable, Sendable {
        /// Revalidation found something wrong with them.
        case invalid
        /// The rules in force have not judged them yet: they were stored, or judged last, when others were.
        case unjudged
    }

    /// By what profiles are put in order; those that are the same in it by their ids.
    public enum Order: Hashable, Sendable {
        /// By the values of a field that is not secret, the greatest first or last. Profiles without a value come last
        /// either way.
        case field(FieldName, isDescending: Bool)
        /// By how well the query's ``ProfileQuery/text`` matches the one of their values that it matches best: those that
        /// have it as a whole value come first, then those that begin with it, then those in which a word does. A query
        /// without a text has no such order.
        case relevance

        /// The order of a field's values.
        public init(_ field: FieldName, isDescending: Bool = false) {
            self = .field(field, isDescending: isDescending)
        }
    }

    /// The limit of a query that names none.
    public static let usualLimit = 100

    /// All must hold; 50 at the most, which name 500 values at the most.
    public var conditions: [Condition]
    /// What any field that is not secret must contain, as ``Comparison/contains(_:)`` says.
    public var text: String?
    /// How the profiles were judged; nil for all.
    public var status: Status?
    /// Nil for the order of ids, in which profiles came.
    public var order: Order?
    /// Whether the profiles come the other way round, the last first, absent values included: to go back from a page, ask
    /// for what comes so after ``cursor(at:)`` its first profile.
    public var isReversed: Bool
    /// Most profiles in one page, from 1 to 100,000; a number outside is taken as the nearer of the two.
    public var limit: Int
    /// Where the page before ended; see ``ProfilePage/next``. It must be of the same order.
    public var after: ProfileCursor?

    /// Asks for the profiles that meet every condition; for all of them where there is none.
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

    /// The place of a profile in the order of this query, to go on after it, or to go back from it.
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
    /// How well a text matches the one of the values that it matches best; nil where none has it.
    package func match(of text: FoldedText) -> TextMatch? {
        fields.compactMap { $0.value.flatMap { text.match(in: $0.utf8.span) } }.max()
    }
}

/// How a store goes about a query.
public enum QueryPlan: Hashable, Sendable {
    /// It reads only the profiles that the indexes of these fields find, or as many as the page has. There may be no field
    /// among them: the order of ids, and profiles that were found invalid, have indexes of their own.
    case index([FieldName])
    /// It may read every profile.
    case everything
}
