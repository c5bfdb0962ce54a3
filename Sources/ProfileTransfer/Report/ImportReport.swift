public import ProfileStore

/// What became of every row of an import, or would become of it.
///
/// Always `rows = imported + updated + skipped + rejected` (I5).
public struct ImportReport: Hashable, Sendable {
    /// The file's name as it was given; `-` for standard input.
    public let source: String
    /// The rules that the rows were judged by.
    public let schema: SchemaReference
    /// Records after the header; blank lines are none.
    public var rows = 0
    /// New profiles.
    public var imported = 0
    /// Stored profiles that a row changed.
    public var updated = 0
    /// Valid rows that changed nothing: profiles that are there already under `skip`, unchanged ones under `update`,
    /// and all that a failed all-or-nothing import kept out.
    public var skipped = 0
    /// Rows that something was wrong with.
    public var rejected = 0
    /// How many issues there are of each kind, and the first ones of each.
    public var issues: IssueTally<RowIssue>
    /// How the input was written, as far as its header was read: JSON, or CSV with its delimiter. A file of rejected rows is
    /// CSV with the same delimiter; one of JSON has the fields' own names in its header.
    public var format = InputFormat.automatic
    /// What was odd about the input, and was read all the same.
    public var warnings: [InputWarning] = []
    /// When it began.
    public let startedAt: Timestamp
    /// Where the profiles went, as the engine calls it: the file's path. Nil without a store.
    public let store: String?
    /// From beginning to end.
    public var seconds = 0.0
    /// Nothing was written: a dry run, or a validation without a store.
    public let isDryRun: Bool
    /// Why it ended before its input did.
    public var earlyEnd: EarlyEnd?
    /// Every rejected row is in the file that was given for them. If not, there was none, or what is in it may end within
    /// a row.
    public var hasWrittenRejects = false

    /// Columns of the input are not in the file of rejected rows, since they were passed over.
    public var rejectsOmitColumns = false

    /// Why an import ended before its input did; what was committed stays.
    public enum EarlyEnd: String, Hashable, Sendable {
        /// The task was cancelled, by Ctrl-C in the command.
        case cancelled
        /// More rows were rejected than the options allow.
        case tooManyRejects = "too_many_rejects"
        /// All or nothing was asked for, a row was rejected, and nothing was stored.
        case nothingStored = "nothing_stored"
    }

    package init(
        source: String, schema: SchemaReference, mostIssues: Int, isDryRun: Bool, startedAt: Timestamp, store: String?
    ) {
        self.source = source
        self.schema = schema
        self.isDryRun = isDryRun
        self.startedAt = startedAt
        self.store = store
        issues = IssueTally(limit: mostIssues)
    }
}

/// An issue of a row of an input.
public struct RowIssue: Hashable, Sendable {
    /// The first physical line of the record, from 1.
    public let line: Int
    /// The record after the header is 1.
    public let record: Int
    /// What is wrong.
    public let issue: ReportedIssue
    /// What stood there, cut to 200 characters; nil for a secret and for an issue of the whole row.
    public let value: String?
    /// What stood in the primary key's column, cut to 200 characters; nil where the cells of the row cannot be told apart.
    public let key: String?

    package init(line: Int, record: Int, issue: ReportedIssue, value: String?, key: String?) {
        self.line = line
        self.record = record
        self.issue = issue
        self.value = value
        self.key = key
    }
}
