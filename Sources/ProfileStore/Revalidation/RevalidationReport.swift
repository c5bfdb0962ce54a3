/// What judging the stored profiles by a schema found (R6).
public struct RevalidationReport: Hashable, Sendable {
    /// The rules that the profiles were judged by; a candidate's version is nil.
    public let schema: SchemaReference
    /// Profiles that were judged in this run.
    public var checked = 0
    /// Those of them that keep the rules.
    public var valid = 0
    /// Those found invalid, and those that were marked so before and not judged again.
    public var invalid = 0
    /// Profiles that were judged by the same rules before.
    public var skipped = 0
    /// Passwords that were set under other password rules than these; hashes cannot be judged.
    public var credentialsPredating = 0
    /// How many issues there are of each kind, and the first ones of each.
    public var issues: IssueTally<ProfileIssue>
    /// When it began.
    public let startedAt: Timestamp
    /// Where the profiles are, as the engine calls it: the file's path.
    public let store: String
    /// From beginning to end.
    public var seconds = 0.0
    /// The rules were given as ones to try, and nothing was marked.
    public let isCandidate: Bool
    /// The task was cancelled before every profile was judged.
    public var isCancelled = false

    package init(
        schema: SchemaReference, mostIssues: Int, isCandidate: Bool, startedAt: Timestamp, store: String
    ) {
        self.schema = schema
        self.isCandidate = isCandidate
        self.startedAt = startedAt
        self.store = store
        issues = IssueTally(limit: mostIssues)
    }
}

/// An issue of a stored profile.
public struct ProfileIssue: Hashable, Sendable {
    /// The profile's primary key, whatever the schema calls it; cut to 200 characters.
    public let key: String
    /// What is wrong.
    public let issue: ReportedIssue
    /// What is stored, cut to 200 characters; nil for a secret and for an issue of the whole profile.
    public let value: String?

    package init(key: String, issue: ReportedIssue, value: String?) {
        self.key = key
        self.issue = issue
        self.value = value
    }
}
