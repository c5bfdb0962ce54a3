internal import ProfileCore
internal import SecretHashing

/// A place in an order of profiles: between those of a page and those that come after them, whatever comes and goes
/// meanwhile.
///
/// Its text is opaque, and safe in a URL or on a command line. It tells the id and, in an order by a field, the value of
/// the profile at which the page ended; in that of relevance, how well it matched.
public struct ProfileCursor: Hashable, Sendable, CustomStringConvertible {
    package let id: Int64
    /// The order that it is a place of; nil for that of ids.
    package let order: ProfileQuery.Order?
    /// What that profile has in the order's field, in UTF-8 unless another program has stored it; nil where that is absent.
    /// In the order of relevance one byte, the number of its `TextMatch`; nil where it does not match.
    package let value: [UInt8]?

    package init(id: Int64, order: ProfileQuery.Order? = nil, value: [UInt8]? = nil) {
        self.id = id
        self.order = order
        self.value = value
    }

    /// Reads what ``description`` wrote.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard let id = Int64(parts[0]), id >= 0 else { return nil }
        switch parts.count {
        case 1: self.init(id: id)
        case 2:
            guard let match = UInt8(parts[1]), match <= TextMatch.whole.rawValue else { return nil }
            self.init(id: id, order: .relevance, value: match == 0 ? nil : [match])
        case 3, 4:
            guard let field = FieldName(String(parts[1])), let direction = Direction(rawValue: String(parts[2])) else {
                return nil
            }
            let order = ProfileQuery.Order(field, isDescending: direction == .descending)
            guard parts.count == 4 else {
                self.init(id: id, order: order)
                return
            }
            guard let value = Hexadecimal.bytes(parts[3]), !value.isEmpty else { return nil }
            self.init(id: id, order: order, value: value)
        default: return nil
        }
        // One place has one text.
        guard description == text else { return nil }
    }

    /// `12` in the order of ids; `12.age.ascending.3431` after the age 41; `12.age.ascending` after none; `12.4` after one
    /// that matched as a whole.
    public var description: String {
        switch order {
        case nil: return String(id)
        case .relevance: return "\(id).\(value?.first ?? 0)"
        case .field(let field, let isDescending):
            let direction = isDescending ? Direction.descending : .ascending
            let place = "\(id).\(field).\(direction.rawValue)"
            return value.map { place + "." + Hexadecimal.text($0.span) } ?? place
        }
    }

    /// Whether a query in this order can go on here; nil is the order of ids.
    public func isPlace(in order: ProfileQuery.Order?) -> Bool { self.order == order }

    private enum Direction: String { case ascending, descending }
}

extension ProfileCursor: Codable {
    /// Reads ``description``.
    ///
    /// - Throws: `DecodingError` for a text that is no cursor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = ProfileCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "No cursor that a page gave")
        }
        self = cursor
    }

    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// Some of the profiles that a query finds, in its order.
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
