/// The sort order of a field's stored values. Every engine uses this comparison.
package enum ValueOrder: Sendable {
    /// The order of the UTF-8 bytes. The stored forms of days, years and booleans are also sorted in this order.
    case bytes
    /// The order of the bytes, ignoring the case of ASCII letters. The primary key uses it.
    case ignoringCase
    /// The order of numeric values. Numbers of any notation and any size can be compared, if their exponents have at
    /// most 18 digits.
    ///
    /// Values that are not numbers come last, in the order of their bytes. If other rules were in force when a profile
    /// was stored, the profile may have such a value.
    case number
    /// The order of the bytes. A final `Z` is ignored, so the order does not depend on whether a time is in UTC.
    case moment

    package init(_ rules: FieldRules) {
        switch rules.type {
        case .integer, .number: self = .number
        case .dateTime, .time: self = .moment
        case .string, .boolean, .date, .year: self = rules.isPrimaryKey ? .ignoringCase : .bytes
        }
    }

    /// Compares two stored values.
    ///
    /// - Returns: A negative number if the left value comes first, a positive number if the right value comes first.
    ///   Zero if the values are equal in this order.
    package func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        switch self {
        case .bytes: return Self.compareBytes(left, right)
        case .ignoringCase:
            for index in 0..<min(left.count, right.count) {
                let (one, other) = (left[index].asciiFolded, right[index].asciiFolded)
                if one != other { return one < other ? -1 : 1 }
            }
            return left.count - right.count
        case .number:
            switch (DecimalNumber(left), DecimalNumber(right)) {
            case (let one?, let other?): return one.compare(left, other, right)
            case (_?, nil): return -1
            case (nil, _?): return 1
            case (nil, nil): return Self.compareBytes(left, right)
            }
        case .moment: return Self.compareBytes(Self.withoutZone(left), Self.withoutZone(right))
        }
    }

    /// Appends the sort key of a stored value. The bytes of keys sort in the same order as the values. No key is a
    /// prefix of a different key, so the keys of several fields can be concatenated.
    package func appendKey(of value: Span<UInt8>, to key: inout [UInt8]) {
        switch self {
        case .bytes: Self.append(value, to: &key) { $0 }
        case .ignoringCase: Self.append(value, to: &key) { $0.asciiFolded }
        case .number:
            if let number = DecimalNumber(value) { return number.appendKey(of: value, to: &key) }
            key.append(DecimalNumber.firstByteAfterKeys)
            Self.append(value, to: &key) { $0 }
        case .moment: Self.append(Self.withoutZone(value), to: &key) { $0 }
        }
    }

    /// Appends a text and a terminator of two zero bytes. So a text sorts before every longer text that begins with it.
    @inline(__always)
    private static func append(_ text: Span<UInt8>, to key: inout [UInt8], _ fold: (UInt8) -> UInt8) {
        for index in text.indices {
            let byte = fold(text[index])
            key.append(byte)
            // A zero byte in the text must sort after the terminator.
            if byte == 0 { key.append(0xFF) }
        }
        key.append(0)
        key.append(0)
    }

    private static func compareBytes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index] ? -1 : 1
        }
        return left.count - right.count
    }

    @_lifetime(copy text)
    private static func withoutZone(_ text: Span<UInt8>) -> Span<UInt8> {
        guard !text.isEmpty, text[text.count - 1] == UInt8(ascii: "Z") else { return text }
        return text.extracting(0..<text.count - 1)
    }
}

extension FieldType {
    /// Returns whether a stored text is a value of this type. Only such a text can be sorted in the type's order.
    package func holds(_ text: Span<UInt8>) -> Bool {
        switch self {
        case .string: true
        case .integer, .number: DecimalNumber(text) != nil
        case .boolean: text.isSame(as: "true") || text.isSame(as: "false")
        case .date: if case .value = DateFormat.iso.read(text) { true } else { false }
        case .dateTime: if case .value = DateTime.read(text) { true } else { false }
        case .time: if case .value = TimeOfDay.read(text) { true } else { false }
        case .year: text.count == 4 && text.digits(0..<4) != nil
        }
    }
}

extension Span<UInt8> {
    fileprivate func isSame(as text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != text.utf8Start[index] { return false }
        return true
    }
}
