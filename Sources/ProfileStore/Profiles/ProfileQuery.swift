public import ProfileCore

/// Which profiles to look up, a page at a time.
public struct ProfileQuery: Sendable {
    /// What a field's value must be.
    public struct Condition: Sendable {
        /// One that is not secret.
        public let field: FieldName
        /// What it must be, as somebody would type it.
        public let value: String
        /// Only the value's beginning must be the same, and it is taken as it is typed.
        public let isPrefix: Bool

        /// Names a condition.
        public init(_ field: FieldName, _ value: String, isPrefix: Bool = false) {
            self.field = field
            self.value = value
            self.isPrefix = isPrefix
        }
    }

    /// All must hold. A value is looked up in the form in which it would be stored: `78761241` finds `7876-1241`.
    public var conditions: [Condition]
    /// Only profiles that revalidation found invalid.
    public var onlyInvalid: Bool
    /// Most profiles in one page, from 1 to 100,000; a number outside is taken as the nearer of the two.
    public var limit: Int
    /// Where the page before ended; see ``ProfilePage/next``.
    public var after: ProfileCursor?

    /// Asks for the profiles that meet every condition; for all of them where there is none.
    public init(
        _ conditions: [Condition] = [], onlyInvalid: Bool = false, limit: Int = 100, after: ProfileCursor? = nil
    ) {
        self.conditions = conditions
        self.onlyInvalid = onlyInvalid
        self.limit = limit
        self.after = after
    }
}

/// A place in the order of profiles, which is the order of their ids.
public struct ProfileCursor: Hashable, Sendable, CustomStringConvertible {
    package let id: Int64

    package init(id: Int64) { self.id = id }

    /// Reads what ``description`` wrote.
    public init?(_ text: String) {
        guard let id = Int64(text), id >= 0 else { return nil }
        self.id = id
    }

    public var description: String { String(id) }
}

extension Profile {
    /// Where to go on after this one.
    package var cursor: ProfileCursor { ProfileCursor(id: id) }
}

/// Some of the profiles that a query finds, in the order of their ids.
public struct ProfilePage: Sendable {
    /// As many as the query's limit at the most.
    public let profiles: [Profile]
    /// Where to go on; nil when these were the last.
    public let next: ProfileCursor?

    package init(profiles: [Profile], next: ProfileCursor?) {
        self.profiles = profiles
        self.next = next
    }
}
