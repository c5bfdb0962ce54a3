internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

/// Writes many profiles to standard output. A table is written after its last row was added. Blocks, records and JSON
/// are written profile by profile. If a pager shows the blocks, all blocks are collected first.
struct ProfileListing: ~Copyable {
    private(set) var count = 0
    private let options: ListingOptions
    /// The text that the query searches for. Nil if the query has no search text.
    private let matches: ProfileMatches?
    /// The columns of `--columns`. Nil without that option.
    private let chosen: [ProfileColumn]?
    /// The columns to show: the columns of `--columns`, or else all fields that are not secret. In the text format, the
    /// revision follows the fields.
    private var columns: [ProfileColumn]
    /// The headings of `columns`.
    private let headings: [String]
    /// The columns that are left out last if the terminal is too narrow for the table.
    private var staying: Set<ProfileColumn>
    private var table: TextTable
    /// The blocks of all profiles so far. The method `end` shows them in a pager.
    private var blocks = ""
    private var records: ProfileRecordWriter?

    /// The maximum width of a cell in columns of a terminal. Without this limit, one long value would widen every line
    /// of the table.
    private static let widestCell = 64

    init(
        _ query: ProfileQuery, of schema: ProfileSchema, as options: ListingOptions
    ) throws(CommandFailure) {
        let chosen = try options.columns.map { columns throws(CommandFailure) in
            try schema.columns(told: columns.headers)
        }
        let fields = schema.openFields.map(ProfileColumn.field)
        let columns = chosen ?? (options.format == .text ? fields + [.fact(.revision)] : fields)
        records = try Self.records(columns, as: options)
        self.options = options
        self.chosen = chosen
        self.columns = columns
        matches = query.text.map { ProfileMatches(of: $0) }
        staying = Set(chosen ?? [.field(schema.primaryKey)])
        if case .fields(let fields) = query.order {
            staying.formUnion(fields.compactMap { schema[$0.field].map(ProfileColumn.field) })
        }
        headings = columns.map(schema.heading)
        table = TextTable(headings, widestCell: Self.widestCell)
    }

    private static func records(
        _ columns: [ProfileColumn], as options: ListingOptions
    ) throws(CommandFailure) -> ProfileRecordWriter? {
        guard let format = options.format.records else { return nil }
        do throws(ExportError) {
            return try ProfileRecordWriter(
                columns, as: format, spreadsheetSafe: options.spreadsheetSafe, to: Output.standard.descriptor)
        } catch {
            throw CommandFailure(writing: error)
        }
    }

    var isTable: Bool { options.format == .text && !options.expanded }

    mutating func add(_ profile: Profile) throws(CommandFailure) {
        switch options.format {
        case .text: if options.expanded { try addBlock(profile) } else { addRow(profile) }
        case .json:
            let separator = count == 0 ? "{\n  \"profiles\": [\n    " : ",\n    "
            try Output.standard.write(separator + json(of: profile).text(within: 4))
        case .csv, .tsv, .ndjson:
            do throws(ExportError) {
                try records?.write(profile, with: matches.map { [$0.member(of: profile)] } ?? [])
            } catch {
                throw CommandFailure(writing: error)
            }
        }
        count += 1
    }

    /// Writes the rest of the output, including the cursor of the next page. If `unjudged` is not nil, JSON output also
    /// contains this number of profiles that were not validated by the rules in force.
    ///
    /// - Returns: The names of the table's columns that did not fit.
    @discardableResult
    mutating func end(_ next: ProfileCursor?, unjudged: Int?) throws -> [String] {
        switch options.format {
        case .text:
            guard count > 0 else { return [] }
            if options.expanded {
                try Pager.show(blocks, isWanted: !options.noPager)
                return []
            }
            let fit = fit
            try Pager.show(table.text(fit, marking: Self.marking), isWanted: !options.noPager)
            return fit.fallen.map { columns[$0].name }
        case .json:
            let opening = count == 0 ? "{\n  \"profiles\": [" : "\n  "
            let cursor = next.map { JSONValue.string($0.description) } ?? .null
            let count = unjudged.map { ",\n  \"unjudged\": \($0)" } ?? ""
            try Output.standard.write(opening + "],\n  \"next\": \(cursor.text())\(count)\n}\n")
        case .csv, .tsv, .ndjson:
            do throws(ExportError) { try records.take()?.finish() } catch { throw CommandFailure(writing: error) }
        }
        return []
    }

