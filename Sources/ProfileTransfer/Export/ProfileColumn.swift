package import ProfileCore
package import ProfileStore

/// What a table of profiles may have for a column: one of their fields that is not secret, or what the store knows of them
/// besides. No field has the name of one of the others (`FieldName.reserved`).
package enum ProfileColumn: Hashable, Sendable {
    case field(FieldRules)
    case id, revision, createdAt, updatedAt, status, issues

    /// Those that are no field.
    package static let besidesFields: [ProfileColumn] = [.id, .revision, .createdAt, .updatedAt, .status, .issues]

    /// As in headers and JSON.
    package var name: String {
        switch self {
        case .field(let rules): rules.name.text
        case .id: "id"
        case .revision: "revision"
        case .createdAt: "created_at"
        case .updatedAt: "updated_at"
        case .status: "status"
        case .issues: "issues"
        }
    }

    /// For people.
    package var title: String {
        switch self {
        case .field(let rules): rules.title
        case .id: "Id"
        case .revision: "Revision"
        case .createdAt: "Created"
        case .updatedAt: "Updated"
        case .status: "Status"
        case .issues: "Issues"
        }
    }

    /// Whether a part of its values would be misread.
    package var isWhole: Bool {
        switch self {
        case .field(let rules): rules.type == .integer || rules.type == .number
        case .id, .revision: true
        case .createdAt, .updatedAt, .status, .issues: false
        }
    }

    /// What a profile has there, as it is stored; nil where that is absent.
    package func value(of profile: Profile) -> String? {
        switch self {
        case .field(let rules): profile[rules.name]
        case .id: String(profile.id)
        case .revision: String(profile.revision)
        case .createdAt: profile.createdAt.description
        case .updatedAt: profile.updatedAt.description
        case .status: profile.status.rawValue
        case .issues: profile.issues.isEmpty ? nil : profile.issues.map(\.message).joined(separator: "; ")
        }
    }

    /// The same as JSON, as the profile itself has it there.
    package func json(of profile: Profile) -> JSONValue {
        switch self {
        case .field(let rules): rules.json(of: profile[rules.name])
        case .id: .number(profile.id)
        case .revision: .number(profile.revision)
        case .issues: .array(profile.issues.map(\.json))
        case .createdAt, .updatedAt, .status: value(of: profile).map(JSONValue.string) ?? .null
        }
    }

    /// The same in the way in which an import would take it.
    func typedForm(of profile: Profile) -> String? {
        guard case .field(let rules) = self else { return value(of: profile) }
        return profile[rules.name].map(rules.typedForm)
    }

    /// The same as JSON.
    func typedJSON(of profile: Profile) -> JSONValue {
        guard case .field(let rules) = self else { return json(of: profile) }
        return rules.typedJSON(of: profile[rules.name])
    }
}

extension FieldRules {
    /// A stored value as an export in JSON has it: by the field's type, and where it is text in the way in which the schema
    /// wants it written.
    func typedJSON(of stored: String?) -> JSONValue {
        let value = json(of: stored)
        guard case .string(let text) = value else { return value }
        return .string(typedForm(of: text))
    }
}
