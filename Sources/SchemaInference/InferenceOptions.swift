public import ProfileTransfer

/// How a schema is looked for.
public struct InferenceOptions: Sendable {
    /// What the schema is called.
    public var name = "custom"
    /// How the input is written.
    public var format = InputFormat.automatic
    /// How the input's characters are written; nil to find out.
    public var encoding: String?
    /// The only columns that become fields, by their headers; empty for all of them.
    public var columns: [String] = []
    /// How many rows are looked at, from the first one on; nil for all. What was not looked at may break the rules.
    public var sample: Int?
    /// Whether the number of the row is the key where no column is called as a key is.
    public var keysByRow = false
    /// A folder for what memory does not hold, and for copies of what can be read once only. The files have no names, and
    /// nobody else can read them.
    public var temporaryFolder = "/tmp"

    /// Options as they are by default.
    public init() {}
}

/// Why no schema can be proposed.
public enum InferenceError: Error, Hashable, Sendable {
    /// The input cannot be read as a table.
    case input(ImportError)
    /// The first record is no header of the rows, which have more cells or say more; the record in this line is one.
    case headerFurtherDown(line: Int)
    /// There are so many columns, more than a schema has fields: ``InferenceOptions/columns`` has to choose.
    case tooManyColumns(Int, most: Int)
    /// ``InferenceOptions/columns`` names a column that is not there.
    case unknownColumn(String)
    /// What memory does not hold could not be written or read, with this `errno`.
    case spilling(code: Int32)
    /// The schema that was found is none that can be taken, which is a defect of the inference; the reason is for its report.
    case refusedSchema(String)
    /// The task was cancelled.
    case cancelled
}
