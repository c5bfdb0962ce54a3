package import CSVStream
internal import ProfileCore

/// Records of an input as they were read, on their way to being judged.
final class ReadBatch: Sendable {
    let records: RecordBatch
    /// What the reader found wrong with a record, by its position, besides the record's own fault.
    let faults: [Int: ReadFault]
    /// Bytes of the input read so far, for showing progress.
    let bytesRead: UInt64

    init(_ records: consuming RecordBatch, faults: [Int: ReadFault] = [:], bytesRead: UInt64) {
        self.records = records
        self.faults = faults
        self.bytesRead = bytesRead
    }
}

/// What the reader of an input found wrong with a record that it could split.
struct ReadFault: Sendable {
    /// A line may be wrong in as many ways as it has members.
    private var found = BoundedIssues()
    /// Columns whose cells do not say what the record says.
    var unreadColumns: Set<Int>

    init(unreadColumns: Set<Int> = []) { self.unreadColumns = unreadColumns }

    mutating func add(_ problem: ValidationIssue.Problem) { found.add(ValidationIssue(nil, problem)) }

    var isThere: Bool { !found.isEmpty }

    /// The first ones, and how many more there are.
    var issues: [ValidationIssue] { found.issues }
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
    /// What is odd about the records, of those too that are rejected.
    let oddities: InputOddities
    /// The first of `rows` and of `rejected` that nothing is decided on yet.
    var next = (row: 0, rejected: 0)

    var isDecided: Bool { next.row == rows.count && next.rejected == rejected.count }

    /// Judges every record on its own; duplicates are for others to find.
    ///
    /// - Parameters:
    ///   - batch: What was read.
    ///   - columns: Where the fields are.
    ///   - validator: The rules.
    ///   - today: The day that they go by.
    ///   - isCompletedByStore: Fields that a record does not have may be in the store.
    init(
        _ batch: ReadBatch, columns: ImportColumns, validator: ProfileValidator, today: CalendarDay,
        isCompletedByStore: Bool
    ) {
        var rows = RowValidator(validator, today: today)
        var oddities = InputOddities(of: batch.records)
        if let length = columns.firstHeaderLength {
            oddities.shape.look(at: batch.records, header: columns.header, firstLength: length)
        }
        self.batch = batch
        rejected = Self.judge(batch, columns, isCompletedByStore, &rows, &oddities)
        self.rows = rows.takeProfiles()
        self.oddities = oddities
    }

    private static func judge(
        _ batch: ReadBatch, _ columns: ImportColumns, _ isCompletedByStore: Bool, _ rows: inout RowValidator,
        _ oddities: inout InputOddities
    ) -> [Rejected] {
        var rejected: [Rejected] = []
        rows.reserve(rows: batch.records.records.count, bytes: batch.records.byteCount)
        for (index, record) in batch.records.records.enumerated() {
            rows.beginRow()
            if let fault = record.fault {
                rows.report(ValidationIssue(nil, fault.problem))
            } else if record.cells.count != columns.header.count {
                let fault = ValidationIssue.RowFault.cellCount(
                    expected: columns.header.count, found: record.cells.count)
                rows.report(ValidationIssue(nil, .badRow(fault)))
            } else if !batch.faults.isEmpty, let fault = batch.faults[index] {
                judge(record, of: batch.records, with: fault, columns, isCompletedByStore, &rows)
            } else if batch.records.isHeader(record, columns.header, firstLength: columns.firstHeaderLength) {
                rows.report(ValidationIssue(nil, .badRow(.headerAgain)))
            } else {
                for field in columns.columnOfField.indices { judge(field, of: record, batch.records, columns, &rows) }
                if columns.mayBeOdd { oddities.lookAt(record, of: batch.records, columns) }
            }
            if !rows.endRow(ValidProfiles.Origin(line: record.line, record: record.number)) {
                rejected.append(Rejected(record: index, issues: rows.issues))
            }
        }
        return rejected
    }

    /// Judges one field of a record.
    @inline(__always)
    private static func judge(
        _ field: Int, of record: RecordBatch.Record, _ records: borrowing RecordBatch, _ columns: ImportColumns,
        _ rows: inout RowValidator
    ) {
        let first = record.cells.lowerBound
        let column = columns.columnOfField[field]
        if field == columns.secretField {
            rows.judgePassword(
                records.cell(first, column), hash: records.cell(first, columns.columnOfHash), index: field,
                isStored: false)
        } else if let column {
            rows.judge(records.cell(first + column), index: field)
        } else if field == columns.numberedField {
            rows.judge(String(record.number).utf8Span.span, index: field)
        } else {
            rows.judgeAbsent(index: field)
        }
    }

    /// Reports what is wrong with a record, and judges what could be read of it all the same (S3).
    private static func judge(
        _ record: RecordBatch.Record, of records: borrowing RecordBatch, with fault: ReadFault,
        _ columns: ImportColumns, _ isCompletedByStore: Bool, _ rows: inout RowValidator
    ) {
        for issue in fault.issues { rows.report(issue) }
        for field in columns.columnOfField.indices {
            let its = [columns.columnOfField[field], field == columns.secretField ? columns.columnOfHash : nil]
                .compactMap(\.self)
            guard fault.unreadColumns.isDisjoint(with: its) else { continue }
            let isAbsent = its.allSatisfy { records.isAbsent(record.cells.lowerBound + $0) }
            if !(isAbsent && isCompletedByStore) { judge(field, of: record, records, columns, &rows) }
        }
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

    /// Whether a record, which has as many cells, says what the header says, in whatever case and perhaps behind the byte
    /// order mark of a file that was joined on; nearly always the first cell's length tells.
    @inline(__always)
    package func isHeader(_ record: Record, _ header: [String], firstLength: Int?) -> Bool {
        guard let firstLength else { return false }
        let surplus = length(ofCell: record.cells.lowerBound) - firstLength
        return (surplus == 0 || surplus == 3) && holds(header, in: record, behind: surplus)
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether these are the cells of a record, behind as many bytes of a mark.
    private func holds(_ texts: [String], in record: Record, behind markLength: Int) -> Bool {
        var start = markLength
        for (index, text) in zip(record.cells, texts) {
            let cell = cell(index)
            guard cell.count == start + text.utf8.count else { return false }
            for offset in 0..<start where cell[offset] != Self.mark[offset] { return false }
            for (offset, byte) in text.utf8.enumerated() where cell[start + offset].asciiFolded != byte.asciiFolded {
                return false
            }
            start = 0
        }
        return true
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
