package import ProfileCore

extension Profile: Encodable {
    /// Writes the profile as `lookup --format json` answers it: what the store knows about it, then its open fields in the
    /// schema's order, null where absent; `issues` only when it is invalid.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package var json: JSONValue {
        var members = [
            JSONMember("id", .number(id)),
            JSONMember("revision", .number(revision)),
            JSONMember("created_at", .string(createdAt.description)),
            JSONMember("updated_at", .string(updatedAt.description)),
            JSONMember("schema_version", .number(schemaVersion)),
            JSONMember("status", .string(status.rawValue)),
        ]
        for (rules, value) in fields { members.append(JSONMember(rules.name.text, rules.json(of: value))) }
        if !issues.isEmpty { members.append(JSONMember("issues", .array(issues.map(\.json)))) }
        return .object(members)
    }
}

extension ProfilePage: Encodable {
    /// Writes the page as `lookup --format json` prints it: `next` is what to go on after, null when there is no more.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package var json: JSONValue {
        [
            "profiles": .array(profiles.map(\.json)),
            "next": next.map { .string($0.description) } ?? .null,
        ]
    }
}

extension ReportedIssue: Encodable {
    /// Writes `field`, null for the whole row, `code` and `message`.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package var json: JSONValue { .issue(field: field, code: code, message) }
}

extension FieldRules {
    /// A value as JSON: by the field's type, unless what is stored is of none, as only another program can have
    /// written; then the text itself.
    package func json(of value: String?) -> JSONValue {
        guard let value else { return .null }
        switch type {
        case .integer, .number:
            // The parser also takes spaces around a number, which would be lost.
            if case .number(value)? = try? JSONValue(parsing: value) { return .number(value) }
            return .string(value)
        case .boolean: return value == "true" ? true : value == "false" ? false : .string(value)
        // JSON has no number with zeros before it, as of the year 0099.
        case .string, .date, .dateTime, .time, .year: return .string(value)
        }
    }
}
