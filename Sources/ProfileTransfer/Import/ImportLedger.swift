internal import CSVStream
internal import ProfileCore
internal import ProfileStore

/// The results of an import so far: the report and the file of rejected rows.
struct ImportLedger: ~Copyable {
    private(set) var report: ImportReport
    private var oddities = InputOddities()
    private let schema: ProfileSchema
    private let columns: ImportColumns
    private var rejects: RejectedRowWriter?
    /// Whether the report lists the record number of each rejected record.
    private let remembersRejected: Bool

    init(
        report: ImportReport, schema: ProfileSchema, columns: ImportColumns, remembersRejected: Bool,
        rejects: consuming RejectedRowWriter?
    ) {
        self.remembersRejected = remembersRejected
        self.report = report
        self.schema = schema
        self.columns = columns
        self.rejects = rejects
    }

    /// Determines the outcome of a batch that is imported into an empty store. A row is new if no earlier row has the
    /// same value in a unique field.
    ///
    /// - Returns: The new rows.
    mutating func sift(_ judged: JudgedBatch, _ keys: inout UniqueKeys) throws(ImportError) -> [Int] {
        let rows = judged.rows
        var new: [Int] = []
        new.reserveCapacity(rows.count)
        var nextRejected = judged.rejected[...]
        try rows.bytes.withUnsafeBufferPointer { bytes throws(ImportError) in
            for row in 0..<rows.count {
                let record = rows.origins[row].record - judged.firstNumber
                while let rejected = nextRejected.first, rejected.record < record {
                    try reject(record: rejected.record, of: judged.batch, rejected.issues)
                    nextRejected.removeFirst()
                }
                let repeated = keys.rememberIfNew(row, of: rows, bytes, line: rows.origins[row].line)
                if repeated.isEmpty {
                    new.append(row)
                    report.rows += 1
                    report.imported += 1
                } else {
                    try reject(record: record, of: judged.batch, repeated)
                }
            }
        }
        for rejected in nextRejected { try reject(record: rejected.record, of: judged.batch, rejected.issues) }
        return new
    }

    // MARK: Oddities

    /// Counts the unusual features of a batch, including its rejected rows.
    mutating func note(_ judged: JudgedBatch) { oddities += judged.oddities }

    /// Resets the counts of unusual features before the input is read again.
    mutating func forgetOddities() { oddities = InputOddities() }

    // MARK: Outcomes of rows

    /// Adds the outcomes of a batch to the report. Lists and writes the rejected rows.
    mutating func take(_ outcomes: RowOutcomes) throws(ImportError) {
        report.rows += outcomes.imported + outcomes.updated + outcomes.skipped
        report.imported += outcomes.imported
        report.updated += outcomes.updated
        report.skipped += outcomes.skipped
        for (record, issues) in outcomes.rejected { try reject(record: record, of: outcomes.batch, issues) }
    }

    /// Counts a row as rejected, lists its issues, and writes it to the file of rejected rows.
    private mutating func reject(
        record index: Int, of batch: ReadBatch, _ issues: [ValidationIssue]
    ) throws(ImportError) {
        report.rows += 1
        report.rejected += 1
        let record = batch.records.records[index]
        if remembersRejected { report.rejectedRecords.insert(contentsOf: record.number..<record.number + 1) }
        for issue in issues {
            let isListed = report.issues.count(
                field: issue.field?.text, code: issue.code.rawValue, times: issue.count)
            guard isListed else { continue }
            let listed = RowIssue(
                line: record.line, record: record.number, issue: ReportedIssue(issue, in: schema),
                value: value(of: issue.field, in: record, batch.records), key: key(ofRecord: index, in: batch))
            report.issues.list(listed, field: issue.field?.text, code: issue.code.rawValue)
        }
        guard rejects != nil else { return }
        do throws(ByteStreamError) {
            try rejects?.write(
                record: index, of: batch.records, key: batch.key(ofRecord: index),
                isHeader: issues.contains { $0.problem == .badRow(.headerAgain) },
                issues: issues.map { ReportedIssue($0, in: schema) })
        } catch {
            // After an error, the last row may be incomplete in the file. Therefore no further row is written.
            rejects = nil
            throw ImportError(writingRejects: error)
        }
    }

    /// Returns the text of a field's cell. Returns nil if the field is a secret or has no readable cell.
    private func value(
        of field: FieldName?, in record: RecordBatch.Record, _ records: borrowing RecordBatch
    ) -> String? {
        guard let field, let index = schema.index(of: field), !schema.fields[index].isSecret,
            let column = columns.columnOfField[index], record.fault == nil, column < record.cells.count
        else { return nil }
        return String(reporting: records.cell(record.cells.lowerBound + column))
    }

    /// Returns the text of the primary key. Returns nil if the key is empty, or if a CSV record has a wrong number of
    /// cells: the cell of the key may then contain a secret from another column. If the record has a `fault`, its cells
    /// are not read, so only a key that is the row number is returned.
    private func key(ofRecord index: Int, in batch: ReadBatch) -> String? {
        let record = batch.records.records[index]
        guard record.cells.count == columns.header.count || batch.faults[index] != nil else { return nil }
        if let key = batch.key(ofRecord: index) { return String(reporting: Array(key.utf8).span) }
        guard let key = value(of: schema.primaryKey.name, in: record, batch.records), !key.isEmpty else { return nil }
        return key
    }

    // MARK: The end

    /// Records that the import stored nothing. Valid rows that were not stored count as skipped (I5).
    mutating func countNothingStored() {
        report.skipped += report.imported + report.updated
        report.imported = 0
        report.updated = 0
        if report.earlyEnd != .cancelled { report.earlyEnd = .nothingStored }
    }

    /// Resets the report to an earlier state.
    mutating func restore(_ report: ImportReport) { self.report = report }

    mutating func end(_ reason: ImportReport.EarlyEnd) { if report.earlyEnd == nil { report.earlyEnd = reason } }

    /// Completes the report and writes the remaining rejected rows.
    mutating func finish(after duration: Duration) throws(ImportError) {
        report.seconds = duration / .seconds(1)
        report.warnings += oddities.warnings(by: schema)
        guard let writer = rejects.take() else { return }
        report.rejectsWithholdRows = writer.hasWithheldRows
        do throws(ByteStreamError) { try writer.finish() } catch { throw ImportError(writingRejects: error) }
        report.hasWrittenRejects = true
    }
}
