public import ProfileCore
public import ProfileTransfer

/// Options for inferring a schema.
public struct InferenceOptions: Sendable {
    /// The name of the schema.
    public var name = "custom"
    /// The format of the input.
    public var format = InputFormat.automatic
    /// The character encoding of the input; nil to detect it.
    public var encoding: String?
    /// The lines of a CSV input that belong to the table, and how its rows are read.
    public var layout = TableLayout()
    /// The headers of the columns that become fields; empty for all columns.
    public var columns: [String] = []
    /// The number of rows that are examined, from the first row; nil for all. Rows that are not examined may violate
    /// the proposed schema.
    public var sample: Int?
    /// The source of the key; nil to find a column. Rows without a unique key are refused. If
    /// ``/ProfileCore/KeySource/columns(_:)`` names one column, this column is the key. If it names several, they form
    /// the key together. ``/ProfileCore/KeySource/column`` means the same as nil.
    public var key: KeySource?
    /// The types of columns by their headers. The field of such a column has this type, with the format that most
    /// values fit. Rows whose value does not fit are refused. The type `string` makes a column a column of text.
    public var types: [String: FieldType] = [:]
    /// Whether the tightest rules that the file satisfies are proposed, even if later files may break them.
    public var isStrict = false
    /// The schema of the store for which the file is meant; nil if there is none. Its import settings apply where these
    /// options set nothing. The header of the file is found by the names of the schema's fields.
    public var store: ProfileSchema?
    /// The names of fields, by the header of the column. A field whose column is not in this dictionary is named after
    /// the column.
    public var names: [String: String] = [:]
    /// The headers of the columns in which only the type limits the values. This option takes precedence over
    /// ``isStrict`` and ``strictColumns``. The key stays required and unique.
    public var looseColumns: Set<String> = []
    /// The headers of the columns that get the tightest rules. With ``isStrict``, all columns get them.
    public var strictColumns: Set<String> = []
    /// The headers of the columns that do not become fields.
    public var omittedColumns: Set<String> = []
    /// The folder for spill files, and for copies of inputs that can be read only once. The files have no names, and
    /// other users cannot read them.
    public var temporaryFolder = "/tmp"

    /// Makes the default options.
    public init() {}
}

/// The reason why no schema can be proposed.
public enum InferenceError: Error, Hashable, Sendable {
    /// The input cannot be read as a table.
    case input(ImportError)
    /// The first record is not a header: the rows below it have more cells or more content. The record in this line is
    /// probably the header.
    case headerFurtherDown(line: Int)
    /// The input has this number of columns, which is more than a schema can have fields. Choose some with
    /// ``InferenceOptions/columns``.
    case tooManyColumns(Int, most: Int)
    /// An option names a column that does not exist.
    case unknownColumn(String)
    /// ``InferenceOptions/names`` has a name that the field of a column cannot have.
    case unusableName(String, column: String, NameProblem)
    /// ``InferenceOptions/key`` names a column that does not exist, does not become a field, or holds secrets.
    case unknownKey(String)
    /// ``InferenceOptions/types`` names a column that does not exist, does not become a field, or holds secrets.
    case unknownTyped(String)
    /// ``InferenceOptions/types`` sets this type for the key column with this header. A key must be a `string`.
    case keyOfType(String, FieldType)
    /// Two members of a JSON object have this name, apart from white space around it.
    case repeatedHeader(String)
    /// A spill file could not be written or read. The code is `errno`.
    case spilling(code: Int32)
    /// The inferred schema is invalid. This is a defect of the inference; the text gives the reason for a bug report.
    case refusedSchema(String)
    /// The task was cancelled.
    case cancelled
}

/// The reason why a field cannot have a chosen name.
public enum NameProblem: Hashable, Sendable {
    /// The name is not a lower-case ASCII letter, followed by at most 62 lower-case letters, digits and underscores.
    case malformed
    /// The store reserves the name.
    case reserved
    /// Another column or field has this name, or a name that an import cannot distinguish from it.
    case taken
    /// The field holds the passwords, so it is always called `password`.
    case secret
}
