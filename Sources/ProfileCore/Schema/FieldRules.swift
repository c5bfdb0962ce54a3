/// The rules of one field of a schema.
///
/// Other modules cannot create field rules. A schema gets its rules from the schema reader, or from
/// ``ProfileSchema/standard``, or by loosening other rules. The rules of a field never contradict each other.
public struct FieldRules: Hashable, Sendable {
    /// The field's name. It is the key of the value in a profile, and the column name in files.
    public internal(set) var name: FieldName
    /// The name that people see: "Postal code".
    public internal(set) var title: String
    /// The type of its values.
    public let type: FieldType
    /// Whether every profile must have a value in this field. If a value is missing, the profile has an issue.
    public internal(set) var isRequired = false
    /// Whether all profiles must have different values in this field. The database enforces this with a unique index.
    ///
    /// Values are compared exactly. Only the primary key ignores ASCII case.
    public internal(set) var isUnique = false
    /// Whether this field is the primary key. This is `username`, unless the schema names another field.
    ///
    /// Each schema has exactly one primary key. The primary key is a required and unique string.
    public internal(set) var isPrimaryKey = false
    /// Whether the database has an index for searches by this field. Its values may repeat.
    public internal(set) var isIndexed = false
    /// The access of a profile's owner to the field, if the schema sets it. Nil for the default access; see ``owner``.
    var ownerRule: OwnerAccess?
    /// The texts that mean "no value". The empty text always means "no value" and is not listed. No text begins or ends
    /// with a space, and no text is listed twice.
    public internal(set) var missingValues: [String] = []
    /// The minimum length of a string in user-perceived characters.
    public internal(set) var minimumLength: Int?
    /// The maximum length of a string in user-perceived characters.
    public internal(set) var maximumLength: Int?
    /// The smallest allowed integer, number, year, date, datetime or time.
    public internal(set) var minimum: Bound?
    /// The greatest allowed integer, number, year, date, datetime or time.
    public internal(set) var maximum: Bound?
    /// The regular expression for the field's values. It must match the whole value in its stored form.
    public internal(set) var pattern: FieldPattern?
    /// The allowed values (`enum`) in their stored form. An empty list allows every value.
    public internal(set) var allowedValues: [String] = []
    /// The characters that are allowed in a value. Nil allows every character except control characters. Tab, LF and CR
    /// are allowed too.
    public internal(set) var characters: [AllowedCharacters]?
    /// The kinds of characters that are required. A value must contain at least one character of each kind.
    public internal(set) var requirements: [Requirement] = []
    /// The fixed shape of the field's values. If a field has a mask, it has no length limits, allowed characters or
    /// requirements.
    public internal(set) var mask: Mask?
    /// Whether the field is stored only as a hash. The value is never shown and never trimmed.
    public internal(set) var isSecret = false
    /// The schema's own messages, keyed by issue code. They replace the built-in messages.
    public internal(set) var messages: [IssueCode: String] = [:]
    /// The content type, such as `username` or `tel`. Forms use it for auto-fill.
    public internal(set) var contentType: String?
    /// The accepted formats of a date, datetime or time. A form shows values in the first of these formats.
    ///
    /// For a datetime or time, an empty list means ISO 8601.
    public internal(set) var formats: [DateFormat]
    /// The format of a string, such as an e-mail address.
    public internal(set) var stringFormat: StringFormat?
    /// The notation of an integer or number.
    public internal(set) var numberFormat = NumberFormat.plain
    /// The unit of an integer or number, such as `€` or `kg`. Tables show it beside the values.
    public internal(set) var unit: String?
    /// How an export in the notations of the original file writes the values. If nil, the export uses the first
    /// notation that the schema accepts.
    public internal(set) var written: WrittenForm?
    /// The text for a missing value in an export in the notations of the original file. It is one of ``missingValues``.
    /// Nil stands for an empty cell.
    public internal(set) var writtenMissing: String?
    /// The texts that mean true in a boolean field. A form shows `true` if this list contains it. Otherwise it shows
    /// the first text of the list.
    public internal(set) var trueValues = Self.defaultTrueValues
    /// The texts that mean false in a boolean field. A form shows `false` if this list contains it. Otherwise it shows
    /// the first text of the list.
    public internal(set) var falseValues = Self.defaultFalseValues
    /// Other column names for this field in files. They are compared in the same way as the field's own name.
    public internal(set) var columns: [String] = []
    /// In files, the names of the column that contains the hash of the secret field.
    public internal(set) var hashColumns: [String] = []
    /// The earlier name of the field. A store that adopts the schema keeps the values of the field with this name.
    public internal(set) var formerName: FieldName?
    private var placement = Placement()

