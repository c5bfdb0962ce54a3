/// A profile that was found invalid, and why.
package struct MarkedProfile: Sendable {
    package let id: Int64
    package let username: String
    package let issues: [ReportedIssue]

    package init(id: Int64, username: String, issues: [ReportedIssue]) {
        self.id = id
        self.username = username
        self.issues = issues
    }
}

/// What judging a profile again has found; it is remembered if the profile still has this revision.
package struct JudgementMark: Sendable {
    package let id: Int64
    package let revision: Int64
    /// In their stored form; nil for a valid profile.
    package let issues: String?

    package init(id: Int64, revision: Int64, issues: String?) {
        self.id = id
        self.revision = revision
        self.issues = issues
    }
}
