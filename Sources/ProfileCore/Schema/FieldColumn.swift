/// The name of the table column in which a store keeps the values of a field.
///
/// ``FieldRules/column`` is the only place that maps a field to its column. Engines must not derive a column from the
/// name of a field: a renamed field keeps its column.
package struct FieldColumn: Hashable, Comparable, Sendable {
    /// The name without quotes. It consists of lower-case ASCII letters, digits and underscores, and may end with a
    /// dollar sign and a number.
    package let text: String

    /// The column of the primary key in every store.
    package static let username = FieldColumn(of: .username)
    /// A column that has an index in every SQLite store.
    package static let phone = FieldColumn(of: .phone)

    /// Creates the default column of a field that is not the primary key.
    ///
    /// The column has the name of the field. If the table has a column of its own by that name, a dollar sign follows
    /// the name. No field has a dollar sign in its name, so fields with different names have different columns.
    package init(of field: FieldName) {
        text = Self.ownNames.contains(field.text) ? field.text + "$" : field.text
    }

    /// Creates an alternative column for a field of this name, such as `city$2`. A store needs it if the default column
    /// contains the values of a renamed or removed field.
    package init(of field: FieldName, number: Int) {
        let end = "$\(number)"
        text = field.text.prefix(FieldName.longestLength - end.count) + end
    }

    /// Creates the column of a new field: the default column, or the first alternative column, that is not in `used`.
    package init(of field: FieldName, besides used: Set<FieldColumn>) {
        self.init(of: field)
        var number = 2
        while used.contains(self) {
            self.init(of: field, number: number)
            number += 1
        }
    }

    /// Reads the name of a column in a table. Returns nil if no field has such a column.
    package init?(_ text: String) {
        let parts = text.split(separator: "$", maxSplits: 1, omittingEmptySubsequences: false)
        guard let field = FieldName(String(parts[0])) else { return nil }
        if parts.count == 2, let number = Int(parts[1]), number >= 2 {
            self.init(of: field, number: number)
        } else {
            self.init(of: field)
        }
        if self.text != text { return nil }
    }

    /// The ``ProfileFact`` with the name of this column; nil for the column of a field. An engine computes the text of
    /// the fact from its own columns.
    package var fact: ProfileFact? { ProfileFact(name: text) }

    /// The names that the table of profiles gives to its own columns, and the names that SQLite gives to a row's id.
    private static let ownNames: Set = [
        "id", "revision", "created_at", "updated_at", "schema_version", "issues", "password_hash",
        "password_schema_version", "password_is_judged", "passcode_hash", "rowid", "oid",
    ]

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
