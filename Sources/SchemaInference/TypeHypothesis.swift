internal import ProfileCore

/// A type with its format, for which the values of a column are tested.
struct TypeHypothesis: Sendable {
    let type: InferredType
    /// Returns whether a value looks like this type. It is stricter than the validation rules, which accept `+7` and
    /// `007` as integers.
    private let isPlausible: @Sendable (Span<UInt8>) -> Bool

    /// All hypotheses, at most 64. If several fit every value, the first one is used.
    static let all: [TypeHypothesis] = [integer] + numbers + dates + dateTimesAndTimes + texts

    private static let integer = TypeHypothesis(.integer) { WrittenNumber($0, decimal: nil, group: nil) != nil }
    private static let numbers = NumberWriting.all.map { writing in
        TypeHypothesis(.number(writing)) { WrittenNumber($0, decimal: writing.decimal, group: writing.group) != nil }
    }
    private static let dates = DateWriting.all.map { TypeHypothesis(.date($0), isPlausible: $0.isPlausible) }
    private static let dateTimesAndTimes = (dateTimeTypes + timeTypes).map { TypeHypothesis($0) { $0.beginsWithDigit } }
    static let dateTimeTypes = ([nil] + DateWriting.dateTimes.map(Optional.some)).map { InferredType.dateTime($0) }
    static let timeTypes = [nil, "%H:%M", "%I:%M %p"].map { InferredType.time($0) }
    private static let texts = [
        TypeHypothesis(.email) { $0.contains(UInt8(ascii: "@")) },
        TypeHypothesis(.uri) { $0.namesProtocol },
        TypeHypothesis(.uuid) { $0.count == 36 },
    ]

    /// A validator with one field per hypothesis. So inference judges values with the same code that validates them
    /// during an import.
    private static let validator: ProfileValidator? = {
        let fields = all.enumerated().map { index, hypothesis in
            FieldDraft(name: "field\(index)", type: hypothesis.type).document
        }
        let key: JSONValue = ["name": "username", "constraints": ["required": true, "unique": true]]
        let document: JSONValue = ["fields": .array(fields + [key])]
        return (try? ProfileSchema(parsing: document.text())).map(ProfileValidator.init)
    }()

    private init(_ type: InferredType, isPlausible: @escaping @Sendable (Span<UInt8>) -> Bool) {
        self.type = type
        self.isPlausible = isPlausible
    }

    /// Returns whether a value fits the hypothesis with this index. The value must be trimmed and not empty.
    static func isBorneOut(_ index: Int, by value: Span<UInt8>) -> Bool {
        all[index].isPlausible(value) && (validator?.takes(value, index: index) ?? false)
    }

    /// Returns the hypotheses that need no test, as a set of bits: a value that fits the hypothesis with this index
    /// also fits them. An integer also fits every number format without groups. An integer of at most three bytes also
    /// fits the formats with groups.
    @inline(__always)
    static func implied(by index: Int, _ value: Span<UInt8>) -> UInt64 {
        guard index == 0 else { return 0 }
        return value.count <= 3 ? numberPositions : ungroupedPositions
    }

    /// The maximum number of digits of a number. A `Double` keeps every decimal number of 15 digits.
    static let mostDigits = 15

    /// The hypotheses of the types `integer` and `number`, as a set of bits.
    static let numeric = 1 | numberPositions

    private static let numberPositions = positions { if case .number = $0 { true } else { false } }
    private static let ungroupedPositions = positions {
        if case .number(let writing) = $0 { writing.group == nil } else { false }
    }

    /// The hypotheses of dates and times.
    static let moments = positions { ["date", "datetime", "time"].contains($0.name) }

    private static func positions(_ isWanted: (InferredType) -> Bool) -> UInt64 {
        var positions: UInt64 = 0
        for (index, hypothesis) in all.enumerated() where isWanted(hypothesis.type) { positions |= 1 << index }
        return positions
    }
}

/// A type that a column's values can have, other than plain text.
public enum InferredType: Hashable, Sendable {
    /// A whole number of at most 15 digits.
    case integer
    /// A number with this decimal sign and thousands sign.
    case number(NumberWriting)
    /// A date in this format.
    case date(DateWriting)
    /// A date and time in this strptime pattern; nil means ISO 8601.
    case dateTime(String?)
    /// A time in this strptime pattern; nil means ISO 8601.
    case time(String?)
    /// Text in the format `email`.
    case email
    /// Text in the format `uri`, with `://` after the scheme.
    case uri
    /// Text in the format `uuid`.
    case uuid

    var isNumber: Bool {
        switch self {
        case .integer, .number: true
        default: false
        }
    }

    /// The `type` in a schema.
    var name: String {
        switch self {
        case .integer: "integer"
        case .number: "number"
        case .date: "date"
        case .dateTime: "datetime"
        case .time: "time"
        case .email, .uri, .uuid: "string"
        }
    }

