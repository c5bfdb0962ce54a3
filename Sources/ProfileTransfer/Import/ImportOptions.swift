public import ProfileStore

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

    /// How many rejected rows an import bears; with one more it ends early, at the end of the batch under way.
    public enum RejectLimit: Hashable, Sendable {
        /// That many rows, however many are read.
        case count(Int)
        /// Of the rows read so far, from 0 to 100; judged once 1,000 rows were read.
        case percent(Double)
    }

    /// How the input is written; found out by default.
    public var format = InputFormat.automatic
    /// The encoding of the input's characters, by a name that iconv(3) knows; a byte order mark says more than that. Nil
    /// has it found out: UTF-8, or what ``InputWarning/guessedEncoding(_:)`` then says.
    public var encoding: String?
    /// What happens to a row whose username the store has already.
    public var duplicates = DuplicatePolicy.reject
    /// Everything but writing and hashing; the report says what would be.
    public var isDryRun = false
    /// One rejected row, and nothing is stored; implies ``isExclusive``.
    public var isAllOrNothing = false
    /// One transaction, whoever waits. A store that is empty gets one anyway, unless the input has passwords to hash.
    public var isExclusive = false
    /// The folder for a copy of an input that is read twice but can be read only once: an import in one transaction hashes
    /// the passwords of a pipe first. The copy is as large as the input. It is encrypted and has no name.
    public var temporaryFolder = "/var/tmp"
    /// How many rejected rows are borne; nil for any number.
    public var rejectLimit: RejectLimit?
    /// Most issues that the report lists; all are counted.
    public var mostIssues = 10_000
    /// Headers that go to a field whose name they are not: the field's name, by header.
    public var columns: [String: String] = [:]
    /// The only columns that are read, by their headers as they are written, and all others are passed over; empty for all
    /// of them. Members of JSON are columns too.
    public var chosenColumns: Set<String> = []
    /// Columns that are passed over whatever their names mean, by their headers as they are written.
    public var ignoredColumns: Set<String> = []
    /// Whether the number of the record is the primary key where the input has no column for it.
    public var keysByRow = false
    /// Whether columns that are no field are passed over instead of stopping the import.
    public var ignoresUnknownColumns = false
    /// Whether columns of CSV that were passed over are in the file of rejected rows. They are no field, so that nothing
    /// is known of them: one may hold passwords.
    public var keepsIgnoredColumns = false

    /// Who imports, for the log of changes.
    public var author: Author?

    /// Options as they are by default.
    public init() {}
}

/// How far an import is.
public struct ImportProgress: Sendable {
    /// Rows that were decided on.
    public let rows: Int
    /// Those of them that were rejected.
    public let rejected: Int
    /// Bytes of the input that were read.
    public let bytes: UInt64
    /// The passwords that were found in the bytes read so far; nil if there are none.
    public let hashed: Hashing?

    /// How far the hashing of passwords is.
    public struct Hashing: Hashable, Sendable {
        /// The number of hashed passwords.
        public let done: Int
        /// The number of passwords.
        public let total: Int
    }

    package init(rows: Int, rejected: Int, bytes: UInt64, hashed: Hashing?) {
        self.rows = rows
        self.rejected = rejected
        self.bytes = bytes
        self.hashed = hashed
    }
}

/// Why an import could not begin or go on; rows that are wrong are no error but part of the report.
public enum ImportError: Error, Hashable, Sendable {
    /// The input holds no header.
    case noHeader
    /// The header cannot be read as one: bytes that are not UTF-8, an unclosed quote, a NUL.
    case unreadableHeader(line: Int)
    /// The header has so many columns, more than are read; nothing was written.
    case tooManyColumns(Int, most: Int)
    /// Columns are no field, or required fields have no column; nothing was written.
    case columnMismatch(ColumnMismatch)
    /// The header is one name, which is no field and has this character in it, as when other characters separate the
    /// cells than those that were told; nothing was written.
    case otherDelimiter(UInt8)
    /// Two columns go to the field of this name.
    case columnTwice(String)
    /// ``ImportOptions/columns`` names a header that is not there.
    case mappedColumnMissing(String)
    /// A column is mapped to a field that the schema does not have.
    case unknownField(String)
    /// The input is no text with records in it.
    case looksLike(FileKind)
    /// The C library knows no encoding of this name.
    case unknownEncoding(String)
    /// What is compressed in the input is damaged or cut off.
    case damagedCompression
    /// The file cannot be opened, with this `errno`.
    case opening(code: Int32)
    /// Reading failed with this `errno`.
    case reading(code: Int32)
    /// The sequence that the input comes from threw this.
    case readingStream(StreamFailure)
    /// What can be read once only could not be kept until its passwords were hashed, with this `errno`.
    case copyingInput(code: Int32)
    /// The input was written to while it was imported; nothing was stored.
    case inputChanged
    /// A file that is to be mended row by row is none that could be written back without those that are done with.
    case notRejectedRows(RejectedRowFault)
    /// Writing the rejected rows failed with this `errno`.
    case writingRejects(code: Int32)
    /// The sink that the rejected rows go to threw this.
    case writingToSink(StreamFailure)
    /// The store refused before any row was decided on.
    case store(ProfileStoreError)
    /// It could not go on, for this reason; what was committed before stays and is in the report.
    indirect case ended(ImportError, after: ImportReport)

    /// The system gives no thread for the work, with this `errno`.
    package static func noThread(code: Int32) -> ImportError { .store(.noThread(code: code)) }
}
