public import ProfileCore

extension Profile: Encodable {
    /// Writes the profile as `lookup --format json` answers it: what the store knows about it, then its open fields in the
    /// schema's order, null where absent; `issues` only when it is invalid.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The profile as JSON: the members that an `Encoder` gets, always in the schema's order, and numbers with every digit
    /// that is stored. To write it costs less than the look-up of the profile, and a fraction of what an `Encoder` costs.
    ///
    /// ```swift
    /// response.write(profile.json.utf8())
    /// ```
    public var json: JSONValue {
        let rules = schema.openFields
        var members: [JSONMember] = []
        members.reserveCapacity(rules.count + 7)
        members.append(JSONMember("id", .number(id)))
        members.append(JSONMember("revision", .number(revision)))
        members.append(JSONMember("created_at", .string(createdAt.description)))
        members.append(JSONMember("updated_at", .string(updatedAt.description)))
        members.append(JSONMember("schema_version", .number(schemaVersion)))
        members.append(JSONMember("status", .string(status.rawValue)))
        // By position: a copy of a field's rules would count a reference for each of them.
        for (index, value) in zip(rules.indices, values) {
            members.append(JSONMember(rules[index].name.text, rules[index].type.json(of: value)))
        }
        if !issues.isEmpty { members.append(JSONMember("issues", .array(issues.map(\.json)))) }
        return .object(members)
    }
}

extension ProfilePage: Encodable {
    /// Writes the page as `lookup --format json` prints it: `next` is what to go on after, null when there is no more.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The page as JSON: `profiles`, each as in ``Profile/json``, then `next`.
    public var json: JSONValue {
        [
            "profiles": .array(profiles.map(\.json)),
            "next": next.map { .string($0.description) } ?? .null,
        ]
    }
}

extension ReportedIssue: Encodable {
    /// Writes `field`, null for the whole row, `code` and `message`, and `count` where it stands for several issues.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package var json: JSONValue { .issue(field: field, code: code, message, count: count) }
}

extension FieldRules {
    /// A value as JSON: by the field's type, unless what is stored is of none, as only another program can have
    /// written; then the text itself.
    package func json(of value: String?) -> JSONValue { type.json(of: value) }
}

extension FieldType {
    /// See ``FieldRules/json(of:)``.
    fileprivate func json(of value: String?) -> JSONValue {
        guard let value else { return .null }
        switch self {
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
