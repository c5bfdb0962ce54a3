public import ProfileCore

extension HistoryEntry: JSONEncodable {
    /// The entry in the format of `history --format json`. All members are always present. If a value is unknown, the
    /// member is null.
    public var json: JSONValue {
        [
            "change": .number(change), "kind": .string(kind.rawValue), "first_id": .number(profileIDs.lowerBound),
            "last_id": .number(profileIDs.upperBound), "revision": revision.map { .number($0) } ?? .null,
            "changed_at": .string(changedAt.description), "author": author.map(JSONValue.string) ?? .null,
            "command": command.map(JSONValue.string) ?? .null, "undoes": undoes.map { .number($0) } ?? .null,
            "sets_password": .bool(setsPassword), "values": .array(values.map(\.json)),
        ]
    }

    /// Returns the entry as the owner of the profile sees it; see `OwnerAccess`.
    ///
    /// The members `author` and `command` are left out, because they may name members of staff. The members `first_id`
    /// and `last_id` are left out, because the entry of an import contains the ids of other profiles. The values of a
    /// field are left out if the schema hides the field from the owner. They are also left out if the schema no longer
    /// has the field, because an earlier schema may have hidden it.
    ///
    /// - Parameter schema: The rules in force.
    /// - Returns: The members of ``json`` that are not left out.
    public func ownerJSON(in schema: ProfileSchema) -> JSONValue {
        let shown = values.filter { value in
            FieldName(value.field).flatMap { schema[$0]?.owner } ?? .hidden != .hidden
        }
        return [
            "change": .number(change), "kind": .string(kind.rawValue),
            "revision": revision.map { .number($0) } ?? .null, "changed_at": .string(changedAt.description),
            "undoes": undoes.map { .number($0) } ?? .null, "sets_password": .bool(setsPassword),
            "values": .array(shown.map(\.json)),
        ]
    }
}

extension HistoryEntry.ChangedValue: JSONEncodable {
    /// The members `field`, `before` and `after`. An absent value is null.
    public var json: JSONValue {
        [
            "field": .string(field), "before": before.map(JSONValue.string) ?? .null,
            "after": after.map(JSONValue.string) ?? .null,
        ]
    }
}

extension HistoryChange: JSONEncodable {
    /// The change in the format of `imports --format json`: `change`, `made_at`, `file`, `author`, `added` and `updated`.
    public var json: JSONValue {
        [
            "change": .number(number), "made_at": .string(madeAt.description),
            "file": source.map(JSONValue.string) ?? .null, "author": author.map(JSONValue.string) ?? .null,
            "added": .number(added), "updated": .number(updated),
        ]
    }
}

extension UndoReport: JSONEncodable {
    /// The report in the format of `undo --format json`, without `is_dry_run`.
    public var json: JSONValue {
        [
            "change": .number(change.number), "removed": .number(removed), "reverted": .number(reverted),
            "restored": .number(restored), "need_reset": .number(needReset), "kept_secrets": .number(keptSecrets),
            "unchanged": .number(unchanged), "left_count": .number(leftCount), "left": .array(left.map(\.json)),
        ]
    }
}

extension UndoReport.Left: JSONEncodable {
    /// The members `id`, `username` and `reason`. The reason is `changed_since`, `invalid`, `duplicate` or
    /// `former_fields`.
    public var json: JSONValue {
        [
            "id": .number(profileID), "username": username.map(JSONValue.string) ?? .null,
            "reason": .string(reason.name),
        ]
    }
}

extension UndoReport.Reason {
    fileprivate var name: String {
        switch self {
        case .changedSince: "changed_since"
        case .refused(let refusal): refusal.name
        case .formerFields: "former_fields"
        }
    }
}
