internal import ProfileCore
internal import ProfileStore

extension ImportReport: Encodable {
    /// Writes the report as `import --format json` prints it, without `database`, and with the name of the file alone as
    /// `source`: clients of a service must not learn the server's paths.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    var json: JSONValue { .object(members(source: source.split(separator: "/").last.map(String.init) ?? source)) }

    /// Includes the paths of the source and the store, for the operator.
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

extension RowIssue: Encodable {
    /// Writes the issue as it stands in a report.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    var json: JSONValue {
        .object(
            [JSONMember("line", .number(line)), JSONMember("record", .number(record))]
                + issue.members(value: value, key: key))
    }
}

extension InputWarning: Encodable {
    /// Writes the warning as it stands in a report: its `code`, and what belongs to it.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
