internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// Many profiles on standard output: a table, written when its last row is known, or JSON, written profile by profile.
struct ProfileListing {
    private(set) var count = 0
    private let format: OutputFormat
    private let fields: [FieldRules]
    private var table: TextTable

    /// In columns of a terminal; one long value must not make every line of the table as long.
    private static let widestCell = 64

    init(of repository: ProfileRepository, as format: OutputFormat) {
        self.format = format
        fields = repository.schema.openFields
        table = TextTable(fields.map(\.title) + ["Revision"], widestCell: Self.widestCell)
    }

    mutating func add(_ profile: Profile) throws(CommandFailure) {
        switch format {
        case .text: addRow(profile)
        case .json:
            let separator = count == 0 ? "{\n  \"profiles\": [\n    " : ",\n    "
            try Output.standard.write(separator + profile.json.text(within: 4))
        }
        count += 1
    }

    /// Writes what is left, with the place to go on after, and where it was counted how many profiles are not judged yet.
    func end(_ next: ProfileCursor?, unjudged: Int?) throws(CommandFailure) {
        switch format {
        case .text: if count > 0 { try Output.standard.write(table.text) }
        case .json:
            let opening = count == 0 ? "{\n  \"profiles\": [" : "\n  "
            let cursor = next.map { JSONValue.string($0.description) } ?? .null
            let count = unjudged.map { ",\n  \"unjudged\": \($0)" } ?? ""
            try Output.standard.write(opening + "],\n  \"next\": \(cursor.text())\(count)\n}\n")
        }
    }

    private mutating func addRow(_ profile: Profile) {
        var cells = fields.map { profile[$0.name] } + [String(profile.revision)]
        if profile.status == .invalid {
            // A column of its own, where any profile is.
            if table.headings.count == cells.count { table.headings.append("Issues") }
            cells.append(profile.issues.map(\.message).joined(separator: "; "))
        }
        table.add(cells)
    }
}
