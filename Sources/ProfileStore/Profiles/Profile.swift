public import ProfileCore

/// A stored profile.
public struct Profile: Hashable, Sendable {
    /// The id, which never changes and is never used for another profile.
    public let id: Int64
    /// The revision, which starts at 1 and rises by 1 with every change, except with a change of the passcode.
    public let revision: Int64
    /// The time at which the profile was registered or imported.
    public let createdAt: Timestamp
    /// The time at which the present revision was stored.
    public let updatedAt: Timestamp
    /// The version of the schema that last validated the profile.
    public let schemaVersion: Int
    /// The issues that revalidation found; empty for a valid profile.
    public let issues: [ReportedIssue]
    /// Whether the profile has a password. The hash of the password is not read.
    public let hasPassword: Bool
    /// The schema that was in force when the profile was read. It defines the fields and their order.
    public let schema: ProfileSchema
    /// The values of the schema's non-secret fields.
    package let values: [String?]

    /// Creates a profile from the values that an engine has read.
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

    /// The result of the last validation.
    public enum Status: String, Sendable {
        /// The profile was valid when it was last validated.
        case valid
        /// Revalidation found that the profile breaks later rules.
        case invalid
    }

    /// The result of the last validation: `invalid` if revalidation found issues.
    public var status: Status { issues.isEmpty ? .valid : .invalid }

    /// Returns the stored form of a field's value; nil if the value is absent or the field is secret.
    public subscript(name: FieldName) -> String? {
        guard let index = schema.openIndex(of: name) else { return nil }
        return values[index]
    }

    /// Returns the stored form of a field's value, or the text of a fact; nil if the value is absent.
    package func text(of name: FieldName) -> String? {
        guard let fact = ProfileFact(name: name.text) else { return self[name] }
        return text(of: fact)
    }

    /// Returns the stored value of the field at a position in the schema; nil if the value is absent or the field is
    /// secret.
    package func value(ofField index: Int) -> String? {
        guard let secret = schema.passwordIndex else { return values[index] }
        return index == secret ? nil : values[index < secret ? index : index - 1]
    }

    /// Returns the text of a fact. Nil for the fact `issues` if the profile has none.
    package func text(of fact: ProfileFact) -> String? {
        switch fact {
        case .id: String(id)
        case .revision: String(revision)
        case .createdAt: createdAt.description
        case .updatedAt: updatedAt.description
        case .schemaVersion: String(schemaVersion)
        case .status: status.rawValue
        case .issues: issues.isEmpty ? nil : issues.map(\.message).joined(separator: "; ")
        }
    }

    /// The value of the primary key, with the letter case in which it was typed.
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

    /// The values by field. A field without a value has no entry.
    package var valuesByField: [FieldName: String] {
        var values: [FieldName: String] = [:]
        for field in fields { values[field.rules.name] = field.value }
        return values
    }

    /// The number of bytes in the profile's values and in the messages of its issues.
    package var byteCount: Int {
        values.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + issues.reduce(0) { $0 + $1.message.utf8.count }
    }

    /// A draft with the values of the profile, for an edit. If the schema computes the primary key from several fields,
    /// and all of them have values, the draft does not contain the key. If the edit changes one of these values, the
    /// key is computed again. Otherwise the profile keeps its key, even if the rules in force would compute another
    /// key.
    public var draft: ProfileDraft {
        ProfileDraft(stored: values, named: schema.openNames).withStoredKey(of: schema)
    }
}

extension ProfileDraft {
    /// If the schema computes the primary key from several fields, and all of them have values, returns the draft
    /// without the key. Validation keeps the stored key unless one of these values changes.
    func withStoredKey(of schema: ProfileSchema) -> ProfileDraft {
        if schema.keyParts.isEmpty { return self }
        var draft = self
        let parts = schema.keyParts.map { draft[schema.fields[$0].name] }
        if let key = draft[schema.primaryKey.name]?.text, !parts.contains(where: { $0 == nil }) {
            draft.stored = StoredKey(key, values: draft.values)
            draft[schema.primaryKey.name] = nil as DraftValue?
        }
        return draft
    }
}
