public import ProfileCore
public import ProfileStore

/// Settings for how an import reads its input and writes to the store.
public struct ImportOptions: Sendable {
    /// The policy for a row whose primary key is already in the store (I4).
    public enum DuplicatePolicy: String, Sendable, CaseIterable {
        /// Reject the row as `duplicate`.
        case reject
        /// Skip the row.
        case skip
        /// Write the row's values to the stored profile. Fields without a column in the input keep their stored values.
        case update
    }

    /// The number of rejected rows that an import tolerates. If the import rejects more rows, it ends early, at the end
    /// of the current batch.
    public enum RejectLimit: Hashable, Sendable {
        /// An absolute number of rejected rows.
        case count(Int)
        /// A percentage of the rows read so far, from 0 to 100. The import checks it only after it has read 1,000 rows.
        case percent(Double)
    }

    /// The format of the input. By default the import detects it.
    public var format = InputFormat.automatic
    /// The name of the input's character encoding, as in iconv(3). A byte order mark in the input overrides this
    /// encoding. If the encoding is nil, the import detects UTF-8 or guesses another encoding. It reports a guess as
    /// ``InputWarning/guessedEncoding(_:)``.
    public var encoding: String?
    /// The lines of a CSV input that belong to the table, and how its rows are read. A file of rejected rows always begins
    /// with its header, so only ``/ProfileCore/TableLayout/padsShortRows`` applies to it.
    public var layout = TableLayout()
    /// The policy for a row whose primary key is already in the store.
    public var duplicates = DuplicatePolicy.reject
    /// Whether the import only reads and checks the input. Such a dry run does not change the store and hashes no
    /// password. Its report describes the result that an import would have. It still writes the rejected rows.
    public var isDryRun = false
    /// Whether the import stores nothing if it rejects a row. Implies ``isExclusive``.
    public var isAllOrNothing = false
    /// Whether the import uses a single transaction. Other writers wait until this transaction ends. An import into an
    /// empty store always uses a single transaction, unless the input has passwords to hash.
    public var isExclusive = false
    /// The folder for the copy of an input. Some inputs can be read only once, for example a pipe. If the import must
    /// read such an input twice, the first reading copies it. An import in one transaction reads an input with
    /// passwords twice: first to hash the passwords, and then to store the rows. The copy is as large as the input. The
    /// copy is encrypted, and its file has no name.
    public var temporaryFolder = "/var/tmp"
    /// The number of rejected rows that the import tolerates, or nil for no limit.
    public var rejectLimit: RejectLimit?
    /// The maximum number of issues that the report lists. The report counts all of them.
    public var mostIssues = 10_000
    /// Field names for headers, if a header differs from the name of its field. The key is the header, and the value is
    /// the name of the field. If the input does not have exactly this header, case, spaces, hyphens, underscores and
    /// points do not matter.
    public var columns: [String: String] = [:]
    /// The headers of the columns to read, spelled as in the input. The import ignores all other columns. If the set is
    /// empty, the import reads all columns. The members of a JSON object count as columns.
    public var chosenColumns: Set<String> = []
    /// The headers of the columns to ignore. The import ignores these columns even if they match a field. If the input
    /// does not have exactly this header, case, spaces, hyphens, underscores and points do not matter. If a JSON member
    /// has exactly the name of a field, the import ignores it only if this set contains exactly this name.
    public var ignoredColumns: Set<String> = []
    /// The source of the primary key, if the input has no column for it.
    public var key = KeySource.column
    /// Whether the import ignores columns that match no field. Otherwise such a column stops the import.
    public var ignoresUnknownColumns = false
    /// Whether the file of rejected rows contains the ignored columns of a CSV input, and the unknown members of JSON
    /// objects. The schema does not describe these values, so they may contain passwords.
    public var keepsIgnoredColumns = false

    /// Whether the report lists the record number of each rejected record.
    var remembersRejectedRecords = false

    /// The author of the import, for the change log and the history.
    public var author: Author?
    /// The name of the input, for the history. For example, the path of a file.
    public var source: String?

    /// Creates the default options.
    public init() {}

    /// Returns these options, completed by the settings of a schema. An option that was set takes precedence.
    ///
    /// The delimiter and the encoding of the settings are not used here, because the bytes of a file may show that it
    /// has a different delimiter or encoding.
    func completed(by settings: ImportSettings) -> ImportOptions {
        var options = self
        if key == .column { options.key = settings.key }
        options.ignoredColumns.formUnion(
            settings.ignoredColumns.filter { columns[$0] == nil && !chosenColumns.contains($0) })
        return options
    }

