public import ProfileCore
public import ProfileTransfer

/// What was found in a file: for each column what it was taken for, and a schema of all of it.
public struct SchemaProposal: Sendable {
    /// The input as it was named.
    public let source: String
    /// Rows that were looked at, those that are refused too.
    public let rows: Int
    /// There are more rows than were looked at, and they may break the rules.
    public let isSample: Bool
    /// How the characters are written, where nothing but the look of the bytes tells it.
    public let guessedEncoding: String?
    /// What else is odd about the input, and was read all the same.
    public let warnings: [InputWarning]
    /// In the order of the header; only those that were asked for.
    public let columns: [ColumnProposal]
    /// Nil where no column can be the key of a profile.
    public let key: Key?
    /// Rows that no schema could take, in the order of ``RowRefusal``.
    public let refused: [RefusedRows]
    /// The rules; nil without a key.
    public let schema: ProfileSchema?

    /// Columns that are in the file and not in the schema, by their headers: an import has to pass over them.
    public let ignoredColumns: [String]
    /// Those of them whose headers an import would take for a field's, so that it has to be told of each one
    /// (``/ProfileTransfer/ImportOptions/ignoredColumns``).
    public let mistakableColumns: [String]
    /// The columns that became fields, where ``InferenceOptions/columns`` asked for some only; else empty.
    public let chosenColumns: Set<String>

    /// What tells one profile from another.
    public enum Key: Hashable, Sendable {
        /// The column of this header.
        case column(String)
        /// The number of the row, as ``InferenceOptions/keysByRow`` asked for.
        case rowNumber
    }

    /// Makes an import of the same input take its columns as they were taken here.
    public func adapt(_ options: inout ImportOptions) {
        options.ignoredColumns.formUnion(ignoredColumns)
        options.chosenColumns = chosenColumns
        if key == .rowNumber { options.keysByRow = true }
    }
}

/// Rows that are rejected for one reason.
public struct RefusedRows: Hashable, Sendable {
    /// Why.
    public let reason: RowRefusal
    /// How many, and where the first ones begin.
    public let rows: CountedLines
}

/// What one column was taken for.
public struct ColumnProposal: Sendable {
    /// Its name in the file.
    public let header: String
    /// The rules of its field; nil for a column that is left out.
    public let rules: FieldRules?
    /// Whether it holds the hashes of the field's passwords, and not these.
    public let holdsHashes: Bool
    /// Values that bear it out, which are all that are not missing.
    public let values: Int
    /// Cells that are empty, or hold what stands for a missing value.
    public let missing: Int
    /// The first two values that differ; none of what nobody is to see (N4).
    public let examples: [String]
    /// What a person should look at.
    public let doubts: [ColumnDoubt]
}

/// What is doubtful about a column.
public enum ColumnDoubt: Hashable, Sendable {
    /// Every value is missing.
    case noValues
    /// Dates whose days and months cannot be told apart: text.
    case dayOrMonth
    /// Numbers in which the sign may stand for a fraction or between thousands: text.
    case fractionOrThousands
    /// All but a few values are of this type: text.
    case nearly(InferredType, CountedLines)
    /// Digits that are no number, since they begin with a zero or a plus sign or are too many: text.
    case numerals(CountedLines)
    /// Taken for missing values.
    case takenAsMissing([String], count: Int)
    /// May stand for a missing value, and was taken for what it says.
    case mayBeMissing(String, count: Int)
    /// The field is not called as the column is.
    case renamed(RenamingReason)
    /// Left out of the schema.
    case leftOut(OmissionReason)
    /// Taken for the key since no value is there twice; its name does not speak for it.
    case keyByValues
    /// The key, and rows are rejected because of it.
    case keyExceptions(missing: CountedLines, repeated: CountedLines)

    /// Why a field is not called as its column is.
    public enum RenamingReason: Hashable, Sendable {
        /// The store has a column of its own by that name.
        case reserved
        /// But for underscores another field has the name.
        case indistinct
        /// Of the name nothing is left that can be part of a field's.
        case unwritable
    }

    /// Why a column is no field.
    public enum OmissionReason: Hashable, Sendable {
        /// It has no name by which an import could find it.
        case noName
        /// JSON has lists or objects there.
        case holdsLists
        /// The hashes are none that can be checked.
        case unsupportedHashes
        /// Some values are hashes of passwords, and too many others are none.
        case someHashes
        /// There is another column of passwords or hashes.
        case otherSecret
    }
}
