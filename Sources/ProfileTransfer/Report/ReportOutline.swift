internal import ProfileCore
internal import ProfileStore

/// The contents of a report about an import or a revalidation. All report formats are written from this value.
struct ReportOutline {
    /// "Import of", "Dry run of" or "Revalidation of".
    let heading: String
    /// The name of the input, or a text that says which profiles were validated.
    let subject: String
    /// Remarks to show before the numbers.
    let remarks: [String]
    let startedAt: Timestamp
    /// The location of the store; nil for an import without a store.
    let store: String?
    let schema: SchemaReference
    let totals: [Total]
    let counts: [Count]
    /// The number of all issues, including issues that are not listed.
    let issueCount: Int
    /// Whether an issue has a line number and a record number in a file.
    let hasPlaces: Bool
    let issues: [Issue]
    let seconds: Double
    /// Creates ``json``. The property is a closure, because the text and CSV formats do not need the JSON value.
    let makeJSON: () -> JSONValue

    struct Total {
        /// The name of the total in JSON.
        let name: String
        let count: Int
        /// The larger total that this total is a part of; nil if there is no larger total.
        let whole: Int?
        /// Whether a count above zero means that something is wrong.
        let isBad: Bool
        /// The name of the total for people.
        let title: String

        init(name: String, count: Int, whole: Int? = nil, isBad: Bool = false, title: String? = nil) {
            self.name = name
            self.count = count
            self.whole = whole
            self.isBad = isBad
            self.title = title ?? String(name.map { $0 == "_" ? " " : $0 })
        }
    }

    struct Count {
        let field: String?
        let code: String
        let count: Int
    }

    struct Issue {
        /// The place of the issue in the file.
        var place: Place?
        let issue: ReportedIssue
        let value: String?
        /// The primary key of the row or profile, or nil if it is unknown.
        let key: String?
    }

    struct Place {
        let line: Int
        let record: Int
    }

    /// The report as JSON for programs. Existing keys never change, and new keys are added at the end.
    var json: JSONValue { makeJSON() }

    /// The duration in seconds, with milliseconds.
    var secondsText: String { JSONValue.seconds(seconds).text() }

    var isTruncated: Bool { issueCount > issues.count }

    /// The origin of the report: its time, the program and the store.
    var origin: String { "\(startedAt.text), \(ProgramVersion.name), \(store.map { "store \($0)" } ?? "no store")" }
}

extension ImportReport {
    var outline: ReportOutline {
        ReportOutline(
            heading: isDryRun ? "Dry run of" : "Import of",
            subject: source == "-" ? "standard input" : source,
            remarks: [dryRunRemark, endRemark, encodingRemark, keyRemark].compactMap(\.self) + warnings.map(\.text),
            startedAt: startedAt, store: store, schema: schema,
            totals: [
                .init(name: "rows", count: rows), .init(name: "imported", count: imported, whole: rows),
                .init(name: "updated", count: updated, whole: rows),
                .init(name: "skipped", count: skipped, whole: rows),
                .init(name: "rejected", count: rejected, whole: rows, isBad: true),
            ],
            counts: issues.outlined, issueCount: issues.total, hasPlaces: true,
            issues: issues.listed.map {
                .init(place: .init(line: $0.line, record: $0.record), issue: $0.issue, value: $0.value, key: $0.key)
            },
            seconds: seconds, makeJSON: { localJSON })
    }

    private var dryRunRemark: String? {
        guard isDryRun else { return nil }
        // Without a store, the rows were compared with each other only.
        let place = store == nil ? " into an empty store" : ""
        return "Nothing was written: these are the numbers that an import\(place) would have."
    }

    private var encodingRemark: String? {
        guard issues.issueCounts.contains(where: { $0.code == IssueCode.badEncoding.rawValue }) else { return nil }
        return "Rows were rejected because their bytes do not fit the input's encoding. "
            + "Name its encoding with --encoding."
    }

    private var keyRemark: String? {
        guard areAllKeysStored else { return nil }
        return "The store already has all keys of the file. To import only new rows of such files, use "
            + "--on-duplicate skip; to change the stored profiles, use --on-duplicate update."
    }

    private var endRemark: String? {
        let stored = isDryRun ? "" : " The rows counted as imported or updated are stored."
        return switch earlyEnd {
        case nil: nil
        case .cancelled: "Ended early: it was cancelled." + stored
        case .tooManyRejects: "Ended early: too many rows were rejected." + stored
        case .nothingStored where isDryRun:
            "Nothing would be stored: the import is all or nothing, and a row is rejected."
        case .nothingStored: "Nothing was stored: the import is all or nothing, and a row was rejected."
        }
    }
}

extension RevalidationReport {
    var outline: ReportOutline {
        ReportOutline(
            heading: "Revalidation of", subject: "the stored profiles",
            remarks: [
                isCandidate
                    ? "These rules are \(schema.version == nil ? "not in force" : "in force"), and nothing was marked."
                    : nil,
                isCancelled ? "Ended early: it was cancelled before all profiles were checked." : nil,
            ].compactMap(\.self),
            startedAt: startedAt, store: store, schema: schema,
            totals: [
                .init(name: "checked", count: checked, whole: checked + skipped),
                .init(name: "valid", count: valid, whole: checked + skipped),
                .init(name: "invalid", count: invalid, whole: checked + skipped, isBad: true),
                .init(name: "skipped", count: skipped, whole: checked + skipped),
                .init(
                    name: "credentials_predating", count: credentialsPredating,
                    title: "credentials older than the rules"),
            ],
            counts: issues.outlined, issueCount: issues.total, hasPlaces: false,
            issues: issues.listed.map { .init(issue: $0.issue, value: $0.value, key: $0.key) },
            seconds: seconds, makeJSON: { localJSON })
    }
}

extension IssueTally {
    fileprivate var outlined: [ReportOutline.Count] {
        issueCounts.map { ReportOutline.Count(field: $0.field, code: $0.code, count: $0.count) }
    }
}
