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
    /// Each issue of the first rows that have any, and how many there are of each kind.
    public var issues: IssueTally<RowIssue>
    /// What was odd about the input, and was read all the same.
    public var warnings: [InputWarning] = []
    /// From beginning to end.
    public var seconds = 0.0
    /// Nothing was written: a dry run, or a validation without a store.
    public let isDryRun: Bool
    /// Why it ended before its input did.
    public var earlyEnd: EarlyEnd?
    /// Every rejected row is in the file that was given for them. If not, there was none, or what is in it may end within
    /// a row.
    public var hasWrittenRejects = false

    /// Why an import ended before its input did; what was committed stays.
    public enum EarlyEnd: String, Hashable, Sendable {
        /// The task was cancelled, by Ctrl-C in the command.
        case cancelled
        /// More rows were rejected than the options allow.
        case tooManyRejects = "too_many_rejects"
        /// All or nothing was asked for, a row was rejected, and nothing was stored.
        case nothingStored = "nothing_stored"
    }

    package init(source: String, schema: SchemaReference, mostIssues: Int, isDryRun: Bool) {
        self.source = source
        self.schema = schema
        self.isDryRun = isDryRun
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

    package init(line: Int, record: Int, issue: ReportedIssue, value: String?) {
        self.line = line
        self.record = record
        self.issue = issue
        self.value = value
    }
}
