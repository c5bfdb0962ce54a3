package import ProfileCore
package import ProfileStore

/// A column of a table of profiles: a field that is not secret, or a fact about the profile.
package enum ProfileColumn: Hashable, Sendable {
    case field(FieldRules)
    case fact(ProfileFact)

    /// The name of the column in the header of a file.
    package var name: String {
        switch self {
        case .field(let rules): rules.name.text
        case .fact(let fact): fact.name
        }
    }

    /// The name of the column in a query.
    package var fieldName: FieldName {
        switch self {
        case .field(let rules): rules.name
        case .fact(let fact): fact.column.name
        }
    }

    /// The title of the column for people.
    package var title: String {
        switch self {
        case .field(let rules): rules.title
        case .fact(let fact): fact.title
        }
    }

    /// Whether the values are always shown in full, because a truncated number could be misread.
    package var isWhole: Bool {
        switch self {
        case .field(let rules): rules.type == .integer || rules.type == .number
        case .fact(let fact): fact.isNumber
        }
    }

    /// Returns the stored value of a profile in this column, or nil if the profile has no value.
    package func value(of profile: Profile) -> String? {
        switch self {
        case .field(let rules): profile[rules.name]
        case .fact(let fact): profile.text(of: fact)
        }
    }

    /// Returns the value of a profile in this column as JSON. The value has the same form as in the JSON of a whole
    /// profile.
    package func json(of profile: Profile) -> JSONValue {
        switch self {
        case .field(let rules): rules.json(of: profile[rules.name])
        case .fact(.id): .number(profile.id)
        case .fact(.revision): .number(profile.revision)
        case .fact(.schemaVersion): .number(profile.schemaVersion)
        case .fact(.issues): .array(profile.issues.map(\.json))
        case .fact(.createdAt), .fact(.updatedAt), .fact(.status): value(of: profile).map(JSONValue.string) ?? .null
        }
    }

    /// Returns the value of a profile in this column, in a form that an import accepts.
    package func typedForm(of profile: Profile) -> String? {
        guard case .field(let rules) = self else { return value(of: profile) }
        return profile[rules.name].map(rules.typedForm)
    }

    /// Returns the value of a profile in this column as JSON, in a form that an import accepts.
    func typedJSON(of profile: Profile) -> JSONValue {
        guard case .field(let rules) = self else { return json(of: profile) }
        return rules.typedJSON(of: profile[rules.name])
    }
}

extension FieldRules {
    /// Returns a stored value as JSON for an export. The JSON type depends on the type of the field. A string is
    /// written in the form that the schema requires of an input.
    func typedJSON(of stored: String?) -> JSONValue {
        let value = json(of: stored)
        guard case .string(let text) = value else { return value }
        return .string(typedForm(of: text))
    }
}
