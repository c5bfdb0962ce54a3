public import ProfileCore

extension Profile: JSONEncodable {
    /// The profile as `lookup --format json` prints it. The first members are the id, the revision, the times, the
    /// schema version and the status. The member `values` is an object with the non-secret fields in the schema's
    /// order. So a field can have the same name as a member, for example `id`. An absent value is null. `issues` is
    /// present only if the profile is invalid. Numbers keep every stored digit.
    ///
    /// Writing this JSON takes less time than the look-up of the profile.
    public var json: JSONValue { json(without: []) }

    /// The profile as its owner sees it: ``json`` without the values and issues of fields that the schema hides from the
    /// owner; see `OwnerAccess`.
    public var ownerJSON: JSONValue { json(without: schema.hiddenNames) }

    private func json(without hidden: Set<String>) -> JSONValue {
        let rules = schema.openFields
        var values: [JSONMember] = []
        values.reserveCapacity(rules.count)
        // Fields are read by position. A copy of a field's rules would be slow, because Swift would retain every
        // reference in the rules.
        for (index, value) in zip(rules.indices, self.values) {
            let name = rules[index].name.text
            if !hidden.isEmpty, hidden.contains(name) { continue }
            values.append(JSONMember(name, rules[index].type.json(of: value)))
        }
        var members = [
            JSONMember("id", .number(id)), JSONMember("revision", .number(revision)),
            JSONMember("created_at", .string(createdAt.description)),
            JSONMember("updated_at", .string(updatedAt.description)),
            JSONMember("schema_version", .number(schemaVersion)), JSONMember("status", .string(status.rawValue)),
            JSONMember("values", .object(values)),
        ]
        let issues = issues.filter { $0.field.map { !hidden.contains($0) } ?? true }
        if !issues.isEmpty { members.append(JSONMember("issues", .array(issues.map(\.json)))) }
        return .object(members)
    }
}

extension ProfilePage: JSONEncodable {
    /// The page as `lookup --format json` prints it. The member `profiles` contains the profiles in the form of
    /// ``Profile/json``. The member `next` is the cursor of the next page, null at the end.
    public var json: JSONValue {
        [
            "profiles": .array(profiles.map(\.json)),
            "next": next.map { .string($0.description) } ?? .null,
        ]
    }
}

extension ReportedIssue: JSONEncodable {
    /// The members `field`, `code` and `message`. For an issue of the whole row, `field` is null. If the issue stands
    /// for several issues, `count` follows.
    public var json: JSONValue { .issue(field: field, code: code, message, count: count) }
}

extension FieldRules {
    /// Returns a value as JSON by the field's type. If another program has stored a text that is not of this type, the
    /// text becomes a JSON string.
    package func json(of value: String?) -> JSONValue { type.json(of: value) }
}

extension FieldType {
    /// See ``FieldRules/json(of:)``.
    fileprivate func json(of value: String?) -> JSONValue {
        guard let value else { return .null }
        switch self {
        case .integer, .number:
            // The parser also accepts spaces around a number. A JSON number would lose these spaces.
            if case .number(value)? = try? JSONValue(parsing: value) { return .number(value) }
            return .string(value)
        case .boolean: return value == "true" ? true : value == "false" ? false : .string(value)
        // A JSON number cannot have leading zeros, but a year such as 0099 has leading zeros.
        case .string, .date, .dateTime, .time, .year: return .string(value)
        }
    }
}
