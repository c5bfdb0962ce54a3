public import ProfileCore
public import ProfileTransfer

/// The result of an inference: a proposal for each column, and a schema of all fields.
public struct SchemaProposal: Sendable {
    /// The name of the input.
    public let source: String
    /// The number of examined rows, including refused ones.
    public let rows: Int
    /// Whether the input has more rows than were examined. The other rows may violate the schema.
    public let isSample: Bool
    /// The name of the character encoding, if it was guessed from the bytes; otherwise nil.
    public let guessedEncoding: String?
    /// Warnings about oddities of the input that did not prevent reading it.
    public internal(set) var warnings: [InputWarning]
    /// The proposals for all columns, or for the columns that ``InferenceOptions/columns`` chose. Some of these columns
    /// do not become fields. The order is that of the header; for JSON, that of the first occurrences.
    public let columns: [ColumnProposal]
    /// The key of a profile; nil if no column can be the key.
    public let key: Key?
    /// The column that is closest to a key; nil if there is a key, or no column that could be one.
    public internal(set) var closestKey: ClosestKey?
    /// The rows that no schema could accept, in the order of ``RowRefusal``.
    public let refused: [RefusedRows]
    /// The proposed schema; nil if there is no key. An import with this schema reads the columns as this proposal does.
    public let schema: ProfileSchema?

    /// The headers of the columns that are in the file but not in the schema.
    public let ignoredColumns: [String]
    /// The headers of the columns that became fields, if ``InferenceOptions/columns`` chose columns; otherwise empty.
    public let chosenColumns: Set<String>

    /// A column that is not the key, because a value is missing or repeated. The first row that lacks or repeats a
    /// value comes later than in the other columns.
    public struct ClosestKey: Hashable, Sendable {
        /// The header of the column.
        public let header: String
        /// The line of the first row without a value, or with the value of an earlier row, ignoring ASCII case.
        public let line: Int
        /// Whether the row in ``line`` repeats a value. Otherwise it has none.
        public let isRepeated: Bool
        /// The repeated value. Nil if ``isRepeated`` is false, or if the input is neither bytes nor an input of
        /// ``/ProfileTransfer/ImportInput/readableAgain(keptIn:)``.
        public internal(set) var value: String?
        /// The line of the first row with the repeated value. Nil if ``value`` is nil, or if the column has too many
        /// different values to find the row.
        public internal(set) var earlierLine: Int?
    }

    /// The key of a profile.
    public enum Key: Hashable, Sendable {
        /// The column with this header.
        case column(String)
        /// The columns with these headers together. They are used only if ``InferenceOptions/key`` names them.
        case columns([String])
        /// The number of the row. It is used only if ``InferenceOptions/key`` asks for it.
        case rowNumber
        /// A hash of the row's cells. It is used only if ``InferenceOptions/key`` asks for it.
        case content
    }

    /// Changes import options. With these options, an import of the same input uses the columns as this proposal does.
    public func adapt(_ options: inout ImportOptions) {
        options.ignoredColumns.formUnion(ignoredColumns)
        options.chosenColumns = chosenColumns
        if let schema { options.layout = schema.importSettings.layout }
        if let key { options.key = key.source }
    }
}

extension SchemaProposal.Key {
    /// The source of the key in an import by the proposed schema.
    var source: KeySource {
        switch self {
        case .column: .column
        case .columns(let headers): .columns(headers)
        case .rowNumber: .rowNumber
        case .content: .content
        }
    }
}

/// The rows that are refused for one reason.
public struct RefusedRows: Hashable, Sendable {
    /// The reason.
    public let reason: RowRefusal
    /// The number of rows, with the lines on which the first ones begin.
    public let rows: CountedLines
}

/// The proposal for one column.
public struct ColumnProposal: Sendable {
    /// The column's name in the file.
    public let header: String
    /// The rules of the field that the column becomes; nil if the column is left out.
    public let rules: FieldRules?
    /// Whether the column holds password hashes and not passwords.
    public let holdsHashes: Bool
    /// The number of values that are not missing. All of them fit the rules.
    public let values: Int
    /// The number of cells that are empty or hold a text that stands for a missing value.
    public let missing: Int
    /// The first two distinct values; empty for columns whose values must not be shown (N4).
    public let examples: [String]
    /// The values that a person should look at; empty for columns whose values must not be shown (N4).
    public let unusual: [UnusualValue]
    /// The doubts that a person should check.
    public let doubts: [ColumnDoubt]
}

/// A doubt about a column.
public enum ColumnDoubt: Hashable, Sendable {
    /// Every value is missing.
    case noValues
    /// The values are dates whose day and month cannot be distinguished. The field is text.
    case dayOrMonth
    /// The values are numbers with a sign that may separate either a fraction or thousands. The field is text.
    case fractionOrThousands
    /// The values are numbers with these different units. An empty text stands for numbers without a unit. The field is
    /// text.
    case mixedUnits([String])
    /// All but a few values have this type. At most 1 % of the values do not have it, or at most 5 % if there are up to
    /// three such values. The field is text. If ``InferenceOptions/types`` chooses the type, the rows of these values
    /// are refused.
    case nearly(InferredType, CountedLines)
    /// Some values consist of digits but are not numbers, because they begin with a zero or a plus sign or have too
    /// many digits. The field is text.
    case numerals(CountedLines)
    /// These texts are treated as missing values.
    case takenAsMissing([String], count: Int)
    /// This text may stand for a missing value, but is treated as an ordinary value.
    case mayBeMissing(String, count: Int)
    /// Some values are JSON lists. The elements of each list are joined to one text.
    case joinedLists
    /// The field has a different name than the column.
    case renamed(RenamingReason)
    /// All values satisfy these rules, but later files may break them, so they are left out (N10).
    /// ``InferenceOptions/isStrict`` proposes them.
    case withheld([WithheldRule], WithheldRule.Reason)
    /// The column is left out of the schema.
    case leftOut(OmissionReason)
    /// The column is the key only because its values are unique, not because of its name.
    case keyByValues
    /// The column is the key, and some rows are refused because their key is missing or repeated.
    case keyExceptions(missing: CountedLines, repeated: CountedLines)

    /// The reason why a field has a different name than its column.
    public enum RenamingReason: Hashable, Sendable {
        /// The store reserves the name.
        case reserved
        /// Another column or field has this name, if case, spaces, hyphens, underscores and points are ignored.
        case indistinct
        /// The column's name has no characters that are valid in a field name, or does not begin with a letter.
        case unwritable
    }

    /// The reason why a column does not become a field.
    public enum OmissionReason: Hashable, Sendable {
        /// The column has no name that an import could match.
        case noName
        /// The column holds JSON objects in some rows and other values in others, or lists of lists or objects, or lists
        /// of secrets.
        case holdsLists
        /// The column holds hashes that are not supported.
        case unsupportedHashes
        /// Some values are password hashes, but too many other values are not.
        case someHashes
        /// Another column of passwords or hashes is used instead.
        case otherSecret
        /// ``InferenceOptions/omittedColumns`` names the column.
        case chosen
    }
}
