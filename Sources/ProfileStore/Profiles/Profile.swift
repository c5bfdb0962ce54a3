public import ProfileCore

/// A profile as it is stored.
public struct Profile: Hashable, Sendable {
    /// Stable for the life of the profile, and never given to another.
    public let id: Int64
    /// Starts at 1 and rises by 1 with every change.
    public let revision: Int64
    /// When it was registered or imported.
    public let createdAt: Timestamp
    /// When its latest revision was stored.
    public let updatedAt: Timestamp
    /// The version of the schema that the profile was last judged by.
    public let schemaVersion: Int
    /// What revalidation found wrong with it; empty for a valid profile.
    public let issues: [ReportedIssue]
    /// Whether a hash of its password is stored; the hash itself is not read.
    public let hasPassword: Bool
    /// The rules in force when it was read: which fields there are, and in which order.
    public let schema: ProfileSchema
    /// By the schema's fields without the secret one.
    package let values: [String?]

    /// What an engine has read.
    package init(
        id: Int64, revision: Int64, createdAt: Timestamp, updatedAt: Timestamp, schemaVersion: Int,
        issues: [ReportedIssue], hasPassword: Bool, schema: ProfileSchema, values: [String?]
    ) {
        self.id = id
        self.revision = revision
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.schemaVersion = schemaVersion
        self.issues = issues
        self.hasPassword = hasPassword
        self.schema = schema
        self.values = values
    }

    /// What the store remembers of the latest judgement.
    public enum Status: String, Sendable {
        /// It keeps the rules that it was last judged by.
        case valid
        /// The rules have changed since it was stored, and revalidation found that it breaks them.
        case invalid
    }

    /// Whether revalidation found something wrong.
    public var status: Status { issues.isEmpty ? .valid : .invalid }

    /// The value of a field in its stored form; nil where it is absent or a secret.
    public subscript(name: FieldName) -> String? {
        guard let index = schema.openIndex(of: name) else { return nil }
        return values[index]
    }

    /// The key of the profile, as it was typed.
    public var username: String { self[schema.primaryKey.name] ?? "" }

    /// The fields that are not secret, in the schema's order, and their values.
    public var fields: [Field] { zip(schema.openFields, values).map { Field(rules: $0, value: $1) } }

    /// A field of a profile.
    public struct Field: Hashable, Sendable {
        /// The rules of the field.
        public let rules: FieldRules
        /// The canonical value; nil if there is none.
        public let value: String?
    }

    /// The values that are there, by field.
    package var valuesByField: [FieldName: String] {
        var values: [FieldName: String] = [:]
        for field in fields { values[field.rules.name] = field.value }
        return values
    }

    /// How much memory its texts take, more or less.
    package var byteCount: Int {
        values.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + issues.reduce(0) { $0 + $1.message.utf8.count }
    }

    /// A draft that says what the profile holds, to be changed and judged again.
    public var draft: ProfileDraft {
        var draft = ProfileDraft()
        for field in fields { draft[field.rules.name] = field.value.map(DraftValue.init(canonical:)) }
        return draft
    }
}
