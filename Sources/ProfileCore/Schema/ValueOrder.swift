/// How the stored values of a field follow each other: one comparison, which every engine uses.
package enum ValueOrder: Sendable {
    /// By their bytes in UTF-8. So days, years and booleans follow each other too, in their stored form.
    case bytes
    /// By their bytes, whatever the case of ASCII letters: the primary key.
    case ignoringCase
    /// Numbers by their value, however they are written and whatever their size. What is none, as a profile may hold that
    /// other rules have judged, comes after them, by its bytes.
    case number
    /// Times by their bytes, which an offset of zero (`Z`) at the end is none of: those of UTC and of nowhere are compared
    /// as they stand.
    case moment

    package init(_ rules: FieldRules) {
        switch rules.type {
        case .integer, .number: self = .number
        case .dateTime, .time: self = .moment
        case .string, .boolean, .date, .year: self = rules.isPrimaryKey ? .ignoringCase : .bytes
        }
    }

    /// Less than zero where the left one comes first, zero where neither does.
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
    /// Whether a stored text is a value of this type, and so has a place in its order.
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
