package import ProfileCore

/// A proposed schema as the screen shows it.
package struct ProposedTable: Hashable, Sendable {
    package let columns: [ProposedColumn]
    /// The source of the key; nil if nothing can be the key.
    package let key: KeySource?
    /// The number of rows and of those that are rejected, in a few words.
    package let summary: String
    /// Notes about the file as a whole.
    package let notes: [String]

    package init(columns: [ProposedColumn], key: KeySource?, summary: String, notes: [String]) {
        self.columns = columns
        self.key = key
        self.summary = summary
        self.notes = notes
    }

    /// The headers of the columns of the key.
    var keyHeaders: [String] { if case .columns(let headers) = key { headers } else { [] } }
}

/// A column of the file, with the field that is proposed for it.
package struct ProposedColumn: Hashable, Sendable {
    package let header: String
    /// The name of the field; nil for a column that is left out.
    package let field: String?
    /// The type in a few words.
    package let type: String
    /// The type in the schema; nil for a column that is left out.
    package let fieldType: FieldType?
    /// The rules in a few words; empty if there are none.
    package let rules: String
    /// The share of rows with a value, such as `98 %`; empty if the values were not counted.
    package let filled: String
    package let examples: [String]
    /// The doubts that a person should look at.
    package let doubts: [String]
    /// Remarks that need no decision, such as the rules that were left out.
    package let remarks: [String]
    /// The unusual values, each with the reason.
    package let unusual: [String]
    /// Whether the column holds secrets. Such a column cannot be the key, and the user cannot change its type or name.
    package let isSecret: Bool

    package init(
        header: String, field: String?, type: String, fieldType: FieldType?, rules: String, filled: String,
        examples: [String], doubts: [String], remarks: [String], unusual: [String], isSecret: Bool
    ) {
        self.header = header
        self.field = field
        self.type = type
        self.fieldType = fieldType
        self.rules = rules
        self.filled = filled
        self.examples = examples
        self.doubts = doubts
        self.remarks = remarks
        self.unusual = unusual
        self.isSecret = isSecret
    }
}