    /// Returns these options with the names of columns spelled as in a header. A name that the header does not have
    /// stays as it is.
    func spelled(as header: Set<String>) -> ImportOptions {
        let ofKey: [String] = if case .columns(let headers) = key { headers } else { [] }
        guard !ignoredColumns.union(columns.keys).union(ofKey).isSubset(of: header) else { return self }
        let folded = Dictionary(grouping: header, by: FoldedHeader.init)
        func spellings(_ name: String) -> [String] {
            if header.contains(name) { return [name] }
            let folding = FoldedHeader(name)
            return folding.isEmpty ? [name] : folded[folding] ?? [name]
        }
        var options = self
        options.ignoredColumns = Set(ignoredColumns.flatMap(spellings))
        for (name, field) in columns.sorted(by: { $0.key < $1.key }) where !header.contains(name) {
            let free = spellings(name).filter { options.columns[$0] == nil }
            guard !free.isEmpty else { continue }
            options.columns[name] = nil
            for spelling in free { options.columns[spelling] = field }
        }
        if !ofKey.isEmpty { options.key = .columns(ofKey.map { spellings($0).min() ?? $0 }) }
        return options
    }
}

/// The progress of an import.
public struct ImportProgress: Sendable {
    /// The number of rows that the import has processed.
    public let rows: Int
    /// The number of processed rows that the import has rejected.
    public let rejected: Int
    /// The number of bytes read from the input.
    public let bytes: UInt64
    /// The progress of hashing the passwords that were found so far. Nil if no password was found.
    public let hashed: Hashing?

    /// The progress of password hashing.
    public struct Hashing: Hashable, Sendable {
        /// The number of hashed passwords.
        public let done: Int
        /// The number of passwords to hash.
        public let total: Int
    }

    package init(rows: Int, rejected: Int, bytes: UInt64, hashed: Hashing?) {
        self.rows = rows
        self.rejected = rejected
        self.bytes = bytes
        self.hashed = hashed
    }
}

/// The reason that an import could not start or continue. A row that breaks a rule is not an error. The report lists
/// such a row.
public enum ImportError: Error, Hashable, Sendable {
    /// The input has no header.
    case noHeader
    /// ``/ProfileCore/TableLayout/headerLine`` is this line, and no record begins there: the line is blank, a comment, or
    /// after the end of the input.
    case noHeaderInLine(Int)
    /// The header on this line is unreadable, for example because it has bytes that are not UTF-8, an unclosed quote or
    /// a NUL.
    case unreadableHeader(line: Int)
    /// The header has more columns than the importer accepts, and the import wrote nothing.
    case tooManyColumns(Int, most: Int)
    /// Some columns match no field, or some required fields have no column. The import wrote nothing.
    case columnMismatch(ColumnMismatch)
    /// The header has only one column. Its name matches no field, and contains this character. The input probably uses
    /// this character as its delimiter. The import wrote nothing.
    case otherDelimiter(UInt8)
    /// Two columns map to the field of this name. `columns` has the names of these columns, as they are written in
    /// options: if a column repeats an earlier header, its name ends with a number.
    case columnTwice(String, columns: [String])
    /// ``ImportOptions/columns`` names a header that the input does not have.
    case mappedColumnMissing(String)
    /// ``ImportOptions/ignoredColumns`` names a header that the input does not have.
    case ignoredColumnMissing(String)
    /// The key of ``ImportOptions/key`` or of the store has a column that the input does not have.
    case keyColumnMissing(String)
    /// The key of ``ImportOptions/key`` or of the store names a column that cannot be part of a key. The column belongs
    /// to no field, to the primary key, or to the secret field.
    case keyColumnWithoutField(String)
    /// ``ImportOptions/columns`` maps a column to this field, which the schema does not have. `fields` has the names of
    /// the schema's fields.
    case unknownField(String, fields: [String])
    /// The input is a file of this kind, not text with records.
    case looksLike(FileKind)
    /// The C library does not know the encoding of this name.
    case unknownEncoding(String)
    /// The compressed data of the input is damaged or incomplete.
    case damagedCompression
    /// Opening the file failed with this `errno`.
    case opening(code: Int32)
    /// Reading failed with this `errno`.
    case reading(code: Int32)
    /// The input's asynchronous sequence threw this error, or the module SpreadsheetReading cannot read the workbook.
    case readingStream(StreamFailure)
    /// The input could not be copied to a temporary file, because of this `errno`. The import needs the copy to read
    /// the input twice: first it hashes the passwords, then it stores the rows.
    case copyingInput(code: Int32)
    /// The input changed during the import, and the import stored nothing.
    case inputChanged
    /// It is not possible to correct the file of rejected rows row by row. The value is the reason.
    case notRejectedRows(RejectedRowFault)
    /// Writing the rejected rows failed with this `errno`.
    case writingRejects(code: Int32)
    /// The sink for the rejected rows threw this error.
    case writingToSink(StreamFailure)
    /// The store failed with this error before the import had processed any row.
    case store(ProfileStoreError)
    /// The import failed with this error after it had processed some rows. Committed rows stay in the store, and the
    /// report counts them.
    indirect case ended(ImportError, after: ImportReport)

    /// The error if the system cannot create a thread. The code is an `errno`.
    package static func noThread(code: Int32) -> ImportError { .store(.noThread(code: code)) }
}
