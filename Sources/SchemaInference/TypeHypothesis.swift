internal import ProfileCore

/// Something that all values of a column may be: a field's type with its way of writing.
struct TypeHypothesis: Sendable {
    let type: InferredType
    /// Whether a value is written as such values are: stricter than the rules, which take `+7` and `007` for integers.
    private let isPlausible: @Sendable (Span<UInt8>) -> Bool

    /// All of them, none of more than 64. Of those that every value bears out the first is taken.
    static let all: [TypeHypothesis] = [integer] + numbers + dates + dateTimesAndTimes + texts

    private static let integer = TypeHypothesis(.integer) { WrittenNumber($0, decimal: nil, group: nil) != nil }
    private static let numbers = NumberWriting.all.map { writing in
        TypeHypothesis(.number(writing)) { WrittenNumber($0, decimal: writing.decimal, group: writing.group) != nil }
    }
    private static let dates = DateWriting.all.map { TypeHypothesis(.date($0), isPlausible: $0.isPlausible) }
    private static let dateTimesAndTimes: [TypeHypothesis] = {
        let dateTimes = [nil] + DateWriting.dateTimes.map(Optional.some)
        let times = [nil, "%H:%M", "%I:%M %p"]
        let types = dateTimes.map { InferredType.dateTime($0) } + times.map { InferredType.time($0) }
        return types.map { TypeHypothesis($0) { $0.beginsWithDigit } }
    }()
    private static let texts = [
        TypeHypothesis(.email) { $0.contains(UInt8(ascii: "@")) },
        TypeHypothesis(.uri) { $0.namesProtocol },
        TypeHypothesis(.uuid) { $0.count == 36 },
    ]

    /// As the fields of a schema: values are judged by the very code that will judge them when they come in.
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

    /// Whether a value, trimmed and not empty, bears out the hypothesis of a position.
    static func isBorneOut(_ index: Int, by value: Span<UInt8>) -> Bool {
        all[index].isPlausible(value) && (validator?.takes(value, index: index) ?? false)
    }

    /// The hypotheses that a value which bears one out bears out too, so that they need not be asked: an integer is a
    /// number, and in whatever groups where it is short.
    @inline(__always)
    static func implied(by index: Int, _ value: Span<UInt8>) -> UInt64 {
        guard index == 0 else { return 0 }
        return value.count <= 3 ? numberPositions : ungroupedPositions
    }

    private static let numberPositions = positions { _ in true }
    private static let ungroupedPositions = positions { $0.group == nil }

    private static func positions(_ isWanted: (NumberWriting) -> Bool) -> UInt64 {
        var positions: UInt64 = 0
        for (index, hypothesis) in all.enumerated() {
            if case .number(let writing) = hypothesis.type, isWanted(writing) { positions |= 1 << index }
        }
        return positions
    }
}

/// What a column's values can be besides text.
public enum InferredType: Hashable, Sendable {
    /// A whole number of 15 digits at most.
    case integer
    /// With the signs that it is written with.
    case number(NumberWriting)
    /// In one way of writing.
    case date(DateWriting)
    /// With a strptime pattern; nil is ISO 8601.
    case dateTime(String?)
    /// With a strptime pattern; nil is ISO 8601.
    case time(String?)
    /// Text in the format `email`.
    case email
    /// Text in the format `uri`, with `://` behind the scheme.
    case uri
    /// Text in the format `uuid`.
    case uuid

    var isNumber: Bool {
        switch self {
        case .integer, .number: true
        default: false
        }
    }

    /// A schema's `type`.
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

    /// What stands beside the type.
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

    /// What stands under `profiles`.
    var extensions: [JSONMember] {
        // ISO 8601 goes without saying.
        guard case .date(let writing) = self, !writing.isStrptime, writing.pattern != DateFormat.iso.pattern else {
            return []
        }
        return [JSONMember("formats", [.string(writing.pattern)])]
    }
}

/// The signs with which numbers are written.
public struct NumberWriting: Hashable, Sendable {
    /// Between whole and fraction.
    let decimal: UInt8
    /// Between thousands.
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

    /// Whether its signs, seen among the values of a column that bears it out, tell it from the others.
    func isTold(by seen: SeenASCII) -> Bool { group.map(seen.contains) ?? seen.contains(decimal) }
}

/// A number as people write one: no plus sign, no leading zeros, thousands in groups or not at all, 15 digits at most.
private struct WrittenNumber {
    private static let mostDigits = 15

    /// Nil for what is not written like that; a decimal sign that is nil is for whole numbers.
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
        // There is no integer that is less than none.
        if decimal == nil { guard index == text.count, !(isZero && start == 1) else { return nil } }
        if index < text.count, text[index] == decimal {
            let fraction = index + 1
            index = fraction
            while index < text.count, text[index].isASCIIDigit { index += 1 }
            guard index > fraction else { return nil }
            digits += index - fraction
        }
        guard digits <= Self.mostDigits else { return nil }
        if index < text.count {
            // Of `1E5` nobody knows whether it is a number or a name; `1.0E5` and `1E+5` are numbers.
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

    /// `https://…`: a scheme and an authority, since `note:text` is a URI too.
    fileprivate var namesProtocol: Bool {
        var index = 0
        while index < count, self[index].isASCIILetter { index += 1 }
        return index > 1 && index + 3 < count && self[index] == UInt8(ascii: ":")
            && self[index + 1] == UInt8(ascii: "/")
            && self[index + 2] == UInt8(ascii: "/")
    }
}
