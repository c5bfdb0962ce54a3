internal import ProfileCore

// From what the rows have shown to a schema.
extension SchemaProposal {
    init(
        of source: String, _ names: [ColumnName], _ evidence: BatchEvidence, keys: [Int: KeyCandidates.Finding],
        isSample: Bool, guessedEncoding: String?, options: InferenceOptions
    ) throws(InferenceError) {
        let chosen = try Self.chosen(names, options)
        let secrets = ChosenSecrets(chosen, names, evidence)
        let keyColumn = Self.key(among: chosen, names, evidence, keys)
        var maker = ProposalMaker(names: names, evidence: evidence, keys: keys, key: keyColumn, secrets: secrets)
        for column in chosen { maker.add(column) }
        let schema = try maker.schema(named: options.name)
        self.source = source
        rows = evidence.rows
        self.isSample = isSample
        self.guessedEncoding = guessedEncoding
        let isHeaderLikeRows = evidence.oddities.shape.isLikeRows(header: names.map(\.header))
        warnings = evidence.oddities.warningsOfRows + (isHeaderLikeRows ? [.headerLikeRows] : [])
        key = keyColumn.map { .column(names[$0].header) } ?? (options.keysByRow ? .rowNumber : nil)
        self.schema = key == nil ? nil : schema
        columns = maker.columns(of: schema)
        ignoredColumns = names.indices.filter { !maker.fieldColumns.contains($0) && !names[$0].isOfRejects }
            .map { names[$0].header }
        mappings = maker.mappings
        refused = Self.refused(evidence, keyColumn, keys, secrets)
    }

    /// The columns that become fields, by position.
    private static func chosen(_ names: [ColumnName], _ options: InferenceOptions) throws(InferenceError) -> [Int] {
        var chosen = names.indices.filter { !names[$0].isOfRejects }
        if !options.columns.isEmpty {
            let wanted = options.columns.map { ColumnName($0) }
            if let unknown = wanted.first(where: { one in !names.contains { $0.isMeant(by: one) } }) {
                throw .unknownColumn(unknown.header)
            }
            chosen = chosen.filter { index in wanted.contains { names[index].isMeant(by: $0) } }
        }
        let headers = chosen.map { names[$0].header }.filter { !$0.isEmpty }
        if let twice = headers.enumerated().first(where: { headers[..<$0.offset].contains($0.element) })?.element {
            throw .input(.columnTwice(twice))
        }
        guard chosen.count <= ProfileSchema.mostFields else {
            throw .tooManyColumns(chosen.count, most: ProfileSchema.mostFields)
        }
        return chosen
    }

    /// The first by name whose values are each row's own in 99 rows of a hundred, else the first without exception (N3).
    private static func key(
        among chosen: [Int], _ names: [ColumnName], _ evidence: BatchEvidence, _ keys: [Int: KeyCandidates.Finding]
    ) -> Int? {
        let named = chosen.filter { names[$0].keyRank != nil && ProposalMaker.isNamed(names[$0]) }
            .sorted { (names[$0].keyRank ?? 0, $0) < (names[$1].keyRank ?? 0, $1) }
        // Without rows there are names alone to go by.
        guard let rows = evidence.columns.first?.cells, rows > 0 else { return named.first }
        return named.first { keys[$0].map { $0.exceptions * 100 <= rows } ?? false }
            ?? chosen.first { ProposalMaker.isNamed(names[$0]) && keys[$0]?.exceptions == 0 }
    }

    private static func refused(
        _ evidence: BatchEvidence, _ key: Int?, _ keys: [Int: KeyCandidates.Finding], _ secrets: ChosenSecrets
    ) -> [RefusedRows] {
        var refused = evidence.refused
        if let finding = key.flatMap({ keys[$0] }) {
            refused[.noKey] = finding.missing
            refused[.repeatedKey] = finding.repeats
        }
        if let hashes = secrets.hashes { refused[.unsupportedHash] = evidence[hashes].others }
        return RowRefusal.allCases.compactMap { reason in
            guard let rows = refused[reason], rows.count > 0 else { return nil }
            return RefusedRows(reason: reason, rows: rows)
        }
    }
}

extension ColumnName {
    /// Whether a file of rejected rows has added it, so that an import passes over it.
    var isOfRejects: Bool { ImportColumns.rejectColumns.contains(header) }

    fileprivate func isMeant(by other: ColumnName) -> Bool {
        header == other.header || !folded.isEmpty && folded == other.folded
    }
}

/// The columns that become the field of passwords, and those that cannot.
struct ChosenSecrets {
    /// The column of hashes that can be checked.
    private(set) var hashes: Int?
    /// The column of passwords; none beside hashes, since a row has one of the two.
    private(set) var passwords: Int?
    /// Secrets that are left out.
    private(set) var leftOut: [Int: ColumnDoubt.OmissionReason] = [:]

    init(_ columns: [Int], _ names: [ColumnName], _ evidence: BatchEvidence) {
        for column in columns {
            let found = evidence[column]
            let holdsHashes = found.hashes > 0 && found.others.count * 100 <= found.values
            if holdsHashes || names[column].secrecy == .hash && found.values == 0 {
                if hashes == nil { hashes = column } else { leftOut[column] = .otherSecret }
            } else if names[column].secrecy == .hash {
                leftOut[column] = .unsupportedHashes
            }
        }
        for column in columns where column != hashes && leftOut[column] == nil && names[column].secrecy == .password {
            if hashes == nil, passwords == nil { passwords = column } else { leftOut[column] = .otherSecret }
        }
    }
}
