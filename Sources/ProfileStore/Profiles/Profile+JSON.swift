public import ProfileCore

extension Profile: Encodable {
    /// Writes the profile as `lookup --format json` prints it: the id, the revision, the times, the schema version and
    /// the status, then the fields that are not secret, in the schema's order. An absent value is null. `issues` is
    /// present only if the profile is invalid.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The profile as JSON, with the same members as its `Encodable` form, in the schema's order, and with every stored
    /// digit of numbers. Writing it costs less than the look-up of the profile, and much less than an `Encoder`.
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
        // Fields are read by position, because copying a field's rules retains each of their references.
        for (index, value) in zip(rules.indices, values) {
            members.append(JSONMember(rules[index].name.text, rules[index].type.json(of: value)))
        }
        if !issues.isEmpty { members.append(JSONMember("issues", .array(issues.map(\.json)))) }
        return .object(members)
    }
}

extension ProfilePage: Encodable {
    /// Writes the page as `lookup --format json` prints it. `next` is the cursor of the next page, null at the end.
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
    /// Writes `field` (null for the whole row), `code` and `message`, and `count` if the issue stands for several
    /// issues.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package var json: JSONValue { .issue(field: field, code: code, message, count: count) }
}

extension FieldRules {
    /// Returns a value as JSON by the field's type. A stored text that is not of this type, which another program may
    /// have written, becomes a string.
    package func json(of value: String?) -> JSONValue { type.json(of: value) }
}

extension FieldType {
    /// See ``FieldRules/json(of:)``.
    fileprivate func json(of value: String?) -> JSONValue {
        guard let value else { return .null }
        switch self {
        case .integer, .number:
            // The parser also accepts spaces around a number. As a JSON number, the value would lose these spaces.
            if case .number(value)? = try? JSONValue(parsing: value) { return .number(value) }
            return .string(value)
        case .boolean: return value == "true" ? true : value == "false" ? false : .string(value)
        // A JSON number has no leading zeros, such as those of the year 0099.
        case .string, .date, .dateTime, .time, .year: return .string(value)
        }
    }
}
