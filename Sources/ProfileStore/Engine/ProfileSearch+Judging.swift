package import ProfileCore

// What a search asks, answered by looking at a profile: for engines where the database cannot say it.
extension ProfileSearch.Condition {
    /// Whether a profile without a value meets it.
    package var isMetByAbsence: Bool {
        switch comparison {
        case .differs, .isAbsent: true
        default: false
        }
    }

    /// Whether a stored value meets it.
    package func isMet(by value: Span<UInt8>) -> Bool {
        switch comparison {
        case .equals(let wanted): isSame(value, wanted)
        case .differs(let wanted): !isSame(value, wanted)
        case .hasPrefix(let prefix): field.comparedBytes(value).starts(with: field.comparedBytes(prefix.utf8Span.span))
        case .contains(let text): FoldedText(text).isContained(in: value)
        case .isLess(let bound): place(of: value, beside: bound).map { $0 < 0 } ?? false
        case .isAtMost(let bound): place(of: value, beside: bound).map { $0 <= 0 } ?? false
        case .isGreater(let bound): place(of: value, beside: bound).map { $0 > 0 } ?? false
        case .isAtLeast(let bound): place(of: value, beside: bound).map { $0 >= 0 } ?? false
        case .isAny(let wanted): wanted.contains { isSame(value, $0) }
        case .isAbsent: false
        case .isPresent: true
        }
    }

    /// Where a value comes beside another one; nil for what is none of the field's type.
    private func place(of value: Span<UInt8>, beside other: String) -> Int? {
        guard field.type.holds(value) else { return nil }
        return ValueOrder(field).compare(value, other.utf8Span.span)
    }

    private func isSame(_ value: Span<UInt8>, _ other: String) -> Bool {
        field.comparedBytes(value) == field.comparedBytes(other.utf8Span.span)
    }
}

extension FieldRules {
    /// A value as it is compared: by its bytes, and a primary key whatever the case of its ASCII letters. Two that are
    /// equal as `String`s, such as é in one scalar and in two, are not the same value.
    package func comparedBytes(_ value: Span<UInt8>) -> [UInt8] {
        value.withUnsafeBufferPointer { bytes in
            isPrimaryKey ? bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } : Array(bytes)
        }
    }
}

extension ProfileSearch {
    /// The place of a profile in the order.
    package func place(of profile: Profile) -> ProfileCursor {
        let value: [UInt8]? =
            switch order {
            case nil: nil
            case .field(let field, _): profile[field.name].map { Array($0.utf8) }
            case .relevance(let text): profile.match(of: text).map { [UInt8($0.rawValue)] }
            }
        return cursor(id: profile.id, value: value)
    }

    /// Whether one place of the order comes before another.
    package func precedes(_ one: ProfileCursor, _ other: ProfileCursor) -> Bool {
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
