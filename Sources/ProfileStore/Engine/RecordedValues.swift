package import ProfileCore

/// The values that the history keeps of one changed profile, in their stored form as JSON. Passwords and hashes are
/// never recorded.
package struct RecordedValues: Sendable {
    /// The JSON text in UTF-8. Empty if there is nothing to keep.
    package private(set) var utf8: [UInt8] = []

    package init() {}

    /// The JSON text; nil if there is nothing to keep.
    package var stored: String? { utf8.isEmpty ? nil : String(decoding: utf8, as: UTF8.self) }

    /// Records a change of a profile.
    ///
    /// - Parameters:
    ///   - changed: The fields whose values may change.
    ///   - columns: The columns of the fields.
    ///   - rows: The valid rows, which include the row with the new values.
    ///   - row: The row with the new values.
    ///   - before: Returns the stored value of a field, by its position in the schema.
    package init(
        of changed: FieldSet, in columns: RecordedColumns, to rows: ValidProfiles, row: Int,
        from before: (_ field: Int) -> String?
    ) {
        self.init(of: changed, in: columns, to: rows, row: row) { field, use in
            guard let text = before(field) else { return use(nil) }
            use(text.utf8Span.span)
        }
    }

    /// Records a change of a profile whose values are read as bytes.
    ///
    /// - Parameters:
    ///   - changed: The fields whose values may change.
    ///   - columns: The columns of the fields.
    ///   - rows: The valid rows, which include the row with the new values.
    ///   - row: The row with the new values.
    ///   - withValue: Passes the stored value of a field to the closure, by the field's position in the schema.
    package init(
        of changed: FieldSet, in columns: RecordedColumns, to rows: ValidProfiles, row: Int,
        withValue: (_ field: Int, _ use: (Span<UInt8>?) -> Void) -> Void
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        var setsPassword = false
        for index in columns.literals.indices where changed.contains(index) {
            let slot = rows.slot(row: row, field: index)
            guard let column = columns.literals[index] else {
                setsPassword = setsPassword || !slot.isAbsent
                continue
            }
            withValue(index) { before in
                let after = slot.isAbsent ? nil : rows.bytes.span.extracting(slot.range)
                if Self.isEqual(before, after) { return }
                bytes.append(contentsOf: bytes.isEmpty ? Self.beginning : Self.separator)
                bytes.append(contentsOf: column)
                Self.append(before, to: &bytes)
                bytes.append(UInt8(ascii: ","))
                Self.append(after, to: &bytes)
                bytes.append(UInt8(ascii: "]"))
            }
        }
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "}")) }
        if setsPassword {
            bytes.append(contentsOf: (bytes.isEmpty ? "{" : ",").utf8)
            bytes.append(contentsOf: "\"sets_password\":true".utf8)
        }
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "}")) }
        utf8 = bytes
    }

    private static let beginning = Array("{\"values\":{".utf8)
    private static let separator = Array(",".utf8)

    private static func append(_ value: Span<UInt8>?, to bytes: inout [UInt8]) {
        if let value { JSONValue.write(string: value, to: &bytes) } else { bytes.append(contentsOf: "null".utf8) }
    }

    private static func isEqual(_ left: Span<UInt8>?, _ right: Span<UInt8>?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isEqual(to: right)
    }

    /// Records the removal of a profile.
    package init(removing profile: Profile) {
        let values = profile.fields.compactMap { field in
            field.value.map { JSONMember(field.rules.column.text, [.string($0), .null]) }
        }
        utf8 =
            JSONValue.object([
                JSONMember("values", .object(values)),
                JSONMember("created_at", .number(profile.createdAt.millisecondsSince1970)),
                JSONMember("had_password", .bool(profile.hasPassword)),
            ]).utf8()
    }

    /// Records that a password was set.
    package static let newPassword: RecordedValues = {
        var recorded = RecordedValues()
        recorded.utf8 = JSONValue.object([JSONMember("sets_password", true)]).utf8()
        return recorded
    }()
}

/// The columns of a schema's fields, in the form in which ``RecordedValues`` contains them.
package struct RecordedColumns: Sendable {
    /// For each field, the JSON text before its values: the name of the column and `:[`. Nil for a secret field.
    fileprivate let literals: [[UInt8]?]

    package init(_ schema: ProfileSchema) {
        literals = schema.fields.map { field in
            field.isSecret ? nil : JSONValue.string(field.column.text).utf8() + Array(":[".utf8)
        }
    }
}

// MARK: Reading the stored form

extension HistoryEntry {
    /// Creates an entry from the columns that an engine has read.
    ///
    /// - Throws: `corrupt` if another program has changed the row.
    package init(
        change: Int64, part: Int64, kind: String?, profileIDs: ClosedRange<Int64>, revision: Int64?,
        changedAt: Timestamp, recorded: String?, author: String?, command: String?, undoes: Int64?,
        under schema: ProfileSchema
    ) throws(ProfileStoreError) {
        guard let kind = kind.flatMap(ProfileChange.Kind.init), let read = ReadValues(stored: recorded) else {
            throw .corrupt(.unreadableHistory)
        }
        self.init(
            change: change, part: part, kind: kind, profileIDs: profileIDs, revision: revision, changedAt: changedAt,
            author: author, command: command, undoes: undoes, values: read.values(under: schema),
            setsPassword: read.setsPassword,
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
        // The column of a removed field may have the name of a present field. The suffix distinguishes the two fields.
        let names = Set(schema.fields.map(\.name.text))
        return values
            + rest.map { former in
                let name = names.contains(former.column) ? former.column + " (former)" : former.column
                return HistoryEntry.ChangedValue(field: name, before: former.before, after: former.after)
            }
    }
}

extension JSONValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
