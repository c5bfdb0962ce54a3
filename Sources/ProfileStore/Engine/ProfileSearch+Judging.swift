package import ProfileCore

// Evaluates the conditions of a search in Swift, for engines whose database cannot evaluate them.
extension ProfileSearch.Condition {
    /// Whether a profile without a value meets the condition.
    package var isMetByAbsence: Bool {
        switch comparison {
        case .differs, .isAbsent: true
        default: false
        }
    }

    /// Returns whether a stored value meets the condition.
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

    /// Compares a value with another value in the field's sort order; nil if the value does not have the field's type.
    private func place(of value: Span<UInt8>, beside other: String) -> Int? {
        guard field.type.holds(value) else { return nil }
        return ValueOrder(field).compare(value, other.utf8Span.span)
    }

    private func isSame(_ value: Span<UInt8>, _ other: String) -> Bool {
        field.comparedBytes(value) == field.comparedBytes(other.utf8Span.span)
    }
}

extension FieldRules {
    /// The bytes of a value for comparisons. In a primary key, the case of ASCII letters does not matter. Swift
    /// considers some `String`s equal although their bytes differ: for example, é can be one scalar or two scalars.
    /// A comparison of bytes treats such strings as different values.
    package func comparedBytes(_ value: Span<UInt8>) -> [UInt8] {
        value.withUnsafeBufferPointer { bytes in
            isPrimaryKey ? bytes.map(\.asciiFolded) : Array(bytes)
        }
    }
}

extension ProfileSearch {
    /// Returns whether a profile meets the conditions. `isMet` returns whether the profile meets the given condition.
    package func areConditionsMet(_ isMet: (Condition) -> Bool) -> Bool {
        joinsByOr ? conditions.contains(where: isMet) : conditions.allSatisfy(isMet)
    }

    /// Returns the position of a profile in the order of the search.
    package func place(of profile: Profile) -> ProfileCursor {
        let values: [[UInt8]?] =
            switch order {
            case nil: []
            case .fields(let fields): fields.map { profile.text(of: $0.field.name).map { Array($0.utf8) } }
            case .relevance(let text): [profile.match(of: text).map { [UInt8($0.rawValue)] }]
            }
        return cursor(id: profile.id, values: values)
    }

    /// Returns whether one position in the order of the search comes before another position.
    package func precedes(_ one: ProfileCursor, _ other: ProfileCursor) -> Bool {
        let order = compare(one, other)
        return isReversed ? order > 0 : order < 0
    }

    /// Compares two positions in the order of the search, and ignores `isReversed`.
    private func compare(_ one: ProfileCursor, _ other: ProfileCursor) -> Int {
        let fields = order?.fields ?? []
        for (index, (left, right)) in zip(one.values, other.values).enumerated() {
            switch (left, right) {
            case (nil, nil): continue
            case (nil, _?): return 1
            case (_?, nil): return -1
            case (let left?, let right?):
                guard fields.indices.contains(index) else {
                    // In the order of relevance, the better match comes first.
                    guard left == right else { return Int(right.first ?? 0) - Int(left.first ?? 0) }
                    continue
                }
                let rising = ValueOrder(fields[index].field).compare(left.span, right.span)
                guard rising == 0 else { return fields[index].isDescending ? -rising : rising }
            }
        }
        let rising = one.id < other.id ? -1 : one.id > other.id ? 1 : 0
        return order?.isDescending ?? false ? -rising : rising
    }
}
