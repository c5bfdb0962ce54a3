/// How an import treats its input and the store.
public struct ImportOptions: Sendable {
    /// What happens to a row whose username the store has already (I4).
    public enum DuplicatePolicy: String, Sendable, CaseIterable {
        /// The row is rejected as `duplicate`.
        case reject
        /// The row is passed over.
        case skip
        /// The stored profile takes the row's values; columns that the input does not have keep theirs.
        case update
    }

    /// Rejected rows after which an import ends early.
    public enum RejectLimit: Hashable, Sendable {
        case count(Int)
        /// Of the rows read so far, from 0 to 100; judged once 1,000 rows were read, and at the end of each batch.
        case percent(Double)
    }

    /// How the input is written.
    public enum Format: Hashable, Sendable {
        /// `delimiter` is an ASCII character; nil finds it out from the header.
        case csv(delimiter: UInt8?)
        /// One JSON object a line.
        case ndjson
    }

    public var format = Format.csv(delimiter: UInt8(ascii: ","))
    public var duplicates = DuplicatePolicy.reject
    /// Everything but writing and hashing; the report says what would be.
    public var isDryRun = false
    /// One rejected row, and nothing is stored; implies ``isExclusive``.
    public var isAllOrNothing = false
    /// One transaction, whatever others wait for; a store that is empty gets one anyway.
    public var isExclusive = false
    public var rejectLimit: RejectLimit?
    /// Most issues that the report lists; all are counted.
    public var mostIssues = 10_000
    /// Headers that go to a field whose name they are not, by header.
    public var columns: [String: String] = [:]
    /// Whether columns that are no field are passed over instead of stopping the import.
    public var ignoresUnknownColumns = false

    public init() {}
}

/// How far an import is.
public struct ImportProgress: Sendable {
    public let rows: Int
    public let rejected: Int
    public let bytes: UInt64
    /// The passwords of the batch under way: how many are hashed, of how many. Nil when there are none.
    public let hashed: (done: Int, total: Int)?
}

/// Why an import could not begin or go on; rows that are wrong are no error but part of the report.
public enum ImportError: Error, Hashable, Sendable {
    /// The input holds no header.
    case noHeader
    /// The header cannot be read as one: bytes that are not UTF-8, an unclosed quote, a NUL.
    case unreadableHeader(line: Int)
    /// Columns that are no field; nothing was written.
    case unknownColumns([String])
    /// Two columns go to one field, named by the field, or a `--map` names a header that is not there.
    case columnTwice(String)
    case mappedColumnMissing(String)
    /// A column is mapped to a field that the schema does not have.
    case unknownField(String)
    /// There is no column for the username.
    case noUsernameColumn
    /// Reading failed with this `errno`.
    case reading(code: Int32)
    /// Writing the rejected rows failed with this `errno`.
    case writingRejects(code: Int32)
    case store(ProfileStoreError)
    /// It could not go on, for this reason; what was committed before stays and is in the report.
    indirect case ended(ImportError, after: ImportReport)
}
