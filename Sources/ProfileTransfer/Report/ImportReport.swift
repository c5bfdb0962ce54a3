internal import ProfileCore
public import ProfileStore

/// The result of an import: the numbers of rows and their issues. In a dry run, this is the expected result.
///
/// The counts always satisfy `rows = imported + updated + skipped + rejected` (I5).
public struct ImportReport: Hashable, Sendable {
    /// The name of the file as given by the caller, or `-` for standard input.
    public let source: String
    /// The schema that was used to validate the rows.
    public let schema: SchemaReference
    /// The number of records after the header. Blank lines do not count.
    public var rows = 0
    /// The number of new profiles.
    public var imported = 0
    /// The number of stored profiles that a row changed.
    public var updated = 0
    /// The number of valid rows that changed no profile. A row is counted here in three cases. First: the import uses
    /// `skip`, and the profile of the row already exists. Second: the import uses `update`, and the row has no changes.
    /// Third: an all-or-nothing import failed.
    public var skipped = 0
    /// The number of rejected rows.
    public var rejected = 0
    /// The number of issues for each field and code, with the first issues as examples.
    public var issues: IssueTally<RowIssue>
    /// The detected format of the input: JSON, or CSV with its delimiter. The format stays `automatic` if the header
    /// was not read. The file of rejected rows is CSV with the delimiter of the input. If the input is JSON, the file
    /// of rejected rows has a comma as its delimiter and the names of the fields as its header.
    public var format = InputFormat.automatic
    /// Warnings about unusual content of the input. The import accepted this content.
    public var warnings: [InputWarning] = []
    /// The start time of the import.
    public let startedAt: Timestamp
    /// The location of the store in the form that the engine uses, such as the path of the file. Nil without a store.
    public let store: String?
    /// The duration of the import in seconds.
    public var seconds = 0.0
    /// Whether nothing was written, because this was a dry run or a validation without a store.
    public let isDryRun: Bool
    /// If the import ended before the end of its input, the reason; otherwise nil.
    public var earlyEnd: EarlyEnd?
    /// Whether all rejected rows were written to the file of rejected rows. If false, there was no such file, or the
    /// file may end in the middle of a row.
    public var hasWrittenRejects = false

    /// Whether the file of rejected rows omits columns that the import ignored.
    public var rejectsOmitColumns = false
    /// Whether the file of rejected rows has rows without their values, because the cells did not fit the columns and
    /// could contain secrets.
    package var rejectsWithholdRows = false

    /// The record number of each rejected record. Empty unless the options request these numbers.
    var rejectedRecords = RangeSet<Int>()

    /// The name of the key's field; nil if the header was not read.
    package var keyField: String?

    /// Whether the store already has a profile for every row, and all rows were rejected for this reason.
    package var areAllKeysStored: Bool {
        guard store != nil, let keyField, rows > 0 else { return false }
        let onlyIssue = issues.issueCounts.count == 1 ? issues.issueCounts.first : nil
        return onlyIssue?.field == keyField && onlyIssue?.code == IssueCode.duplicate.rawValue && rejected == rows
    }

    /// The reason that an import ended before the end of its input. Committed rows stay in the store.
    public enum EarlyEnd: String, Hashable, Sendable {
        /// The task was cancelled. In the command-line program, Ctrl-C cancels the task.
        case cancelled
        /// The number of rejected rows exceeded the limit in the options.
        case tooManyRejects = "too_many_rejects"
        /// A row was rejected in an all-or-nothing import, so nothing was stored.
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
    /// The first physical line of the record, counted from 1.
    public let line: Int
    /// The number of the record, counted from 1 after the header.
    public let record: Int
    /// The issue.
    public let issue: ReportedIssue
    /// The invalid value, truncated to 200 characters. The value is nil if it is a secret, or if the whole row has the
    /// issue.
    public let value: String?
    /// The primary key, truncated to 200 characters: the value of its column, or the computed key. Nil if the key is
    /// unknown, for example because its cell is empty or the row has a wrong number of cells.
    public let key: String?

    package init(line: Int, record: Int, issue: ReportedIssue, value: String?, key: String?) {
        self.line = line
        self.record = record
        self.issue = issue
        self.value = value
        self.key = key
    }
}
