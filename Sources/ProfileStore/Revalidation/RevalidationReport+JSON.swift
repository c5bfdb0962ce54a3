public import ProfileCore

extension RevalidationReport: JSONEncodable {
    /// The report as `revalidate --format json` prints it, but without `database`. Clients of a service must not learn
    /// the server's paths.
    public var json: JSONValue { .object(members) }

    /// The report with the path of the store, for an operator.
    package var localJSON: JSONValue { .object(members + [JSONMember.database(store)]) }

    private var members: [JSONMember] {
        [
            JSONMember("schema", schema.json), JSONMember("checked", .number(checked)),
            JSONMember("valid", .number(valid)), JSONMember("invalid", .number(invalid)),
            JSONMember("skipped", .number(skipped)),
            JSONMember("credentials_predating", .number(credentialsPredating)),
        ] + issues.members(of: \.json) + [
            JSONMember("seconds", .seconds(seconds)), JSONMember("candidate", .bool(isCandidate)),
            JSONMember("cancelled", .bool(isCancelled)),
        ] + JSONMember.origin(startedAt: startedAt)
    }
}

extension ProfileIssue: JSONEncodable {
    /// The issue as in a report.
    public var json: JSONValue { .object(issue.members(value: value, key: key)) }
}

// The reports of imports use these functions too.

extension IssueTally {
    /// The number of issues of each kind, the listed issues, and whether the list is incomplete.
    package func members(of json: (Issue) -> JSONValue) -> [JSONMember] {
        [
            JSONMember("issue_counts", .array(issueCounts.map(\.json))),
            JSONMember("issues", .array(listed.map(json))), JSONMember("issues_truncated", .bool(isTruncated)),
        ]
    }
}

extension IssueTally.Count: JSONEncodable {
    /// The members `field`, `code` and `count`. For issues of whole rows, `field` is null.
    public var json: JSONValue {
        ["field": field.map(JSONValue.string) ?? .null, "code": .string(code), "count": .number(count)]
    }
}

extension ReportedIssue {
    /// The members of the issue. The found value and the profile's key are omitted if they are nil.
    package func members(value: String?, key: String?) -> [JSONMember] {
        [
            JSONMember("field", field.map(JSONValue.string) ?? .null), JSONMember("code", .string(code)),
            JSONMember("message", .string(message)), value.map { JSONMember("value", .string($0)) },
            key.map { JSONMember("key", .string($0)) },
        ].compactMap(\.self) + JSONMember.count(count)
    }
}

extension JSONValue {
    /// A duration in seconds, rounded to the millisecond.
    package static func seconds(_ seconds: Double) -> JSONValue {
        let rounded = (seconds * 1_000).rounded() / 1_000
        return .number(rounded.isFinite ? rounded.description : "0.0")
    }
}

extension JSONMember {
    /// The start time of a report, and the name and version of the program that created it.
    package static func origin(startedAt: Timestamp) -> [JSONMember] {
        [
            JSONMember("started_at", .string(startedAt.description)),
            JSONMember("program", .string(ProgramVersion.name)),
        ]
    }

    /// The store of a report.
    package static func database(_ store: String?) -> JSONMember {
        JSONMember("database", store.map(JSONValue.string) ?? .null)
    }
}