    /// The members beside `type` in a schema.
    var attributes: [JSONMember] {
        switch self {
        case .integer: []
        case .number(let writing): writing.attributes
        case .date(let writing): writing.isStrptime ? [JSONMember("format", .string(writing.pattern))] : []
        case .dateTime(let pattern), .time(let pattern): pattern.map { [JSONMember("format", .string($0))] } ?? []
        case .email: [JSONMember("format", "email")]
        case .uri: [JSONMember("format", "uri")]
        case .uuid: [JSONMember("format", "uuid")]
        }
    }

    /// The members of the object `profiles` in a schema.
    var extensions: [JSONMember] {
        // ISO 8601 is the default and needs no format.
        guard case .date(let writing) = self, !writing.isStrptime, writing.pattern != DateFormat.iso.pattern else {
            return []
        }
        return [JSONMember("formats", [.string(writing.pattern)])]
    }
}

/// A number format: the decimal sign and the thousands sign.
public struct NumberWriting: Hashable, Sendable {
    /// The sign between the whole part and the fraction.
    let decimal: UInt8
    /// The sign between groups of thousands; nil for none.
    let group: UInt8?

    static let plain = NumberWriting(decimal: UInt8(ascii: "."), group: nil)

    static let all = [
        plain,
        NumberWriting(decimal: UInt8(ascii: ","), group: nil),
        NumberWriting(decimal: UInt8(ascii: "."), group: UInt8(ascii: ",")),
        NumberWriting(decimal: UInt8(ascii: ","), group: UInt8(ascii: ".")),
        NumberWriting(decimal: UInt8(ascii: ","), group: UInt8(ascii: " ")),
        NumberWriting(decimal: UInt8(ascii: "."), group: UInt8(ascii: " ")),
        NumberWriting(decimal: UInt8(ascii: "."), group: UInt8(ascii: "'")),
    ]

    var attributes: [JSONMember] {
        var members: [JSONMember] = []
        if decimal != Self.plain.decimal { members.append(JSONMember("decimalChar", .string(Self.text(decimal)))) }
        if let group { members.append(JSONMember("groupChar", .string(Self.text(group)))) }
        return members
    }

    private static func text(_ byte: UInt8) -> String { String(Unicode.Scalar(byte)) }

    /// Returns whether the characters of a column's values include the sign that distinguishes this format from the
    /// others.
    func isTold(by seen: SeenASCII) -> Bool { group.map(seen.contains) ?? seen.contains(decimal) }
}

/// A number as people write it: no plus sign, no leading zeros, all thousands in groups or none, and at most 15 digits.
private struct WrittenNumber {
    /// Parses a number; nil if the text is not such a number. A `decimal` of nil accepts only whole numbers.
    init?(_ text: Span<UInt8>, decimal: UInt8?, group: UInt8?) {
        var index = text.first == UInt8(ascii: "-") ? 1 : 0
        let start = index
        var digits = 0
        var sinceGroup = 0
        var hasGroups = false
        while index < text.count, text[index] != decimal, text[index] | 0x20 != UInt8(ascii: "e") {
            let byte = text[index]
            if byte.isASCIIDigit {
                digits += 1
                sinceGroup += 1
            } else if byte == group, hasGroups ? sinceGroup == 3 : 1...3 ~= sinceGroup {
                hasGroups = true
                sinceGroup = 0
            } else {
                return nil
            }
            index += 1
        }
        guard digits > 0, !hasGroups || sinceGroup == 3, group == nil || hasGroups || digits <= 3 else { return nil }
        let isZero = text[start] == UInt8(ascii: "0")
        guard !isZero || digits == 1 else { return nil }
        // `-0` is not an integer.
        if decimal == nil { guard index == text.count, !(isZero && start == 1) else { return nil } }
        if index < text.count, text[index] == decimal {
            let fraction = index + 1
            index = fraction
            while index < text.count, text[index].isASCIIDigit { index += 1 }
            guard index > fraction else { return nil }
            digits += index - fraction
        }
        guard digits <= TypeHypothesis.mostDigits else { return nil }
        if index < text.count {
            // `1E5` may be a number or a name; `1.0E5` and `1E+5` are numbers.
            guard group == nil, text[index] | 0x20 == UInt8(ascii: "e"), index + 1 < text.count else { return nil }
            let sign = text[index + 1] == UInt8(ascii: "-") || text[index + 1] == UInt8(ascii: "+")
            let exponent = index + (sign ? 2 : 1)
            guard sign || index > start + 1 && digits > 1, exponent < text.count, text.count - exponent <= 3 else {
                return nil
            }
            for place in exponent..<text.count where !text[place].isASCIIDigit { return nil }
        }
    }
}

extension Span<UInt8> {
    fileprivate var beginsWithDigit: Bool { first?.isASCIIDigit ?? false }

    func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }

    /// Whether the text begins with a scheme and `://`, as in `https://…`. A scheme alone is not enough, because
    /// `note:text` is also a URI.
    fileprivate var namesProtocol: Bool {
        var index = 0
        while index < count, self[index].isASCIILetter { index += 1 }
        return index > 1 && index + 3 < count && self[index] == UInt8(ascii: ":")
            && self[index + 1] == UInt8(ascii: "/")
            && self[index + 2] == UInt8(ascii: "/")
    }
}
