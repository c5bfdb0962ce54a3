package import ProfileCore

/// The values that the history keeps of one changed profile, in their stored form as JSON. Passwords and hashes are
/// never recorded.
package struct RecordedValues: Sendable {
    /// The JSON text; nil if there is nothing to keep.
    package let stored: String?

    package init() { stored = nil }

    /// Records a change of a profile.
    ///
    /// - Parameters:
    ///   - changed: The fields whose values change.
    ///   - schema: The rules in force.
    ///   - rows: The valid rows, which include the row with the new values.
    ///   - row: The row with the new values.
    ///   - before: Returns the stored value of a field, by its position in the schema.
    package init(
        of changed: FieldSet, in schema: ProfileSchema, to rows: ValidProfiles, row: Int,
        from before: (_ field: Int) -> String?
    ) {
        var values: [JSONMember] = []
        var setsPassword = false
        for (index, field) in schema.fields.enumerated() where changed.contains(index) {
            if field.isSecret {
                setsPassword = setsPassword || rows.text(row: row, field: index) != nil
            } else {
                let (old, new) = (before(index), rows.text(row: row, field: index))
                if old == new { continue }
                values.append(JSONMember(field.column.text, [old.json, new.json]))
            }
        }
        self.init(values, setsPassword: setsPassword)
    }

    /// Records the removal of a profile.
    package init(removing profile: Profile) {
        let values = profile.fields.compactMap { field in
            field.value.map { JSONMember(field.rules.column.text, [.string($0), .null]) }
        }
        stored =
            JSONValue.object([
                JSONMember("values", .object(values)),
                JSONMember("created_at", .number(profile.createdAt.millisecondsSince1970)),
                JSONMember("had_password", .bool(profile.hasPassword)),
            ]).text()
    }

    /// Records that a password was set.
    package static let newPassword = RecordedValues([], setsPassword: true)

    private init(_ values: [JSONMember], setsPassword: Bool) {
        var members: [JSONMember] = []
        if !values.isEmpty { members.append(JSONMember("values", .object(values))) }
        if setsPassword { members.append(JSONMember("sets_password", true)) }
        stored = members.isEmpty ? nil : JSONValue.object(members).text()
    }
}

// MARK: As it was stored

extension HistoryEntry {
    /// Creates an entry from the columns that an engine has read.
    ///
    /// - Throws: `corrupt` if another program has changed the row.
    package init(
        change: Int64, part: Int64, kind: String?, profileIDs: ClosedRange<Int64>, revision: Int64?,
        changedAt: Timestamp, recorded: String?, author: String?, command: String?, under schema: ProfileSchema
    ) throws(ProfileStoreError) {
        guard let kind = kind.flatMap(ProfileChange.Kind.init), let read = ReadValues(stored: recorded) else {
            throw .corrupt(.unreadableHistory)
        }
        self.init(
            change: change, part: part, kind: kind, profileIDs: profileIDs, revision: revision, changedAt: changedAt,
            author: author, command: command, values: read.values(under: schema), setsPassword: read.setsPassword,
            removed: read.removed)
    }
}

/// The values of ``RecordedValues``, read from their stored form.
private struct ReadValues {
    private let columns: [(column: String, before: String?, after: String?)]
    let setsPassword: Bool
    let removed: HistoryEntry.RemovedFacts?

    /// Returns nil if the text does not have the stored form.
    init?(stored text: String?) {
        guard let text else {
            (columns, setsPassword, removed) = ([], false, nil)
            return
        }
        guard let value = try? JSONValue(parsing: text), case .object = value else { return nil }
        var columns: [(column: String, before: String?, after: String?)] = []
        if let values = value["values"] {
            guard case .object(let members) = values else { return nil }
            for member in members {
                guard case .array(let pair) = member.value, pair.count == 2 else { return nil }
                columns.append((member.name, pair[0].string, pair[1].string))
            }
        }
        self.columns = columns
        setsPassword = value["sets_password"] == true
        if case .number(let text)? = value["created_at"], let time = Int64(text) {
            removed = HistoryEntry.RemovedFacts(
                createdAt: Timestamp(millisecondsSince1970: time), hadPassword: value["had_password"] == true)
        } else {
            removed = nil
        }
    }

    /// Returns the values in the order of a schema's fields. The values of other columns follow.
    func values(under schema: ProfileSchema) -> [HistoryEntry.ChangedValue] {
        var rest = columns
        var values: [HistoryEntry.ChangedValue] = []
        for field in schema.openFields {
            guard let index = rest.firstIndex(where: { $0.column == field.column.text }) else { continue }
            let value = rest.remove(at: index)
            values.append(
                HistoryEntry.ChangedValue(field: field.name.text, before: value.before, after: value.after))
        }
        return values
            + rest.map { HistoryEntry.ChangedValue(field: $0.column, before: $0.before, after: $0.after) }
    }
}

extension String? {
    fileprivate var json: JSONValue { map(JSONValue.string) ?? .null }
}

extension JSONValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
