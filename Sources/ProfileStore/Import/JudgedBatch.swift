internal import CSVStream
internal import ProfileCore

/// Records of an input as they were read, on their way to being judged.
final class ReadBatch: Sendable {
    let records: RecordBatch
    /// What the reader found wrong with a record, by its position, besides the record's own fault.
    let issues: [Int: [ValidationIssue]]
    /// Bytes of the input read so far, for showing progress.
    let bytesRead: UInt64

    init(_ records: consuming RecordBatch, issues: [Int: [ValidationIssue]] = [:], bytesRead: UInt64) {
        self.records = records
        self.issues = issues
        self.bytesRead = bytesRead
    }
}

/// Records with what became of each: a row that can be stored, or its issues.
struct JudgedBatch: Sendable {
    struct Rejected: Sendable {
        /// Its position among the records.
        let record: Int
        let issues: [ValidationIssue]
    }

    let batch: ReadBatch
    /// In the order of the records.
    var rows: ValidProfiles
    /// Hashes of passwords in records that only an update can make valid, by the record's position.
    var hashes: [Int: PasswordHash] = [:]
    /// In the order of the records.
    let rejected: [Rejected]
    /// The first of `rows` and of `rejected` that are not settled yet.
    var next = (row: 0, rejected: 0)

    var isSettled: Bool { next.row == rows.count && next.rejected == rejected.count }

    /// Judges every record on its own; duplicates are for others to find.
    init(_ batch: ReadBatch, columns: ImportColumns, validator: ProfileValidator, today: CalendarDay) {
        var rows = RowValidator(validator, today: today)
        self.batch = batch
        rejected = Self.judge(batch.records, batch.issues, columns, &rows)
        self.rows = rows.takeProfiles()
    }

    private static func judge(
        _ records: borrowing RecordBatch, _ issues: [Int: [ValidationIssue]], _ columns: ImportColumns,
        _ rows: inout RowValidator
    ) -> [Rejected] {
        var rejected: [Rejected] = []
        let fieldCount = columns.columnOfField.count
        rows.reserve(rows: records.records.count, bytes: records.byteCount)
        for (index, record) in records.records.enumerated() {
            rows.beginRow()
            if let fault = record.fault {
                rows.report(ValidationIssue(nil, fault.problem))
            } else if record.cells.count != columns.header.count {
                let fault = ValidationIssue.RowFault.cellCount(
                    expected: columns.header.count, found: record.cells.count)
                rows.report(ValidationIssue(nil, .badRow(fault)))
            } else if !issues.isEmpty, let issues = issues[index] {
                for issue in issues { rows.report(issue) }
            } else {
                let first = record.cells.lowerBound
                for field in 0..<fieldCount {
                    let column = columns.columnOfField[field]
                    if field == columns.secretField {
                        rows.judgePassword(
                            records.cell(first, column), hash: records.cell(first, columns.columnOfHash), index: field,
                            isStored: false)
                    } else if let column {
                        rows.judge(records.cell(first + column), index: field)
                    } else {
                        rows.judgeAbsent(index: field)
                    }
                }
            }
            if !rows.endRow(ValidProfiles.Origin(line: record.line, record: record.number)) {
                rejected.append(Rejected(record: index, issues: rows.issues))
            }
        }
        return rejected
    }

    /// The number of the first record: numbers have no gaps within a batch, so that a record's position is its number
    /// less this one.
    var firstNumber: Int { batch.records.records.first?.number ?? 0 }
}

extension RecordBatch {
    /// The cell of a column of the record whose first cell is given; empty where the input has no such column.
    @_lifetime(borrow self)
    func cell(_ first: Int, _ column: Int?) -> Span<UInt8> {
        if let column { return cell(first + column) }
        return Span()
    }
}

extension RecordFault {
    fileprivate var problem: ValidationIssue.Problem {
        switch self {
        case .badEncoding: .badEncoding
        case .unclosedQuote: .unclosedQuote
        case .textAfterQuote: .badRow(.textAfterQuote)
        case .nul: .badRow(.nul)
        case .tooLong: .badRow(.tooLong)
        }
    }
}
