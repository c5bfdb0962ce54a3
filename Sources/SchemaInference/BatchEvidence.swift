internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// The evidence from the records of one batch, or the merged evidence of all batches. A single worker examines a whole
/// batch.
struct BatchEvidence: Sendable {
    /// The number of records that were examined, including faulty ones.
    private(set) var rows = 0
    /// The evidence of each column, by the column's position.
    private(set) var columns: [ColumnEvidence]
    /// The records that no schema could accept, by the reason.
    private(set) var refused: [RowRefusal: CountedLines] = [:]
    /// The records that may be refused later, in the order of the input.
    private(set) var doubtful: [DoubtfulRow] = []
    /// The oddities that did not prevent reading the records.
    private(set) var oddities = InputOddities()
    /// The evidence from this batch about each candidate for the key column. `merge(_:)` does not merge this evidence.
    private(set) var keys: [Int: KeyEvidence] = [:]

    /// A record whose cells can be examined.
    fileprivate struct Row {
        let cells: Range<Int>
        let line: Int
    }

    /// Makes empty evidence.
    init() { columns = [] }

    /// Examines the records of a batch.
    ///
    /// - Parameters:
    ///   - batch: The records that were read.
    ///   - options: The options of the inference.
    ///   - isCandidate: Returns whether a column may still be the key.
    init(of batch: InferenceBatch, _ options: InferenceOptions, isCandidate: (Int) -> Bool) {
        columns = []
        oddities = InputOddities(of: batch.records.batch)
        if let header = batch.header {
            oddities.shape.look(at: batch.records.batch, header: header)
        }
        let rows = takeRows(of: batch)
        // The doubtful rows, by their position in `rows`.
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
        var candidates = batch.columns.enumerated().filter { $1.mayBeKey && isCandidate($0) }
            .map { (index: $0, parts: [$1.position]) }
        if options.keyHeaders.count > 1 {
            candidates.append((KeyCandidates.composite, Self.parts(of: options.keyHeaders, in: batch.columns)))
        }
        for (index, parts) in candidates {
            keys[index] = Self.keys(of: parts, certain, batch.records.batch)
            for row in doubtful.keys {
                let key = Self.key(of: parts, in: rows[row], batch.records.batch)
                doubtful[row]?.keys.updateValue(key, forKey: index)
            }
        }
        self.doubtful = doubtful.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the positions of rows that have a value other than a hash in a column of hashes. If there are many such
    /// values, the column is marked as mixed, and no row is refused because of this column.
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

    /// In a column of hashes, at most one in a hundred values of the whole input may be something else. The limit for a
    /// single batch is higher by this number.
    private static let fewOthers = 10

    private static func holdsNul(_ column: Int, of row: Row, _ records: borrowing RecordBatch) -> Bool {
        cell(of: column, in: row, records).contains(0)
    }

    /// Returns the cell of a row. The record of a JSON object ends with the cell of the object's last member. For the
    /// columns after it, an empty cell is returned.
    @_lifetime(borrow records)
    private static func cell(of column: Int, in row: Row, _ records: borrowing RecordBatch) -> Span<UInt8> {
        column < row.cells.count ? records.cell(row.cells.lowerBound + column) : Span()
    }

    /// Counts the records, and returns those whose cells can be examined.
    private mutating func takeRows(of batch: InferenceBatch) -> [Row] {
        var sound: [Row] = []
        sound.reserveCapacity(batch.count)
        for (index, record) in batch.records.batch.records.prefix(batch.count).enumerated() {
            rows += 1
            if let refusal = batch.faults[index] ?? record.fault.map(RowRefusal.init) {
                refused[refusal, default: CountedLines()].add(line: record.line)
            } else if let header = batch.header, record.cells.count != header.cells.count {
                refused[.cellCount, default: CountedLines()].add(line: record.line)
                if record.cells.count < header.cells.count { oddities.shortRows.add(line: record.line) }
            } else if let header = batch.header,
                batch.records.batch.isHeader(record, header.cells, firstLength: header.firstLength)
            {
                refused[.headerAgain, default: CountedLines()].add(line: record.line)
            } else {
                sound.append(Row(cells: record.cells, line: record.line))
            }
        }
        return sound
    }

    /// Returns the evidence of one column. The columns are examined one by one, because consecutive cells of the same
    /// column mostly need the same checks.
    private static func evidence(
        of column: InferenceColumn, _ rows: [Row], _ records: borrowing RecordBatch, _ unfit: inout [Int]
    ) -> ColumnEvidence {
        var evidence = ColumnEvidence(type: column.type)
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

    /// Returns the positions of the columns that form the key together; empty if one of them is not known yet.
    private static func parts(of headers: [String], in columns: [InferenceColumn]) -> [Int] {
        let found = headers.compactMap { ColumnChoice.position(of: $0, among: columns.map(\.name.header)) }
        return found.count == headers.count ? found.map { columns[$0].position } : []
    }

    private static func keys(of parts: [Int], _ rows: [Row], _ records: borrowing RecordBatch) -> KeyEvidence {
        var fingerprints: [Fingerprint] = []
        fingerprints.reserveCapacity(rows.count)
        var missing = CountedLines()
        for row in rows {
            if let key = key(of: parts, in: row, records) {
                fingerprints.append(key)
            } else {
                missing.add(line: row.line)
            }
        }
        return KeyEvidence(fingerprints, missing: missing)
    }

    /// Returns the fingerprint of a row's key, which consists of the values of these columns; nil if the row lacks a
    /// value.
    @inline(__always)
    private static func key(of parts: [Int], in row: Row, _ records: borrowing RecordBatch) -> Fingerprint? {
        if parts.count == 1 {
            let value = cell(of: parts[0], in: row, records).trimmed()
            return isMissing(value) ? nil : Fingerprint(of: value, line: row.line)
        }
        var key = CompositeKey()
        for part in parts {
            let value = cell(of: part, in: row, records).trimmed()
            guard !isMissing(value) else { return nil }
            key.append(value)
        }
        return parts.isEmpty ? nil : Fingerprint(of: key.utf8.span, line: row.line)
    }

    @inline(__always)
    private static func isMissing(_ value: Span<UInt8>) -> Bool { value.isEmpty || MissingToken.isSign(value) }

    /// The evidence of a column; empty if there are no rows.
    subscript(column: Int) -> ColumnEvidence { column < columns.count ? columns[column] : ColumnEvidence() }

    /// Adds the evidence of later records, except their keys. The later evidence begins with the columns of this
    /// evidence, and may have further columns.
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

    /// The maximum number of rows whose refusal is decided at the end of the input. Further doubtful rows are refused
    /// immediately.
    private static let mostDoubtful = 100_000

    /// The number of records whose cells could be examined.
    var soundRows: Int {
        rows - refused.reduce(0) { $0 + (Self.reasonsInCells.contains($1.key) ? 0 : $1.value.count) }
    }

    /// The number of records that a ``KeyEvidence`` includes. Doubtful records are not included.
    var certainRows: Int {
        soundRows - doubtful.count - Self.reasonsInCells.reduce(0) { $0 + (refused[$1]?.count ?? 0) }
    }

    private static let reasonsInCells: [RowRefusal] = [.controlCharacter, .unsupportedHash]

    /// Decides whether the doubtful rows are refused. Call this method after the columns that become fields are known.
    ///
    /// - Returns: The rows that are not refused.
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

/// The evidence from one batch about a candidate for the key column.
struct KeyEvidence: Sendable {
    let run: FingerprintRun
    let repeats: CountedLines
    /// The rows without a value.
    let missing: CountedLines

    init(_ fingerprints: [Fingerprint], missing: CountedLines) {
        var repeats = CountedLines()
        run = FingerprintRun(fingerprints, repeats: &repeats)
        self.repeats = repeats
        self.missing = missing
    }
}