    package static let defaultTrueValues = ["true", "True", "TRUE", "1"]
    package static let defaultFalseValues = ["false", "False", "FALSE", "0"]

    init(name: FieldName, title: String, type: FieldType = .string) {
        self.name = name
        self.title = title
        self.type = type
        formats = Self.defaultFormats(of: type)
    }

    /// The title of a field that has no title in its schema: the name of the field in words.
    static func title(of name: FieldName) -> String {
        let words = name.text.split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// Returns the default formats of a field type. They are used if the schema sets no formats.
    static func defaultFormats(of type: FieldType) -> [DateFormat] { type == .date ? [.iso] : [] }

    /// The maximum number of characters that a person can type into the field. Nil if there is no limit.
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

    /// The length of `yyyy-MM-ddThh:mm:ss` with nine digits of fraction and a time zone.
    private static let longestISOLength = 35

    /// The maximum number of characters that a person has to type. If the field has a mask, this is the number of its
    /// digits, because the literals of a mask need not be typed. Otherwise it is ``longestLength``.
    package var longestTypedLength: Int? { mask?.digitCount ?? longestLength }

    /// The maximum length of a value in bytes of UTF-8. It is four times ``longestLength``, and at least 1,024 bytes.
    /// If ``longestLength`` is nil, it is 1 MiB.
    ///
    /// This limit is necessary, because a single character may have very many combining marks.
    public var longestByteCount: Int {
        longestLength.map { max($0.multipliedReportingOverflow(by: 4).partialValue, 1_024) } ?? 1_048_576
    }

    /// The table column that holds this field. The column of the primary key is always `username`, even if the schema
    /// gives the field another name.
    package var column: FieldColumn { isPrimaryKey ? .username : assignedColumn ?? FieldColumn(of: name) }

    /// The column that a store has assigned to the field. Nil for the secret field, and if no store has adopted the
    /// schema.
    package internal(set) var assignedColumn: FieldColumn? {
        get { placement.column }
        set { placement.column = newValue }
    }

    /// All placements are equal. So two stores have equal rules even if they keep the values in different columns.
    private struct Placement: Hashable {
        var column: FieldColumn?

        static func == (left: Self, right: Self) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }
}

extension FieldRules {
    /// Returns a stored value in a form that can be typed into the field.
    ///
    /// This is the stored form, unless the schema requires a different notation.
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

    /// Returns a stored value in the form that a form field shows. A date, datetime or time has the first of
    /// ``formats``, unless this format omits a part of the value.
    ///
    /// A person can also type the result into the field.
    package func shownForm(of stored: String) -> String {
        formats.first?.typedForm(of: stored, type) ?? typedForm(of: stored)
    }

    /// Returns a stored value as files write it, in the form ``written``. If there is no such form, or if it would omit
    /// a part of the value, returns the first notation that the schema allows.
    package func originalForm(of stored: String) -> String {
        if let text = written?.text(of: stored, self) { return text }
        switch type {
        case .date, .dateTime, .time: return shownForm(of: stored)
        case .boolean:
            let words = stored == "true" ? trueValues : stored == "false" ? falseValues : []
            return words.first { !missingValues.contains($0) } ?? stored
        case .integer, .number: return numberFormat.originalForm(of: stored)
        case .string, .year: return stored
        }
    }

    /// The header of the field's column in the file from which the schema was inferred. This is the first of
    /// ``columns``. If there is none, it is the former name of the field, or the name if there is no former name.
    package var originalHeader: String { columns.first ?? formerName?.text ?? name.text }

    /// Whether stored values can be typed into the field without a change. True only if all JSON numbers and booleans
    /// can also be typed without a change.
    package var isTypedAsStored: Bool {
        switch type {
        case .date: formats.contains(.iso)
        case .dateTime, .time: formats.isEmpty
        case .boolean: word("true", of: trueValues) == "true" && word("false", of: falseValues) == "false"
        case .number: numberFormat.decimalCharacter == "."
        // A client can send a JSON number with a fraction for an integer field. If a point separates groups of digits,
        // `1.500` would be read as 1500.
        case .integer: numberFormat.groupCharacter != "."
        case .string, .year: true
        }
    }

    /// Returns the word that a person types for a boolean. It is the stored form if the list contains it. Otherwise it
    /// is the first word of the list.
    ///
    /// A word that means "no value" is skipped.
    private func word(_ stored: String, of words: [String]) -> String {
        let words = words.filter { !missingValues.contains($0) }
        return words.contains(stored) ? stored : words.first ?? stored
    }
}
