internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

// Makes a proposal from the evidence of the rows.
extension SchemaProposal {
    init(
        of source: String, _ found: InferenceSource.Found, _ evidence: BatchEvidence,
        keys: [Int: KeyCandidates.Finding], secrets: ChosenSecrets, options: InferenceOptions
    ) throws(InferenceError) {
        try Self.requireTyped(options, found, secrets)
        let keyColumns = try Self.key(among: found, evidence, keys, secrets, options)
        var maker = try ProposalMaker(
            found: found, evidence: evidence, keys: keys, key: keyColumns, secrets: secrets, options: options)
        if let key = keyColumns.first, keyColumns.count == 1 {
            let column = found.columns[key]
            if let type = column.type, type != .string { throw .keyOfType(column.name.header, type) }
        }
        for column in found.chosen { maker.add(column) }
        let schema = try maker.schema(named: options.name)
        self.source = source
        rows = evidence.rows
        isSample = found.isSample
        guessedEncoding = found.guessedEncoding
        let table = found.table
        let isHeaderLikeRows =
            table.map { $0.isInInput && evidence.oddities.shape.isLikeRows(header: $0.cells) } ?? false
        warnings =
            (table?.warnings ?? []) + evidence.oddities.warningsOfRows + (isHeaderLikeRows ? [.headerLikeRows] : [])
            + found.sheetWarnings
        let headers = keyColumns.map { found.columns[$0].name.header }
        key =
            switch options.chosenKey {
            case .rowNumber: .rowNumber
            case .content: .content
            default: headers.count > 1 ? .columns(headers) : headers.first.map(Key.column)
            }
        columns = maker.columns(of: schema)
        let fields = Set(columns.filter { $0.rules != nil }.map(\.header))
        ignoredColumns = found.headers.filter { !fields.contains($0) && !ImportColumns.rejectColumns.contains($0) }
        let settings = Self.settings(found, options, key: key, of: schema, ignoring: ignoredColumns)
        self.schema = key == nil ? nil : schema.importing(with: settings)
        chosenColumns = options.columns.isEmpty ? [] : fields
        refused = Self.refused(evidence, keyColumns, keys, misfits: maker.misfits)
    }

    /// Throws if a type is chosen for a column that does not exist, does not become a field, or holds secrets.
    private static func requireTyped(
        _ options: InferenceOptions, _ found: InferenceSource.Found, _ secrets: ChosenSecrets
    ) throws(InferenceError) {
        let open = found.chosen.filter { found.columns[$0].mayBeKey && !secrets.contains($0) }
            .map { found.columns[$0].name.header }
        for header in options.types.keys.sorted() where ColumnChoice.position(of: header, among: open) == nil {
            throw .unknownTyped(header)
        }
    }

    /// Returns the settings with which an import reads the next file in the same way.
    private static func settings(
        _ found: InferenceSource.Found, _ options: InferenceOptions, key: Key?, of schema: ProfileSchema,
        ignoring columns: [String]
    ) -> ImportSettings {
        var settings = ImportSettings()
        settings.encoding = options.encoding
        // The comma is the default.
        if found.delimiter != CSVDelimiter.comma.byte { settings.delimiter = found.delimiter }
        settings.layout = options.layout
        settings.key = key?.source ?? .column
        if settings.key == .content { settings.contentFields = schema.contentFields }
        settings.ignoredColumns = columns
        return settings
    }

    /// Returns the key columns: those that the options choose. If they choose no key, it is the first column with the
    /// name of a key whose values are unique in at least 99 of 100 rows. If there is none, it is the first column whose
    /// values are all unique (N3).
    private static func key(
        among found: InferenceSource.Found, _ evidence: BatchEvidence, _ keys: [Int: KeyCandidates.Finding],
        _ secrets: ChosenSecrets, _ options: InferenceOptions
    ) throws(InferenceError) -> [Int] {
        let columns = found.chosen.filter { found.columns[$0].mayBeKey && !secrets.contains($0) }
        switch options.chosenKey {
        case .columns(let headers):
            var chosen: [Int] = []
            for header in headers {
                let column = ColumnChoice.position(of: header, among: found.columns.map(\.name.header))
                guard let column, columns.contains(column) else { throw .unknownKey(header) }
                chosen.append(column)
            }
            return chosen
        case .rowNumber, .content: return []
        case .column, nil: break
        }
        let named = columns.compactMap { column in found.columns[column].name.keyRank.map { (rank: $0, column: column) }
        }
        .sorted { ($0.rank, $0.column) < ($1.rank, $1.column) }.map(\.column)
        // Without rows, only the names decide.
        let rows = evidence.columns.lazy.map(\.cells).max() ?? 0
        guard rows > 0 else { return named.first.map { [$0] } ?? [] }
        let found =
            named.first { keys[$0].map { $0.exceptions * 100 <= rows } ?? false }
            ?? columns.first { keys[$0]?.exceptions == 0 }
        return found.map { [$0] } ?? []
    }

    private static func refused(
        _ evidence: BatchEvidence, _ key: [Int], _ keys: [Int: KeyCandidates.Finding],
        misfits: CountedLines
    ) -> [RefusedRows] {
        var refused = evidence.refused
        refused[.unfitValue] = misfits
        if let finding = key.count > 1 ? keys[KeyCandidates.composite] : key.first.flatMap({ keys[$0] }) {
            refused[.noKey] = finding.missing
            refused[.repeatedKey] = finding.repeats
        }
        return RowRefusal.allCases.compactMap { reason in
            guard let rows = refused[reason], rows.count > 0 else { return nil }
            return RefusedRows(reason: reason, rows: rows)
        }
    }
}

/// The secret columns: those that become the field `password`, and those that are left out.
struct ChosenSecrets {
    /// The column of supported password hashes; nil if there is none.
    private(set) var hashes: Int?
    /// The column of passwords; nil if there is none, or if there is a column of hashes, because a profile has either a
    /// password or a hash.
    private(set) var passwords: Int?
    /// The secret columns that are left out, with the reason.
    private(set) var leftOut: [Int: ColumnDoubt.OmissionReason] = [:]

    init(_ found: InferenceSource.Found, _ evidence: BatchEvidence) {
        let names = found.columns.map(\.name)
        let columns = found.chosen.filter { found.columns[$0].omission == nil }
        let lists = Set(columns.filter { found.columns[$0].holdsJoinedLists })
        for column in columns {
            let found = evidence[column]
            // A joined list is neither a password nor a hash, and its elements must not be shown.
            if lists.contains(column), found.hashes > 0 || [.password, .hash].contains(names[column].secrecy) {
                leftOut[column] = .holdsLists
                continue
            }
            let holdsHashes = found.hashes > 0 && !found.isMixed && found.others.count * 100 <= found.values
            if holdsHashes || names[column].secrecy == .hash && found.values == 0 {
                if hashes == nil { hashes = column } else { leftOut[column] = .otherSecret }
            } else if found.hashes > 0 {
                // An ordinary field would store and show a person's hash. A password field would hash it again as if it
                // were a password.
                leftOut[column] = .someHashes
            } else if names[column].secrecy == .hash {
                leftOut[column] = .unsupportedHashes
            }
        }
        for column in columns where column != hashes && leftOut[column] == nil && names[column].secrecy == .password {
            if hashes == nil, passwords == nil { passwords = column } else { leftOut[column] = .otherSecret }
        }
    }

    /// Returns whether a column holds secrets. Such a column cannot be the key.
    func contains(_ column: Int) -> Bool { column == hashes || column == passwords || leftOut[column] != nil }
}
