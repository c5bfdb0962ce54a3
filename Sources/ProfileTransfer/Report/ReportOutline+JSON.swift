internal import ProfileCore
internal import ProfileStore

extension ReportOutline {
    /// The report with the keys that programs go by; they stay as they are, and new ones come last.
    var json: JSONValue {
        .object(
            leadingMembers + [JSONMember("schema", schema.json)]
                + totals.map { JSONMember($0.name, .number($0.count)) } + [
                    JSONMember("issue_counts", .array(counts.map(\.json))),
                    JSONMember("issues", .array(issues.map(\.json))),
                    JSONMember("issues_truncated", .bool(isTruncated)),
                    JSONMember("seconds", .number(secondsText)),
                ] + trailingMembers + [
                    JSONMember("started_at", .string(startedAt.description)),
                    JSONMember("program", .string(ProgramVersion.name)),
                    JSONMember("database", store.map(JSONValue.string) ?? .null),
                ])
    }

    /// To the millisecond.
    var secondsText: String {
        let rounded = (seconds * 1_000).rounded() / 1_000
        return rounded.isFinite ? rounded.description : "0.0"
    }
}

extension SchemaReference {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "version": version.map { .number($0) } ?? .null,
            "fingerprint": .string(fingerprint),
        ]
    }
}

extension ReportOutline.Count {
    fileprivate var json: JSONValue {
        ["field": field.map(JSONValue.string) ?? .null, "code": .string(code), "count": .number(count)]
    }
}

extension ReportOutline.Issue {
    fileprivate var json: JSONValue {
        var members: [JSONMember] = []
        if let place {
            members += [JSONMember("line", .number(place.line)), JSONMember("record", .number(place.record))]
        }
        members.append(JSONMember("field", issue.field.map(JSONValue.string) ?? .null))
        members.append(JSONMember("code", .string(issue.code)))
        members.append(JSONMember("message", .string(issue.message)))
        if let value { members.append(JSONMember("value", .string(value))) }
        if let key { members.append(JSONMember("key", .string(key))) }
        return .object(members)
    }
}
