internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// What a run of records has shown: one batch as its worker found it, or all of them together.
struct BatchEvidence: Sendable {
    /// Records that were looked at, whatever was wrong with them.
    private(set) var rows = 0
    /// By the position of the column.
    private(set) var columns: [ColumnEvidence]
    /// Records that no schema could take.
    private(set) var refused: [RowRefusal: CountedLines] = [:]
    /// Records that may be refused, in the order of the input.
    private(set) var doubtful: [DoubtfulRow] = []
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
        let rows = takeRows(of: batch)
        // By the positions of the rows.
        var doubtful: [Int: DoubtfulRow] = [:]
        for (index, column) in batch.columns.enumerated() {
            var unfit: [Int] = []
            columns.append(Self.evidence(of: column, rows, batch.records.batch, &unfit))
            for row in unfit {
                let holdsNul = Self.holdsNul(column.position, of: rows[row], batch.records.batch)
                let columns = holdsNul ? \DoubtfulRow.nulColumns : \.controlColumns
                doubtful[row, default: DoubtfulRow(line: rows[row].line)][keyPath: columns].insert(index)
            }
            for row in othersBesideHashes(of: column, index, rows, batch.records.batch) {
                doubtful[row, default: DoubtfulRow(line: rows[row].line)].otherColumns.insert(index)
            }
        }
        let certain = doubtful.isEmpty ? rows : rows.indices.filter { doubtful[$0] == nil }.map { rows[$0] }
        for (index, column) in batch.columns.enumerated() where column.mayBeKey && isCandidate(index) {
            keys[index] = Self.keys(of: column.position, certain, batch.records.batch)
            for row in doubtful.keys {
                let key = Self.key(in: column.position, of: rows[row], batch.records.batch)
                doubtful[row]?.keys.updateValue(key, forKey: index)
            }
        }
        self.doubtful = doubtful.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The positions of rows with something else than a hash in a column of hashes. A column in which they are many is
    /// mixed, and no row is refused for it.
    private mutating func othersBesideHashes(
        of column: InferenceColumn, _ index: Int, _ rows: [Row], _ records: borrowing RecordBatch
    ) -> [Int] {
        let found = columns[index]
        guard found.others.count > 0 else { return [] }
        let mayHoldHashes = found.hashes > 0 || column.name.secrecy == .hash
        guard mayHoldHashes, found.others.count <= Self.fewOthers + found.values / 100 else {
            columns[index].noteMixed()
            return []
        }
        return rows.indices.filter { row in
            let cell = Self.cell(of: column.position, in: rows[row], records).trimmed()
            return !cell.isEmpty && MissingToken.index(of: cell) == nil && PasswordHash.check(cell) != nil
        }
    }

    /// Other values in a batch, besides one in a hundred, with which a column may still be one of hashes: the whole input
    /// may have a hundred times as many.
    private static let fewOthers = 10

    private static func holdsNul(_ column: Int, of row: Row, _ records: borrowing RecordBatch) -> Bool {
        cell(of: column, in: row, records).contains(0)
    }

    /// The cell of a row; empty where an object has none for the column, since it has cells up to its last member's.
    @_lifetime(borrow records)
    private static func cell(of column: Int, in row: Row, _ records: borrowing RecordBatch) -> Span<UInt8> {
        column < row.cells.count ? records.cell(row.cells.lowerBound + column) : Span()
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
        of column: InferenceColumn, _ rows: [Row], _ records: borrowing RecordBatch, _ unfit: inout [Int]
    ) -> ColumnEvidence {
        var evidence = ColumnEvidence()
        guard column.omission == nil else { return evidence }
        let position = column.position
        let isSecret = column.isSecret
        for (index, row) in rows.enumerated() {
            guard position < row.cells.count else {
                evidence.addAbsent(1)
                continue
            }
            let cell = records.cell(row.cells.lowerBound + position)
            let isTaken =
                isSecret ? evidence.addSecret(cell, line: row.line) : evidence.add(cell, line: row.line)
            if !isTaken { unfit.append(index) }
        }
        return evidence
    }

    private static func keys(of column: Int, _ rows: [Row], _ records: borrowing RecordBatch) -> KeyEvidence {
        var fingerprints: [Fingerprint] = []
        fingerprints.reserveCapacity(rows.count)
        var missing = CountedLines()
        for row in rows {
            if let key = key(in: column, of: row, records) {
                fingerprints.append(key)
            } else {
                missing.add(line: row.line)
            }
        }
        return KeyEvidence(fingerprints, missing: missing)
    }

    /// The value of a row in a column that may be the key; nil where it has none.
    @inline(__always)
    private static func key(in column: Int, of row: Row, _ records: borrowing RecordBatch) -> Fingerprint? {
        let value = cell(of: column, in: row, records).trimmed()
        return value.isEmpty || MissingToken.isSign(value) ? nil : Fingerprint(of: value, line: row.line)
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
        let room = Self.mostDoubtful - doubtful.count
        doubtful += later.doubtful.prefix(room)
        for row in later.doubtful.dropFirst(room) {
            refuse(row, as: row.otherColumns.isEmpty ? .controlCharacter : .unsupportedHash)
        }
    }

    /// The most rows whose refusal waits for the end of the input; further ones are refused at once.
    private static let mostDoubtful = 100_000

    /// Records that could be looked at cell by cell.
    var soundRows: Int {
        rows - refused.reduce(0) { $0 + (Self.reasonsInCells.contains($1.key) ? 0 : $1.value.count) }
    }

    /// Records whose keys count, without those of which it is not known yet.
    var certainRows: Int {
        soundRows - doubtful.count - Self.reasonsInCells.reduce(0) { $0 + (refused[$1]?.count ?? 0) }
    }

    private static let reasonsInCells: [RowRefusal] = [.controlCharacter, .unsupportedHash]

    /// Refuses the doubtful rows that have to be, now that it is known what becomes of each column.
    ///
    /// - Returns: The others.
    mutating func settle(isField: (Int) -> Bool, hashes: Int?) -> [DoubtfulRow] {
        var taken: [DoubtfulRow] = []
        for row in doubtful {
            if let reason = row.refusal(isField: isField, hashes: hashes) {
                refuse(row, as: reason)
            } else {
                taken.append(row)
            }
        }
        doubtful = []
        return taken
    }

    private mutating func refuse(_ row: DoubtfulRow, as reason: RowRefusal) {
        refused[reason, default: CountedLines()].add(line: row.line)
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
