/// The result of validating the stored profiles by a schema (R6).
public struct RevalidationReport: Hashable, Sendable {
    /// The schema that validated the profiles. If the schema is a candidate that differs from the schema in force, its
    /// version is nil.
    public let schema: SchemaReference
    /// The number of profiles that were validated in this run.
    public var checked = 0
    /// The number of profiles that this run validated and found valid. Skipped profiles are not included.
    public var valid = 0
    /// The number of invalid profiles. It includes the skipped profiles that an earlier run found invalid.
    public var invalid = 0
    /// The number of profiles that this run skipped, because they were already validated by the same rules.
    public var skipped = 0
    /// The number of passwords that were set under other password rules. A stored hash does not show whether its
    /// password meets the rules.
    public var credentialsPredating = 0
    /// The number of issues of each kind, and the first issues of each kind.
    public var issues: IssueTally<ProfileIssue>
    /// The time of the start.
    public let startedAt: Timestamp
    /// The place of the store: the path of the file, or the address of the database.
    public let store: String
    /// The duration in seconds.
    public var seconds = 0.0
    /// Whether the profiles were validated by a candidate schema. The results of a candidate schema are not stored.
    public let isCandidate: Bool
    /// Whether the task was cancelled before every profile was validated.
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
    /// The first 200 Unicode scalars of the profile's primary key.
    public let key: String
    /// The issue.
    public let issue: ReportedIssue
    /// The first 200 Unicode scalars of the stored value; nil for a secret and for an issue of the whole profile.
    public let value: String?

    package init(key: String, issue: ReportedIssue, value: String?) {
        self.key = key
        self.issue = issue
        self.value = value
    }
}
