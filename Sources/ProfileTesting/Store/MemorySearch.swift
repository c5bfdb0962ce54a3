internal import ProfileCore
internal import ProfileStore

// Finds profiles by their values. A search checks every profile and sorts the matches.
extension MemoryState {
    /// Returns all profiles that match a search, in the order of the search. Ignores the cursor of the search.
    func profiles(_ search: ProfileSearch, under schema: ProfileSchema) -> [MemoryProfile] {
        profiles(after: 0).filter { $0.meets(search, under: schema) }
            .map { (profile: $0, place: search.place(of: $0.profile(under: schema))) }
            .sorted { search.precedes($0.place, $1.place) }
            .map(\.profile)
    }
}

extension MemoryProfile {
    func meets(_ search: ProfileSearch, under schema: ProfileSchema) -> Bool {
        switch search.status {
        case .invalid where issues == nil: return false
        case .judged(let versions) where !versions.contains(schemaVersion): return false
        case .hasPassword(let versions):
            guard let password, !versions.contains(password.schemaVersion) else { return false }
        default: break
        }
        if let text = search.text {
            let isThere = schema.openFields.contains { field in
                values[field.column].map { text.isContained(in: $0.utf8.span) } ?? false
            }
            guard isThere else { return false }
        }
        if let last = search.lastID, search.isAscending ? id > last : id < last { return false }
        return search.areConditionsMet { condition in
            let text = condition.field.column.fact.flatMap { profile(under: schema).text(of: $0) }
            return (text ?? values[condition.field.column])
                .map { condition.isMet(by: $0.utf8Span.span) } ?? condition.isMetByAbsence
        }
    }
}
