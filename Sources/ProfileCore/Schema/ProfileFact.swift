/// A fact that a store keeps about a profile beside its fields.
///
/// In files, queries and options, the name of a fact begins with `_`, so it differs from the name of every field.
package enum ProfileFact: String, Hashable, CaseIterable, Sendable {
    case id
    case revision
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case schemaVersion = "schema_version"
    case status
    case issues

    /// The fact with this name in files, queries and options. Nil if no fact has the name.
    package init?(name: String) {
        guard name.first == "_" else { return nil }
        self.init(rawValue: String(name.dropFirst()))
    }

    /// The name of the fact in files, queries and options.
    package var name: String { "_" + rawValue }

    /// The title of the fact for people.
    package var title: String {
        switch self {
        case .id: "Id"
        case .revision: "Revision"
        case .createdAt: "Created"
        case .updatedAt: "Updated"
        case .schemaVersion: "Schema version"
        case .status: "Status"
        case .issues: "Issues"
        }
    }

    /// Whether the values are numbers.
    package var isNumber: Bool { type == .integer }

    /// The fact as a field that a query can compare and sort by. Nil if a query cannot do this.
    package var rules: FieldRules? { self == .issues ? nil : column }

    /// The fact as a column of a table.
    package var column: FieldRules {
        var rules = FieldRules(name: FieldName(of: self), title: title, type: type)
        if self == .status { rules.allowedValues = ["valid", "invalid"] }
        return rules
    }

    private var type: FieldType {
        switch self {
        case .id, .revision, .schemaVersion: .integer
        case .createdAt, .updatedAt: .dateTime
        case .status, .issues: .string
        }
    }

    /// If the fact is a time, converts a day to the start of that day in UTC. Any other value is returned unchanged.
    func completed(_ value: String) -> String {
        type == .dateTime && CalendarDay(iso: value.trimmed) != nil ? value.trimmed + "T" + "00:00:00Z" : value
    }

    /// Returns a value in the form in which a store shows the fact. Times have at least milliseconds, and end with `Z`.
    func stored(_ value: String) -> String {
        guard type == .dateTime else { return value }
        let parts = value.split(separator: ".", maxSplits: 1).map { $0.filter { $0 != "Z" } }
        let fraction = parts.dropFirst().first ?? ""
        return "\(parts.first ?? "").\(fraction)\(String(repeating: "0", count: max(0, 3 - fraction.count)))Z"
    }
}
