public import ProfileCore

/// A profile as it is stored.
public struct Profile: Hashable, Sendable {
    /// Stable for the life of the profile, and never given to another.
    public let id: Int64
    /// Starts at 1 and rises by 1 with every change.
    public let revision: Int64
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    /// The version of the schema that the profile was last judged by.
    public let schemaVersion: Int
    /// What revalidation found wrong with it; empty for a valid profile.
    public let issues: [ReportedIssue]
    public let hasPassword: Bool
    /// The rules in force when it was read: which fields there are, and in which order.
    public let schema: ProfileSchema
    /// By the schema's fields without the secret one.
    let values: [String?]

    public enum Status: String, Sendable {
        case valid
        /// The rules have changed since it was stored, and revalidation found that it breaks them.
        case invalid
    }

    public var status: Status { issues.isEmpty ? .valid : .invalid }

    /// The value of a field in its stored form; nil where it is absent or a secret.
    public subscript(name: FieldName) -> String? {
        guard let index = schema.openFields.firstIndex(where: { $0.name == name }) else { return nil }
        return values[index]
    }

    public var username: String { self[.username] ?? "" }

    /// The fields that are not secret, in the schema's order, and their values.
    public var fields: [(rules: FieldRules, value: String?)] {
        zip(schema.openFields, values).map { (rules: $0, value: $1) }
    }

    /// A draft that says what the profile holds, to be changed and judged again.
    public var draft: ProfileDraft {
        var draft = ProfileDraft()
        for (rules, value) in fields { draft[rules.name.text] = value.map(rules.typedForm) }
        return draft
    }
}
