internal import ProfileCore
internal import ProfileStore

// Finding profiles by their values: each is looked at, and those that are found are sorted.
extension MemoryState {
    /// The profiles that a search finds, wherever it goes on, in its order.
    func profiles(_ search: ProfileSearch, under schema: ProfileSchema) -> [MemoryProfile] {
        profiles(after: 0).filter { $0.meets(search, under: schema) }
            .sorted { search.precedes(search.cursor(at: $0, under: schema), search.cursor(at: $1, under: schema)) }
    }
}

extension MemoryProfile {
    func meets(_ search: ProfileSearch, under schema: ProfileSchema) -> Bool {
        switch search.status {
        case .invalid where issues == nil: return false
        case .judged(let versions) where !versions.contains(schemaVersion): return false
        default: break
        }
        if let text = search.text {
            let isThere = schema.openFields.contains { field in
                values[field.column].map { text.isContained(in: $0.utf8.span) } ?? false
            }
            guard isThere else { return false }
        }
        if let last = search.lastID, search.isAscending ? id > last : id < last { return false }
        return search.conditions.allSatisfy { $0.isMet(by: values[$0.field.column]) }
    }
}

extension ProfileSearch.Condition {
    fileprivate func isMet(by value: String?) -> Bool {
        guard let value else {
            switch comparison {
            case .differs, .isAbsent: return true
            default: return false
            }
        }
        switch comparison {
        case .equals(let wanted): return isSame(value, wanted)
        case .differs(let wanted): return !isSame(value, wanted)
        case .hasPrefix(let prefix):
            return ComparedText(value, in: field.column).bytes.starts(
                with: ComparedText(prefix, in: field.column).bytes)
        case .contains(let text): return FoldedText(text).isContained(in: value.utf8.span)
        case .isLess(let bound): return place(of: value, beside: bound).map { $0 < 0 } ?? false
        case .isAtMost(let bound): return place(of: value, beside: bound).map { $0 <= 0 } ?? false
        case .isGreater(let bound): return place(of: value, beside: bound).map { $0 > 0 } ?? false
        case .isAtLeast(let bound): return place(of: value, beside: bound).map { $0 >= 0 } ?? false
        case .isAny(let wanted): return wanted.contains { isSame(value, $0) }
        case .isAbsent: return false
        case .isPresent: return true
        }
    }

    /// Where a value comes beside another one; nil for what is none of the field's type.
    private func place(of value: String, beside other: String) -> Int? {
        guard field.type.holds(value.utf8.span) else { return nil }
        return ValueOrder(field).compare(value.utf8.span, other.utf8.span)
    }

    private func isSame(_ value: String, _ other: String) -> Bool {
        ComparedText(value, in: field.column) == ComparedText(other, in: field.column)
    }
}

extension ProfileSearch {
    /// The place of a profile in the order.
    func cursor(at profile: MemoryProfile, under schema: ProfileSchema) -> ProfileCursor {
        let value: [UInt8]? =
            switch order {
            case nil: nil
            case .field(let field, _): profile.values[field.column].map { Array($0.utf8) }
            case .relevance(let text):
                profile.profile(under: schema).match(of: text).map { [UInt8($0.rawValue)] }
            }
        return cursor(id: profile.id, value: value)
    }

    /// Whether one place of the order comes before another.
    func precedes(_ one: ProfileCursor, _ other: ProfileCursor) -> Bool {
        let order = compare(one, other)
        return isReversed ? order > 0 : order < 0
    }

    /// As if the order were not turned round.
    private func compare(_ one: ProfileCursor, _ other: ProfileCursor) -> Int {
        guard let order else { return one.id < other.id ? -1 : one.id > other.id ? 1 : 0 }
        let values: Int
        switch (one.value, other.value) {
        case (nil, nil): values = 0
        case (nil, _?): return 1
        case (_?, nil): return -1
        case (let left?, let right?):
            switch order {
            case .field(let field, _): values = ValueOrder(field).compare(left.span, right.span)
            // The better one comes first.
            case .relevance: values = Int(right.first ?? 0) - Int(left.first ?? 0)
            }
        }
        let rising = values != 0 ? values : one.id < other.id ? -1 : one.id > other.id ? 1 : 0
        return order.isDescending ? -rising : rising
    }
}
