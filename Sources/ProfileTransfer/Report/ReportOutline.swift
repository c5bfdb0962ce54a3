internal import ProfileCore
internal import ProfileStore

/// What a report says, whatever it is about; each format is written from this.
struct ReportOutline {
    /// "Import of" or "Revalidation of".
    let heading: String
    /// What was judged, as it was named.
    let subject: String
    /// What a reader must know before the numbers.
    let remarks: [String]
    let startedAt: Timestamp
    /// Nil without a store.
    let store: String?
    let schema: SchemaReference
    let totals: [Total]
    let counts: [Count]
    /// All issues, listed or not.
    let issueCount: Int
    /// Whether issues have a place in a file.
    let hasPlaces: Bool
    let issues: [Issue]
    let seconds: Double
    /// Makes ``json``; most formats do without.
    let makeJSON: () -> JSONValue

    struct Total {
        /// As in JSON.
        let name: String
        let count: Int
        /// What it is a part of; nil for what is a part of nothing.
        var whole: Int?
        /// Whether any of these is bad news.
        var isBad = false

        /// As people read it.
        var title: String { String(name.map { $0 == "_" ? " " : $0 }) }
    }

    struct Count {
        let field: String?
        let code: String
        let count: Int
    }

    struct Issue {
        /// Where it is in the file.
        var place: Place?
        let issue: ReportedIssue
        let value: String?
        /// The primary key of the row or profile, whatever the schema calls it; nil where it is not known.
        let key: String?
    }

    struct Place {
        let line: Int
        let record: Int
    }

    /// The report with the keys that programs go by; they stay as they are, and new ones come last.
    var json: JSONValue { makeJSON() }

    /// To the millisecond.
    var secondsText: String { JSONValue.seconds(seconds).text() }

    var isTruncated: Bool { issueCount > issues.count }

    /// When it was made, by what, and of which store.
    var origin: String { "\(startedAt.text), \(ProgramVersion.name), \(store.map { "store \($0)" } ?? "no store")" }
}

extension ImportReport {
    var outline: ReportOutline {
        ReportOutline(
            heading: isDryRun ? "Dry run of" : "Import of",
            subject: source == "-" ? "standard input" : source,
            remarks: [
                isDryRun ? "Nothing was written: these are the numbers that an import would have." : nil,
                endRemark, encodingRemark,
            ].compactMap(\.self) + warnings.map(\.text),
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

    private var encodingRemark: String? {
        guard issues.issueCounts.contains(where: { $0.code == IssueCode.badEncoding.rawValue }) else { return nil }
        return "Rows were rejected for bytes that do not fit the input's encoding: --encoding says how it is written."
    }

    private var endRemark: String? {
        let stored = isDryRun ? "" : " What is counted as imported is stored."
        return switch earlyEnd {
        case nil: nil
        case .cancelled: "Ended early: it was cancelled." + stored
        case .tooManyRejects: "Ended early: too many rows were rejected." + stored
        case .nothingStored where isDryRun:
            "Nothing would be stored: all or nothing was asked for, and a row is rejected."
        case .nothingStored: "Nothing was stored: all or nothing was asked for, and a row was rejected."
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
                isCancelled ? "Ended early: it was cancelled before every profile was judged." : nil,
            ].compactMap(\.self),
            startedAt: startedAt, store: store, schema: schema,
            totals: [
                .init(name: "checked", count: checked, whole: checked + skipped),
                .init(name: "valid", count: valid, whole: checked + skipped),
                .init(name: "invalid", count: invalid, whole: checked + skipped, isBad: true),
                .init(name: "skipped", count: skipped, whole: checked + skipped),
                .init(name: "credentials_predating", count: credentialsPredating),
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
