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
    public let type: FieldType
    /// Whether a value that is missing is an issue.
    public internal(set) var isRequired = false
    /// Enforced by the database with an index; the primary key's ignores ASCII case, any other's is exact.
    public internal(set) var isUnique = false
    /// Whether a profile is known by its value: `username`, or what the schema names instead. One field of a schema is, a
    /// required and unique string.
    public internal(set) var isPrimaryKey = false
    /// Whether profiles are looked up by it fast, though its values may repeat.
    public internal(set) var isIndexed = false
    /// Texts that stand for no value, beside the empty one; trimmed, each once.
    public internal(set) var missingValues: [String] = []
    /// In user-perceived characters.
    public internal(set) var minimumLength: Int?
    /// In user-perceived characters.
    public internal(set) var maximumLength: Int?
    /// The least value, itself included; of integers, numbers, years and moments.
    public internal(set) var minimum: Bound?
    /// The greatest value, itself included; of integers, numbers, years and moments.
    public internal(set) var maximum: Bound?
    /// Must match the whole value, in the form in which it is stored.
    public internal(set) var pattern: FieldPattern?
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
    /// How a date, a time or both may be written; the first is how a form shows it. None is ISO 8601, for a datetime or
    /// time.
    public internal(set) var formats: [DateFormat]
    /// What a string is.
    public internal(set) var stringFormat: StringFormat?
    /// How an integer or number is written.
    public internal(set) var numberFormat = NumberFormat.plain
    /// How the `true` of a boolean may be written; the first is how a form shows it where `true` is not among them.
    public internal(set) var trueValues = Self.defaultTrueValues
    /// How the `false` of a boolean may be written.
    public internal(set) var falseValues = Self.defaultFalseValues
    /// Names of columns in files that mean this field, beside its own; compared as that is.
    public internal(set) var columns: [String] = []
    /// Names of columns in files that mean the hash of the secret field.
    public internal(set) var hashColumns: [String] = []

    package static let defaultTrueValues = ["true", "True", "TRUE", "1"]
    package static let defaultFalseValues = ["false", "False", "FALSE", "0"]

    init(name: FieldName, title: String, type: FieldType = .string) {
        self.name = name
        self.title = title
        self.type = type
        formats = Self.defaultFormats(of: type)
    }

    /// How a value may be written where a schema does not say.
    static func defaultFormats(of type: FieldType) -> [DateFormat] { type == .date ? [.iso] : [] }

    /// The most characters that a person can type into the field; nil where nothing limits them.
    public var longestLength: Int? {
        if let mask { return mask.bytes.count }
        return switch type {
        case .string: maximumLength
        case .date, .dateTime, .time: formats.map(\.length).max() ?? Self.longestISOLength
        case .integer: numberFormat == .plain ? 20 : 64
        case .number: numberFormat == .plain ? 32 : 64
        case .boolean: (trueValues + falseValues).map(\.count).max()
        case .year: 4
        }
    }

    /// `yyyy-MM-ddThh:mm:ss`, nine digits of a fraction and a time zone.
    private static let longestISOLength = 35

    /// The most characters that have to be typed: those of ``longestLength`` without a mask's literals.
    package var longestTypedLength: Int? { mask?.digitCount ?? longestLength }

    /// The most bytes of UTF-8: four a character, though at least 1,024, so that combining marks cannot smuggle in
    /// what the limit on characters keeps out; 1 MiB where characters have no limit.
    public var longestByteCount: Int {
        longestLength.map { max($0.multipliedReportingOverflow(by: 4).partialValue, 1_024) } ?? 1_048_576
    }

    /// The column of a store's tables that holds what is kept of the field. Every store keeps the primary key in
    /// `username`, whatever a schema calls it.
    package var column: FieldName { isPrimaryKey ? .username : name }
}

extension FieldRules {
    /// A stored value in a form in which it may be typed: the same, but where the schema has other ways of writing than
    /// the stored one.
    package func typedForm(of stored: String) -> String {
        guard !isTypedAsStored else { return stored }
        switch type {
        case .date, .dateTime, .time:
            return formats.lazy.compactMap { $0.typedForm(of: stored, type) }.first ?? stored
        case .boolean:
            switch stored {
            case "true": return word(stored, of: trueValues)
            case "false": return word(stored, of: falseValues)
            default: return stored
            }
        case .integer, .number: return numberFormat.typedForm(of: stored)
        case .string, .year: return stored
        }
    }

    /// A stored value as a form shows it, where it may be typed so too: a moment in the first of the formats.
    package func shownForm(of stored: String) -> String {
        formats.first?.typedForm(of: stored, type) ?? typedForm(of: stored)
    }

    /// Whether every stored value, and every number and boolean of JSON, may be typed as it is written there.
    package var isTypedAsStored: Bool {
        switch type {
        case .date: formats.contains(.iso)
        case .dateTime, .time: formats.isEmpty
        case .boolean: word("true", of: trueValues) == "true" && word("false", of: falseValues) == "false"
        case .number: numberFormat.decimalCharacter == "."
        // No integer has a fraction, but JSON may bring one, which must not be read as groups.
        case .integer: numberFormat.groupCharacter != "."
        case .string, .year: true
        }
    }

    /// A word that stands for a boolean: its stored form where that is one of them, and none that stands for no value.
    private func word(_ stored: String, of words: [String]) -> String {
        let words = words.filter { !missingValues.contains($0) }
        return words.contains(stored) ? stored : words.first ?? stored
    }
}
