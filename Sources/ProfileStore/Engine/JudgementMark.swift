/// The result of validating a stored profile again. The engine stores the mark if the profile still has this revision.
package struct JudgementMark: Sendable {
    package let id: Int64
    package let revision: Int64
    /// The issues in their stored form; nil for a valid profile.
    package let issues: String?

    package init(id: Int64, revision: Int64, issues: String?) {
        self.id = id
        self.revision = revision
        self.issues = issues
    }
}
