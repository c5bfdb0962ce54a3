/// The rules of one field of a schema.
///
/// Only the schema reader and ``ProfileSchema/standard`` create field rules, so the rules never contradict each other.
/// <doc:Schema> explains each rule.
public struct FieldRules: Hashable, Sendable {
    /// The field's name. It is the key of the field's values in a profile, and the name of the field's column in files.
    public let name: FieldName
    /// The name that people see: "Postal code".
    public let title: String
    /// The type of its values.
    public let type: FieldType
    /// Whether every profile must have a value. A missing value is an issue.
    public internal(set) var isRequired = false
    /// Whether two profiles cannot have the same value. The database enforces this with an index.
    ///
    /// The comparison is exact, except that the primary key ignores ASCII case.
    public internal(set) var isUnique = false
    /// Whether this field is the primary key: `username`, or the field that the schema names instead.
    ///
    /// Each schema has exactly one primary key. It is a required and unique string.
    public internal(set) var isPrimaryKey = false
    /// Whether look-ups by this field use an index. Its values may repeat.
    public internal(set) var isIndexed = false
    /// The texts that mean "no value", besides the empty text. They are trimmed and unique.
    public internal(set) var missingValues: [String] = []
    /// The minimum length of a string in user-perceived characters.
    public internal(set) var minimumLength: Int?
    /// The maximum length of a string in user-perceived characters.
    public internal(set) var maximumLength: Int?
    /// The smallest allowed integer, number, year, date, datetime or time.
    public internal(set) var minimum: Bound?
    /// The greatest allowed integer, number, year, date, datetime or time.
    public internal(set) var maximum: Bound?
    /// The regular expression that must match the whole value in its stored form.
    public internal(set) var pattern: FieldPattern?
    /// The allowed values (`enum`) in their stored form. An empty list allows every value.
    public internal(set) var allowedValues: [String] = []
    /// The characters that a value may contain. Nil allows every character except control characters other than tab, LF
    /// and CR.
    public internal(set) var characters: [AllowedCharacters]?
    /// The kinds of characters that a value must contain at least once each.
    public internal(set) var requirements: [Requirement] = []
    /// The fixed shape of its values. A field with a mask has no lengths, characters or requirements.
    public internal(set) var mask: Mask?
    /// Whether the field is stored only as a hash. Such a value is never shown and never trimmed.
    public internal(set) var isSecret = false
    /// The schema's own messages, by issue code. They replace the built-in messages.
    public internal(set) var messages: [IssueCode: String] = [:]
    /// The content type that a form's auto-fill uses, such as `username` or `tel`.
    public internal(set) var contentType: String?
    /// The accepted formats of a date, datetime or time. A form shows values in the first one.
    ///
    /// For a datetime or time, an empty list means ISO 8601.
    public internal(set) var formats: [DateFormat]
    /// The format of a string, such as an e-mail address.
    public internal(set) var stringFormat: StringFormat?
    /// The notation of an integer or number.
    public internal(set) var numberFormat = NumberFormat.plain
    /// The texts that mean true in a boolean field. A form shows `true` if the list contains it, otherwise the first
    /// text.
    public internal(set) var trueValues = Self.defaultTrueValues
    /// The texts that mean false in a boolean field. A form shows `false` if the list contains it, otherwise the first
    /// text.
    public internal(set) var falseValues = Self.defaultFalseValues
    /// Other column names in files that mean this field. They are compared like the field's own name.
    public internal(set) var columns: [String] = []
    /// The column names in files that mean the hash of the secret field.
    public internal(set) var hashColumns: [String] = []

    package static let defaultTrueValues = ["true", "True", "TRUE", "1"]
    package static let defaultFalseValues = ["false", "False", "FALSE", "0"]

    init(name: FieldName, title: String, type: FieldType = .string) {
        self.name = name
        self.title = title
        self.type = type
        formats = Self.defaultFormats(of: type)
    }

    /// Returns the formats of a field whose schema names none.
    static func defaultFormats(of type: FieldType) -> [DateFormat] { type == .date ? [.iso] : [] }

    /// The maximum number of characters that a person can type into the field; nil if there is no limit.
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

    /// The length of `yyyy-MM-ddThh:mm:ss` with nine fraction digits and a time zone.
    private static let longestISOLength = 35

    /// The maximum number of characters that a person has to type: ``longestLength`` without a mask's literals.
    package var longestTypedLength: Int? { mask?.digitCount ?? longestLength }

    /// The maximum length of a value in bytes of UTF-8. It is four times ``longestLength``, but at least 1,024 bytes.
    /// If ``longestLength`` is nil, it is 1 MiB.
    ///
    /// Without this limit, a few characters with many combining marks could be very large.
    public var longestByteCount: Int {
        longestLength.map { max($0.multipliedReportingOverflow(by: 4).partialValue, 1_024) } ?? 1_048_576
    }

    /// The column of a store's tables that holds this field. Every store keeps the primary key in `username`, even if
    /// the schema gives that field another name.
    package var column: FieldName { isPrimaryKey ? .username : name }
}

extension FieldRules {
    /// Returns a stored value in a form that can be typed into the field.
    ///
    /// This is the stored form, unless the schema requires another notation.
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

    /// Returns a stored value as a form shows it: a date, datetime or time in the first of ``formats``.
    ///
    /// The result can be typed into the field too.
    package func shownForm(of stored: String) -> String {
        formats.first?.typedForm(of: stored, type) ?? typedForm(of: stored)
    }

    /// Whether every stored value, and every JSON number and boolean, can be typed into the field without a change.
    package var isTypedAsStored: Bool {
        switch type {
        case .date: formats.contains(.iso)
        case .dateTime, .time: formats.isEmpty
        case .boolean: word("true", of: trueValues) == "true" && word("false", of: falseValues) == "false"
        case .number: numberFormat.decimalCharacter == "."
        // An integer has no fraction, but a number in JSON may have one. That fraction must not be read as a group of
        // digits.
        case .integer: numberFormat.groupCharacter != "."
        case .string, .year: true
        }
    }

    /// Returns the word to type for a boolean: the stored form if the list contains it, otherwise the first word.
    ///
    /// Words that mean "no value" are skipped.
    private func word(_ stored: String, of words: [String]) -> String {
        let words = words.filter { !missingValues.contains($0) }
        return words.contains(stored) ? stored : words.first ?? stored
    }
}
