public import ProfileCore
internal import SecretHashing

/// A position in a sorted list of profiles: after the last profile of a page. The cursor stays valid if profiles are
/// added or removed.
///
/// The text of a cursor is opaque, and safe in a URL and on a command line. The text contains the id of the last
/// profile of the page. If the page is sorted by fields, the text also contains that profile's values. In the order of
/// relevance, the text contains the quality of the match.
public struct ProfileCursor: Hashable, Sendable, CustomStringConvertible {
    package let id: Int64
    /// The order of the page; nil for the order of ids.
    package let order: ProfileQuery.Order?
    /// The values of the sort fields; nil for each value that is absent. A value is in UTF-8, unless another program
    /// has stored other bytes. In the order of relevance, the only value is one byte with the number of the profile's
    /// `TextMatch`; nil if there is no match. In the order of ids, there are no values.
    package let values: [[UInt8]?]

    /// The value of the first sort field.
    package var value: [UInt8]? { values.first ?? nil }

    package init(id: Int64, order: ProfileQuery.Order?, values: [[UInt8]?]) {
        self.id = id
        self.order = order
        self.values = values
    }

    /// Creates the position of a profile in the order of ids, of relevance, or of one field.
    package init(id: Int64, order: ProfileQuery.Order? = nil, value: [UInt8]? = nil) {
        self.init(id: id, order: order, values: order == nil ? [] : [value])
    }

    /// Parses the text of ``description``.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let id = Int64(parts[0]), id >= 0 else { return nil }
        if parts.count == 1 {
            self.init(id: id)
        } else if let match = UInt8(parts[1]) {
            guard match <= TextMatch.whole.rawValue else { return nil }
            self.init(id: id, order: .relevance, value: match == 0 ? nil : [match])
        } else {
            var fields: [ProfileQuery.SortField] = []
            var values: [[UInt8]?] = []
            for text in parts[1].split(separator: "~", omittingEmptySubsequences: false) {
                let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
                guard parts.count >= 2, let field = FieldName.inQuery(String(parts[0])),
                    let direction = Direction(rawValue: String(parts[1]))
                else { return nil }
                fields.append(ProfileQuery.SortField(field, isDescending: direction == .descending))
                guard parts.count == 3 else {
                    values.append(nil)
                    continue
                }
                guard let value = Hexadecimal.bytes(parts[2]), !value.isEmpty else { return nil }
                values.append(value)
            }
            self.init(id: id, order: .fields(fields), values: values)
        }
        // Each position has exactly one valid text, so any other text is refused.
        guard description == text else { return nil }
    }

    /// Examples of the text of a cursor after the profile 12:
    /// - `12`, if the page is sorted by id
    /// - `12.age.ascending.3431`, if the page is sorted by age, and the age is 41
    /// - `12.age.ascending`, if the page is sorted by age, and the age is absent
    /// - `12.age.ascending.3431~name.descending.416e6e`, if the page is sorted by age and name
    /// - `12.4`, if the page is sorted by relevance, and a value of the profile equals the text of the query
    public var description: String {
        switch order {
        case nil: return String(id)
        case .relevance: return "\(id).\(value?.first ?? 0)"
        case .fields(let fields):
            let places = zip(fields, values).map { sort, value in
                let direction = sort.isDescending ? Direction.descending : .ascending
                let place = "\(sort.field).\(direction.rawValue)"
                return value.map { place + "." + Hexadecimal.text($0.span) } ?? place
            }
            return "\(id)." + places.joined(separator: "~")
        }
    }

    /// Returns whether a query with this order can continue after the cursor. If `order` is nil, the query is sorted by
    /// id.
    public func isPlace(in order: ProfileQuery.Order?) -> Bool { self.order == order }

    /// Returns the cursor with the present names of its sort fields. Its fields may have been renamed since it was made.
    package func renamed(by schema: ProfileSchema) -> ProfileCursor {
        guard case .fields(let fields) = order else { return self }
        let renamed = fields.map { sort in
            guard schema[sort.field] == nil, let field = schema.fields.first(where: { $0.formerName == sort.field })
            else { return sort }
            return ProfileQuery.SortField(field.name, isDescending: sort.isDescending)
        }
        return ProfileCursor(id: id, order: .fields(renamed), values: values)
    }

    private enum Direction: String { case ascending, descending }
}

extension ProfileCursor: JSONEncodable, JSONDecodable {
    /// Reads ``description``.
    @_disfavoredOverload
    public init(_ json: JSONValue) throws(JSONMemberError) {
        guard let cursor = ProfileCursor(try String(json: json)) else { throw JSONMemberError(.malformed) }
        self = cursor
    }

    /// The ``description`` as a string.
    public var json: JSONValue { .string(description) }
}

/// A page of the profiles that a query finds, in the query's order.
public struct ProfilePage: Sendable {
    /// The profiles, at most as many as the query's limit.
    public let profiles: [Profile]
    /// The cursor of the next page; nil if this is the last page.
    public let next: ProfileCursor?

    package init(profiles: [Profile], next: ProfileCursor?) {
        self.profiles = profiles
        self.next = next
    }
}
