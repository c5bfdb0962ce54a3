public import ProfileCore
internal import ProfileStore

extension ImportReport: JSONEncodable {
    /// The report in the form of `import --format json`, with two differences. `database` is omitted, and `source` is
    /// the file name without its path. The reason: clients of a service must not learn the paths of the server.
    public var json: JSONValue {
        .object(members(source: source.split(separator: "/").last.map(String.init) ?? source))
    }

    /// The JSON form with the paths of the source and the store, for the operator.
    var localJSON: JSONValue { .object(members(source: source) + [JSONMember.database(store)]) }

    private func members(source: String) -> [JSONMember] {
        [
            JSONMember("source", .string(source)), JSONMember("schema", schema.json),
            JSONMember("rows", .number(rows)), JSONMember("imported", .number(imported)),
            JSONMember("updated", .number(updated)), JSONMember("skipped", .number(skipped)),
            JSONMember("rejected", .number(rejected)),
        ] + issues.members(of: \.json) + [
            JSONMember("seconds", .seconds(seconds)), JSONMember("dry_run", .bool(isDryRun)),
            JSONMember("early_end", earlyEnd.map { .string($0.rawValue) } ?? .null),
            JSONMember("warnings", .array(warnings.map(\.json))),
        ] + JSONMember.origin(startedAt: startedAt)
    }
}

extension RowIssue: JSONEncodable {
    /// The issue in the same form as in a report.
    public var json: JSONValue {
        .object(
            [JSONMember("line", .number(line)), JSONMember("record", .number(record))]
                + issue.members(value: value, key: key))
    }
}
