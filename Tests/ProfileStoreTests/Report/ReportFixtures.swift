import ProfileStore

/// An import with every kind of thing to say, among it values that mean harm.
func sampleImport(mostIssues: Int = 10_000) -> ImportReport {
    var report = ImportReport(
        source: "people.csv", schema: SchemaReference(name: "standard", version: 1, fingerprint: "5f3a9c0de1b24477"),
        mostIssues: mostIssues, isDryRun: false)
    report.rows = 1_234_567
    report.imported = 1_234_500
    report.skipped = 63
    report.rejected = 4
    report.seconds = 1.2345
    report.add(12, 11, "phone", "too_short", "Phone should have at least 8 characters", "787")
    report.add(12, 11, "username", "bad_character", "Username may hold ASCII letters and ASCII digits only", "マーン224s\u{1b}[2J\n")
    report.add(40, 38, "password", "missing_digit", "Password should have at least one decimal digit", nil)
    report.add(41, 39, nil, "bad_row", "The row has 7 cells where the header has 6", nil)
    report.add(77, 75, "phone", "too_short", "Phone should have at least 8 characters", "</script><script>alert(1)</script>")
    return report
}

extension ImportReport {
    mutating func add(
        _ line: Int, _ record: Int, _ field: String?, _ code: String, _ message: String, _ value: String?
    ) {
        issues.add(field: field, code: code) {
            RowIssue(
                line: line, record: record, issue: ReportedIssue(field: field, code: code, message: message), value: value)
        }
    }
}

/// A revalidation that was asked of rules which are not in force.
func sampleRevalidation() -> RevalidationReport {
    var report = RevalidationReport(
        schema: SchemaReference(name: "stricter", version: nil, fingerprint: "00ff"), mostIssues: 10, isCandidate: true)
    report.checked = 3
    report.valid = 2
    report.invalid = 1
    report.credentialsPredating = 3
    report.seconds = 0.25
    report.issues.add(field: "address", code: "too_short") {
        ProfileIssue(
            username: "skboard",
            issue: ReportedIssue(field: "address", code: "too_short", message: "Address should have at least 10 characters"),
            value: "12 Main")
    }
    return report
}
