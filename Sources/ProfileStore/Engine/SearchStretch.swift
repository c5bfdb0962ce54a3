/// A part of a search's order that an engine reads with one statement: profiles with a value in the order's field, or
/// profiles without one.
package struct SearchStretch: Sendable {
    package enum Part: Sendable {
        /// All profiles, in the order of their ids.
        case ids
        /// Profiles with a value in the order's field, in the order of their values. In the order of relevance, all
        /// profiles that match.
        case present
        /// Profiles without a value in the order's field, in the order of their ids.
        case absent
    }

    package let part: Part
    /// The cursor after which the stretch continues; nil if the stretch is read from its beginning.
    package let after: ProfileCursor?
}

extension ProfileSearch {
    /// The stretches that make up the order, from the search's cursor on.
    package var stretches: [SearchStretch] {
        guard let order else { return [SearchStretch(part: .ids, after: after)] }
        let parts: [SearchStretch.Part] =
            order.field == nil || !order.hasAbsent
            ? [.present] : isReversed ? [.absent, .present] : [.present, .absent]
        guard let after else { return parts.map { SearchStretch(part: $0, after: nil) } }
        let part: SearchStretch.Part = order.field != nil && after.value == nil ? .absent : .present
        guard let index = parts.firstIndex(of: part) else {
            // The cursor has no value, although every profile has a value. In the reversed order, absent values come
            // first, so all profiles follow the cursor. In the order that is not reversed, no profile follows the
            // cursor.
            return isReversed ? parts.map { SearchStretch(part: $0, after: nil) } : []
        }
        return parts[index...].map { SearchStretch(part: $0, after: $0 == part ? after : nil) }
    }
}

/// A page while an engine reads its profiles in the search's order.
package struct PageReading {
    private let search: ProfileSearch
    private var profiles: [Profile] = []
    private var byteCount = 0

    package init(_ search: ProfileSearch) { self.search = search }

    package var count: Int { profiles.count }

    /// Whether the page has reached one of its limits. The caller then calls ``end(hasMore:)`` and passes whether
    /// another profile follows.
    package var isFull: Bool { profiles.count >= search.limit || byteCount >= search.mostBytes }

    package mutating func append(_ profile: Profile) {
        byteCount += profile.byteCount
        profiles.append(profile)
    }

    /// Returns the page. It has a cursor if another profile follows.
    package consuming func end(hasMore: Bool) -> ProfilePage {
        ProfilePage(profiles: profiles, next: hasMore ? profiles.last.map { search.place(of: $0) } : nil)
    }
}
