internal import ProfileStore

/// What an access token permits. Each level includes those before it.
enum AccessLevel: Int, Comparable, CaseIterable, Sendable {
    case read, support, write, admin

    /// The level of the highest scope; nil if no scope of the token belongs to a level.
    init?(_ scopes: [AccessScope]) {
        guard let highest = Self.allCases.last(where: { scopes.contains($0.scope) }) else { return nil }
        self = highest
    }

    var scope: AccessScope {
        switch self {
        case .read: .read
        case .support: .support
        case .write: .write
        case .admin: .admin
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
