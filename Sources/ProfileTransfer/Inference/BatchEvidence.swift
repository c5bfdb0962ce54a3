internal import CSVStream
internal import ProfileCore

/// What a run of records has shown: one batch as its worker found it, or all of them together.
struct BatchEvidence: Sendable {
    /// Records that were looked at, whatever was wrong with them.
    private(set) var rows = 0
    /// By the position of the column.
    private(set) var columns: [ColumnEvidence]
    /// Records that no schema could take.
    private(set) var refused: [RowRefusal: CountedLines] = [:]
    /// What is odd about the records, and was read all the same.
    private(set) var oddities = InputOddities()
    /// The values of each column that may be the key, in this batch alone: who merges batches takes them out.
    private(set) var keys: [Int: KeyEvidence] = [:]

    /// A record that can be looked at cell by cell.
    fileprivate struct Row {
        let cells: Range<Int>
        let line: Int
    }

    /// Nothing yet.
    init() { columns = [] }

    /// Looks at the records of a batch.
    ///
    /// - Parameters:
    ///   - batch: What was read.
    ///   - isCandidate: Whether a column may still be the key.
    init(of batch: InferenceBatch, isCandidate: (Int) -> Bool) {
        columns = []
        oddities = InputOddities(of: batch.records.batch)
        if let header = batch.header {
            oddities.shape.look(at: batch.records.batch, header: header, firstLength: header.first?.utf8.count)
        }
        var sound = takeRows(of: batch)
        var unfit: Set<Int> = []
        let firstPassword = batch.columns.firstIndex { $0.name.secrecy == .password && $0.omission == nil }
        for (index, column) in batch.columns.enumerated() {
            var unfitHere: Set<Int> = []
            columns.append(Self.evidence(of: column, sound, batch.records.batch, &unfitHere))
            // A further column of passwords becomes no field, so that nothing is refused for what it holds.
            if column.name.secrecy != .password || index == firstPassword { unfit.formUnion(unfitHere) }
        }
        if !unfit.isEmpty {
            for row in unfit { refused[.controlCharacter, default: CountedLines()].add(line: sound[row].line) }
            sound = sound.indices.filter { !unfit.contains($0) }.map { sound[$0] }
        }
        for (index, column) in batch.columns.enumerated() where column.mayBeKey && isCandidate(index) {
            keys[index] = Self.keys(of: column.position, sound, batch.records.batch)
        }
    }

    /// Counts the records, and finds those that have a cell for each column.
    private mutating func takeRows(of batch: InferenceBatch) -> [Row] {
        var sound: [Row] = []
        sound.reserveCapacity(batch.count)
        for (index, record) in batch.records.batch.records.prefix(batch.count).enumerated() {
            rows += 1
            if let refusal = batch.faults[index] ?? record.fault.map(RowRefusal.init) {
                refused[refusal, default: CountedLines()].add(line: record.line)
            } else if let header = batch.header, record.cells.count != header.count {
                refused[.cellCount, default: CountedLines()].add(line: record.line)
            } else if let header = batch.header,
                batch.records.batch.isHeader(record, header, firstLength: header.first?.utf8.count)
            {
                refused[.headerAgain, default: CountedLines()].add(line: record.line)
            } else {
                sound.append(Row(cells: record.cells, line: record.line))
            }
        }
        return sound
    }

    /// Column by column, so that what is asked of a cell is mostly what was asked of the one before.
    private static func evidence(
        of column: InferenceColumn, _ rows: [Row], _ records: borrowing RecordBatch, _ unfit: inout Set<Int>
    ) -> ColumnEvidence {
        var evidence = ColumnEvidence()
        guard column.omission == nil else { return evidence }
        let position = column.position
        let isSecret = column.isSecret
        for (index, row) in rows.enumerated() {
            // An object has cells up to its last member's.
            guard position < row.cells.count else {
                evidence.addAbsent(1)
                continue
            }
            let cell = records.cell(row.cells.lowerBound + position)
            let isTaken =
                isSecret ? evidence.addSecret(cell, line: row.line) : evidence.add(cell, line: row.line)
            if !isTaken { unfit.insert(index) }
        }
        return evidence
    }

    private static func keys(of column: Int, _ rows: [Row], _ records: borrowing RecordBatch) -> KeyEvidence {
        var fingerprints: [Fingerprint] = []
        fingerprints.reserveCapacity(rows.count)
        var missing = CountedLines()
        for row in rows {
            let value = column < row.cells.count ? records.cell(row.cells.lowerBound + column).trimmed() : Span()
            if value.isEmpty || MissingToken.isSign(value) {
                missing.add(line: row.line)
            } else {
                fingerprints.append(Fingerprint(of: value, line: row.line))
            }
        }
        return KeyEvidence(fingerprints, missing: missing)
    }

    /// What the values of a column have shown; nothing where there are no rows.
    subscript(column: Int) -> ColumnEvidence { column < columns.count ? columns[column] : ColumnEvidence() }

    /// Adds what later records have shown, but for their keys. They have every column that these have.
    mutating func merge(_ later: BatchEvidence) {
        let before = soundRows
        for (index, column) in later.columns.enumerated() {
            if index == columns.count {
                columns.append(ColumnEvidence())
                columns[index].addAbsent(before)
            }
            columns[index].merge(column)
        }
        rows += later.rows
        oddities += later.oddities
        refused.merge(later.refused) { $0.merged(with: $1) }
    }

    /// Records that could be looked at cell by cell.
    var soundRows: Int {
        rows - refused.reduce(0) { $0 + ($1.key == .controlCharacter ? 0 : $1.value.count) }
    }
}

/// The values of one batch in a column that may be the key.
struct KeyEvidence: Sendable {
    let run: FingerprintRun
    let repeats: CountedLines
    /// Rows without a value.
    let missing: CountedLines

    init(_ fingerprints: [Fingerprint], missing: CountedLines) {
        var repeats = CountedLines()
        run = FingerprintRun(fingerprints, repeats: &repeats)
        self.repeats = repeats
        self.missing = missing
    }
}
