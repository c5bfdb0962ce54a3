internal import CSVStream
internal import Platform
internal import ProfileCore
internal import ProfileStore

/// Compares each valid row with the stored profile that has the same key. Compares the bytes of the values.
struct RowComparison {
    /// The result for one row.
    enum Outcome {
        /// The row would change nothing.
        case unchanged
        case changed(RowUpdate)
        /// The comparison cannot decide. The row and the profile must be merged, and the result must be validated.
        case undecided
    }

    /// The fields for which the input has values, except the secret field. `column` is nil if the value is computed.
    /// `cell` is the position of the field's value among the values of a stored match.
    private let fields: [(field: Int, column: Int?, cell: Int)]
    /// The secret field, and the position of the hash in a stored match.
    private let hash: (field: Int, cell: Int)?
    /// The version of the rules in force. If this version validated a stored profile, the fields without a column stay
    /// valid, because an update does not change their values. Nil if such a field may become invalid: it has a limit
    /// that depends on the current day, or it forms the key together with a field that has a column.
    private let keepingVersion: Int?
    /// Whether `fields` contains all fields that are not secret.
    private let isComplete: Bool
    let recordedColumns: RecordedColumns
    /// For each field of the schema, the position of its value in a stored match. The password's hash follows the values.
    private let cells: [Int]

    /// - Parameters:
    ///   - columns: The columns of the fields.
    ///   - schema: The rules in force.
    ///   - version: The version of the rules in force.
    init(_ columns: ImportColumns, _ schema: ProfileSchema, version: Int) {
        var fields: [(field: Int, column: Int?, cell: Int)] = []
        var isComplete = true
        var keptMayBreakRules = false
        var cell = 0
        for (index, rules) in schema.fields.enumerated() where !rules.isSecret {
            let isComputed = index == columns.computedKey?.field
            if columns.columnOfField[index] != nil || isComputed {
                fields.append((index, isComputed ? nil : columns.columnOfField[index], cell))
            } else {
                isComplete = false
                if rules.minimum == .today || rules.maximum == .today { keptMayBreakRules = true }
            }
            cell += 1
        }
        // If the input has columns for only some parts of the key, an update may change these parts. The stored key may
        // then differ from the key that all parts form.
        let parts = schema.keyParts.count { columns.columnOfField[$0] != nil }
        if 1..<max(1, schema.keyParts.count) ~= parts { keptMayBreakRules = true }
        self.fields = fields
        self.isComplete = isComplete
        recordedColumns = RecordedColumns(schema)
        cells = schema.fields.map { schema.openIndex(of: $0.name) ?? schema.openFields.count }
        keepingVersion = keptMayBreakRules ? nil : version
        hash = columns.columnOfHash == nil ? nil : columns.secretField.map { ($0, cell) }
    }

    /// Compares a row with the stored profile at this position of `matches`.
    func outcome(
        ofRow row: Int, of judged: JudgedBatch, match position: Int, of matches: StoredMatches
    ) -> Outcome {
        let rows = judged.rows
        let stored = matches[position]
        guard stored.isValid, isComplete || stored.schemaVersion == keepingVersion,
            rows.passwords.isEmpty || rows.passwords[row] == nil, !rows.hashIsJudged(row: row), isWhole(row, of: judged)
        else { return .undecided }
        var changed = FieldSet()
        rows.bytes.withUnsafeBufferPointer { bytes in
            for (field, _, cell) in fields {
                let slot = rows.slot(row: row, field: field)
                if !Self.isEqual(slot, bytes, position, cell, of: matches) { changed.insert(field) }
            }
            if let hash {
                let slot = rows.slot(row: row, field: hash.field)
                if !slot.isAbsent, !Self.isEqual(slot, bytes, position, hash.cell, of: matches) {
                    changed.insert(hash.field)
                }
            }
        }
        guard !changed.isEmpty else { return .unchanged }
        let recorded = RecordedValues(of: changed, in: recordedColumns, to: rows, row: row) { field, use in
            let cell = cells[field]
            use(matches.isAbsent(position, cell) ? nil : matches.cell(position, cell))
        }
        return .changed(
            RowUpdate(
                id: stored.id, revision: stored.revision, with: rows, row: row, fields: changed, recorded: recorded))
    }

    /// Whether the record of a row has a cell for each of `fields`. A JSON object may have no member for a field. In
    /// this case, the profile keeps its value of the field.
    private func isWhole(_ row: Int, of judged: JudgedBatch) -> Bool {
        guard judged.batch.records.hasAbsentCells else { return true }
        let first = judged.batch.records.records[judged.rows.origins[row].record - judged.firstNumber].cells.lowerBound
        return fields.allSatisfy { $0.column.map { !judged.batch.records.isAbsent(first + $0) } ?? true }
    }

    @inline(__always)
    private static func isEqual(
        _ slot: ValidProfiles.Slot, _ bytes: UnsafeBufferPointer<UInt8>, _ position: Int, _ cell: Int,
        of matches: StoredMatches
    ) -> Bool {
        guard !slot.isAbsent, !matches.isAbsent(position, cell) else {
            return slot.isAbsent && matches.isAbsent(position, cell)
        }
        let new = UnsafeBufferPointer(rebasing: bytes[slot.range])
        return matches.cell(position, cell).withUnsafeBufferPointer { stored in
            guard stored.count == new.count else { return false }
            guard let old = stored.baseAddress, let new = new.baseAddress else { return true }
            return memcmp(old, new, stored.count) == 0
        }
    }
}
