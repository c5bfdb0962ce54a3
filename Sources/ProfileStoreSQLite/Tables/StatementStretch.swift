internal import ProfileCore
internal import ProfileStore

/// A part of the search results that one statement reads. For example, one part has the profiles with a value in the
/// sort field, and another part has the profiles without a value.
enum StatementStretch {
    /// All profiles, sorted by id.
    case ids(after: ProfileCursor?)
    /// The profiles that have a value in the sort field.
    case present(after: ProfileCursor?)
    /// The profiles that have the same value as the cursor and come after the cursor's id. SQLite can start an index
    /// scan at the cursor's id only if the statement is limited to one value of the sort field.
    case same(as: ProfileCursor)
    /// The profiles whose values come after the cursor's value.
    case beyond(ProfileCursor)
    /// The profiles that have no value in the sort field.
    case absent(after: ProfileCursor?)

    /// Returns the parts of the search results, in the order in which their statements run.
    static func all(of search: ProfileSearch, by access: SearchAccess) -> [StatementStretch] {
        search.stretches.flatMap { stretch -> [StatementStretch] in
            switch stretch.part {
            case .ids: [.ids(after: stretch.after)]
            case .absent: [.absent(after: stretch.after)]
            case .present:
                if access.way == .order, let after = stretch.after {
                    [.same(as: after), .beyond(after)]
                } else {
                    [.present(after: stretch.after)]
                }
            }
        }
    }

    /// The cursor that precedes all profiles of this part; nil if the part is read from its beginning.
    var cursor: ProfileCursor? {
        switch self {
        case .ids(let cursor), .present(let cursor), .absent(let cursor): cursor
        case .same(let cursor), .beyond(let cursor): cursor
        }
    }

    /// Whether this part is sorted by value and then by id. If false, it is sorted only by id.
    var hasValues: Bool {
        switch self {
        case .present, .beyond: true
        case .ids, .same, .absent: false
        }
    }
}
