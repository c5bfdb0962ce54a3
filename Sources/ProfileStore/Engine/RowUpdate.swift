package import ProfileCore

/// An update of a stored profile with some values of a row. The other values stay. The resulting profile is valid.
package struct RowUpdate: Sendable {
    /// The id of the stored profile.
    package let id: Int64
    /// The revision that the profile had when the row was compared with it.
    package let revision: Int64
    /// The valid rows, which include the row with the new values.
    package let rows: ValidProfiles
    package let row: Int
    /// The fields whose value changes, including the secret field if there is a new hash.
    package let fields: FieldSet
    /// The changed values, for the history.
    package let recorded: RecordedValues

    package init(
        id: Int64, revision: Int64, with rows: ValidProfiles, row: Int, fields: FieldSet, recorded: RecordedValues
    ) {
        self.id = id
        self.revision = revision
        self.rows = rows
        self.row = row
        self.fields = fields
        self.recorded = recorded
    }

    /// Creates an update that replaces all values of a profile by the values of the only row in `rows`.
    package init(of stored: Profile, with rows: ValidProfiles, judgedBy schema: ProfileSchema) {
        let all = FieldSet(0..<rows.fieldCount)
        self.init(
            id: stored.id, revision: stored.revision, with: rows, row: 0, fields: all,
            recorded: RecordedValues(of: all, in: RecordedColumns(schema), to: rows, row: 0) {
                stored[schema.fields[$0].name]
            })
    }

    /// The entry for the history.
    package func record(_ kind: ProfileChange.Kind) -> HistoryRecord {
        HistoryRecord(kind, id...id, revision: revision + 1, recorded)
    }

    /// The changes of an edit of one profile.
    package func edit(setsPassword: Bool) -> [LoggedChange] {
        LoggedChange.edited(id, revision: revision + 1, recorded, setsPassword: setsPassword)
    }

    /// Returns the new hash of the password; nil if the password stays.
    package func newHash(in secretField: Int?) -> String? {
        guard let secretField, fields.contains(secretField) else { return nil }
        return rows.text(row: row, field: secretField)
    }
}

/// A set of a schema's fields, by their position in the schema.
package struct FieldSet: Hashable, Sendable {
    /// 128 bits are enough, because a schema has at most 100 fields.
    private var bits: UInt128 = 0

    package init() {}

    package init(_ fields: some Sequence<Int>) { for field in fields { insert(field) } }

    package var isEmpty: Bool { bits == 0 }

    package func contains(_ field: Int) -> Bool { bits & 1 << UInt128(field) != 0 }

    package func isDisjoint(with other: FieldSet) -> Bool { bits & other.bits == 0 }

    package mutating func insert(_ field: Int) { bits |= 1 << UInt128(field) }
}
