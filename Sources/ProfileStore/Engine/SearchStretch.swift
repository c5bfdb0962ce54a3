/// A part of the profiles of a search. An engine reads each part with one statement. Profiles with a value in the sort
/// field are one part, and profiles without a value are another part.
package struct SearchStretch: Sendable {
    package enum Part: Sendable {
        /// All profiles, sorted by id.
        case ids
        /// Profiles that have a value in the sort field, sorted by value. In an order of several fields, this part
        /// contains all profiles. In the order of relevance, it contains all profiles that match the text.
        case present
        /// Profiles that have no value in the sort field, sorted by id.
        case absent
    }

    package let part: Part
    /// The cursor after which the engine reads this part; nil if the part is read from its beginning.
    package let after: ProfileCursor?
}

extension ProfileSearch {
    /// The parts that an engine reads one after the other. The first part starts at the search's cursor.
    package var stretches: [SearchStretch] {
        guard let order else { return [SearchStretch(part: .ids, after: after)] }
        let parts: [SearchStretch.Part] =
            order.field == nil || !order.hasAbsent
            ? [.present] : isReversed ? [.absent, .present] : [.present, .absent]
        guard let after else { return parts.map { SearchStretch(part: $0, after: nil) } }
        let part: SearchStretch.Part = order.field != nil && after.value == nil ? .absent : .present
        guard let index = parts.firstIndex(of: part) else {
            // The cursor has no value in the sort field, although every profile has one. In the reversed order, absent
            // values come first, so all profiles follow the cursor. If the order is not reversed, absent values come
            // last, so no profile follows the cursor.
            return isReversed ? parts.map { SearchStretch(part: $0, after: nil) } : []
        }
        return parts[index...].map { SearchStretch(part: $0, after: $0 == part ? after : nil) }
    }
}

/// A page that an engine fills with profiles in the search's order.
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

    /// Returns the page. The page has a cursor if another profile follows.
    package consuming func end(hasMore: Bool) -> ProfilePage {
        ProfilePage(profiles: profiles, next: hasMore ? profiles.last.map { search.place(of: $0) } : nil)
    }
}