    private func json(of profile: Profile) -> JSONValue {
        var members: [JSONMember] = []
        if let chosen {
            var values: [JSONMember] = []
            for column in chosen {
                switch column {
                case .fact(let fact): members.append(JSONMember(fact.rawValue, column.json(of: profile)))
                case .field(let rules): values.append(JSONMember(rules.name.text, column.json(of: profile)))
                }
            }
            if !values.isEmpty { members.append(JSONMember("values", .object(values))) }
        } else if case .object(let all) = profile.json {
            members = all
        }
        return .object(members + (matches.map { [$0.member(of: profile)] } ?? []))
    }

    // MARK: Text

    private mutating func addRow(_ profile: Profile) {
        // If a profile is invalid, the table gets a column for issues.
        if profile.status == .invalid, chosen == nil, columns.last != .fact(.issues) {
            columns.append(.fact(.issues))
            staying.insert(.fact(.issues))
            table.headings.append(ProfileFact.issues.title)
        }
        var cells = self.cells(of: profile)
        if profile.status == .valid, columns.last == .fact(.issues), chosen == nil { cells.removeLast() }
        for (column, cell) in zip(columns, cells) where !cell.marks.isEmpty { staying.insert(column) }
        table.add(cells)
    }

    private mutating func addBlock(_ profile: Profile) throws(CommandFailure) {
        var block = TextBlock()
        if count > 0 { block.addGap() }
        for (heading, cell) in zip(headings, cells(of: profile)) {
            block.add(heading, cell.value, marks: cell.marks)
        }
        if profile.status == .invalid, chosen == nil {
            for issue in profile.issues { block.add(ProfileFact.issues.title, issue.message) }
        }
        let text = block.text(marking: Self.marking)
        // On a terminal a pager shows all blocks together.
        if Output.standard.isTerminal, !options.noPager {
            blocks += text
        } else {
            try Output.standard.write(text)
        }
    }

    private func cells(of profile: Profile) -> [(value: String?, marks: [Range<String.Index>])] {
        columns.map { column in
            let value = column.value(of: profile)
            guard case .field = column, let value, let matches else { return (value, []) }
            return (value, matches.ranges(in: value))
        }
    }

    /// Fits the table to the width of the terminal. If the output is not a terminal, the table keeps its full width.
    private var fit: ColumnFit {
        let whole = columns.indices.filter { columns[$0].isWhole }
        let staying = columns.indices.filter { self.staying.contains(columns[$0]) }
        let width = Output.standard.isTerminal ? Output.standard.windowSize?.columns : nil
        return ColumnFit(table.columns(whole: Set(whole), staying: Set(staying)), within: width)
    }

    /// The control codes that start and end bold text. Both are empty if the output does not take control codes.
    private static var marking: (start: String, end: String) {
        Output.standard.takesControlCodes ? ("\u{1B}[1m", "\u{1B}[22m") : ("", "")
    }
}

/// Finds the ranges of profile values that match a text.
struct ProfileMatches {
    private let text: FoldedText

    init(of text: String) { self.text = FoldedText(text) }

    /// Returns the ranges of a field's value that match the text.
    func ranges(in value: String) -> [Range<String.Index>] { text.ranges(in: value) }

    /// Returns `"matches": [{"field","from","to"}]`. `from` and `to` are counted in Unicode code points of the stored
    /// value.
    func member(of profile: Profile) -> JSONMember {
        var matches: [JSONValue] = []
        for field in profile.fields {
            guard let value = field.value else { continue }
            let scalars = value.unicodeScalars
            for range in ranges(in: value) {
                let from = scalars.distance(from: scalars.startIndex, to: range.lowerBound)
                let to = from + scalars.distance(from: range.lowerBound, to: range.upperBound)
                matches.append(["field": .string(field.rules.name.text), "from": .number(from), "to": .number(to)])
            }
        }
        return JSONMember("matches", .array(matches))
    }
}

extension CommandFailure {
    /// Makes the failure for records that could not be written to standard output.
    fileprivate init(writing error: ExportError) {
        switch error {
        case .writing(let code): self = .cannotWrite("Standard output", code)
        case .store, .sorting: self.init(error)
        }
    }
}
