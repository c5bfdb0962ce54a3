/// The rules of one field, as a schema file gives them.
///
/// Made only by reading a schema, or for ``ProfileSchema/standard``, so that rules which contradict each other do not
/// exist. What each rule means is said in <doc:Schema>.
public struct FieldRules: Hashable, Sendable {
    /// The key of its values; a column of tables and files.
    public let name: FieldName
    /// What people call the field: "Postal code".
    public let title: String
    /// What kind of value it holds.
    public internal(set) var type: FieldType = .string
    /// Whether a value that is empty after trimming is an issue.
    public internal(set) var isRequired = false
    /// Enforced by the database with an index; `username`'s ignores ASCII case, any other's is exact.
    public internal(set) var isUnique = false
    /// In user-perceived characters.
    public internal(set) var minimumLength: Int?
    /// In user-perceived characters.
    public internal(set) var maximumLength: Int?
    /// The least value, itself included; of integers, numbers and dates.
    public internal(set) var minimum: Bound?
    /// The greatest value, itself included; of integers, numbers and dates.
    public internal(set) var maximum: Bound?
    /// Must match the whole value, in the form in which it is stored.
    public internal(set) var pattern: Pattern?
    /// The only values there are (`enum`), in the form in which they are stored; empty for no such rule.
    public internal(set) var allowedValues: [String] = []
    /// Nil allows any character but control characters other than tab, LF and CR.
    public internal(set) var characters: [CharacterClass]?
    /// What a value must hold at least once, each.
    public internal(set) var requirements: [Requirement] = []
    /// The fixed shape of its values; there are no lengths, characters or requirements beside it.
    public internal(set) var mask: Mask?
    /// Kept as a hash only, never shown, never trimmed.
    public internal(set) var isSecret = false
    /// Texts that stand in for our own, by the code of the issue.
    public internal(set) var messages: [IssueCode: String] = [:]
    /// What a form's auto-fill goes by, such as `username` or `tel`.
    public internal(set) var contentType: String?
    /// How a date may be written; the first is how a form shows it.
    public internal(set) var formats: [DateFormat] = [.iso]

    init(name: FieldName, title: String) {
        self.name = name
        self.title = title
    }

    /// The most characters that a person can type into the field; nil where nothing limits them.
    public var longestLength: Int? {
        if let mask { return mask.bytes.count }
        return switch type {
        case .string: maximumLength
        case .date: formats.map(\.length).max()
        case .integer: 20
        case .number: 32
        case .boolean: 5
        }
    }

    /// The most characters that have to be typed: those of ``longestLength`` without a mask's literals.
    package var longestTypedLength: Int? { mask?.digitCount ?? longestLength }

    /// The most bytes of UTF-8: four a character, though at least 1,024, so that combining marks cannot smuggle in
    /// what the limit on characters keeps out; 1 MiB where characters have no limit.
    public var longestByteCount: Int {
        longestLength.map { max($0.multipliedReportingOverflow(by: 4).partialValue, 1_024) } ?? 1_048_576
    }

    /// The name of the column, in tables and in files, that holds what is kept of the field.
    public var columnName: String { isSecret ? "password_hash" : name.text }
}

extension FieldRules {
    /// A stored value in a form in which it may be typed: the same but for a date whose formats leave ISO out.
    package func typedForm(of stored: String) -> String {
        guard type == .date, !formats.contains(.iso), let day = CalendarDay(iso: stored), let format = formats.first
        else { return stored }
        return format.text(of: day)
    }
}

/// What kind of value a field holds (Table Schema's `type`).
public enum FieldType: String, Hashable, Sendable, CaseIterable {
    case string
    /// A 64-bit integer.
    case integer
    /// A finite IEEE 754 double.
    case number
    case boolean
    case date
}

/// A least or greatest value, of the field's own type.
public enum Bound: Hashable, Sendable, CustomStringConvertible {
    /// Of an integer field.
    case integer(Int64)
    /// Of a number field.
    case number(Double)
    /// Of a date field.
    case day(CalendarDay)
    /// The day on which the value is judged; of a date field.
    case today

    /// As a schema file writes it.
    public var description: String {
        switch self {
        case .integer(let value): String(value)
        case .number(let value): NumberText.canonical(value)
        case .day(let day): day.description
        case .today: "today"
        }
    }
}
