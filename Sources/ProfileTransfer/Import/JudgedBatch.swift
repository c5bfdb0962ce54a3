package import CSVStream
internal import ProfileCore

/// Records as read from the input, before validation.
final class ReadBatch: Sendable {
    let records: RecordBatch
    /// The computed primary key of each record. Nil if a record does not need a computed key, or lacks a part of the
    /// key. Empty if no key is computed.
    let keys: [String?]
    /// The errors that the reader found in each record. The key is the position of the record. Exception: if the reader
    /// could not split a record into cells, the `fault` of the record contains the error.
    let faults: [Int: ReadFault]
    /// The JSON objects whose lists were joined.
    let joinedLists: Occurrences
    /// The number of bytes of the input read so far, for the progress.
    let bytesRead: UInt64

    init(
        _ records: consuming RecordBatch, keys: [String?] = [], faults: [Int: ReadFault] = [:],
        joinedLists: Occurrences = Occurrences(), bytesRead: UInt64
    ) {
        self.records = records
        self.keys = keys
        self.faults = faults
        self.joinedLists = joinedLists
        self.bytesRead = bytesRead
    }

    /// Returns the computed primary key of a record; nil if it has none.
    func key(ofRecord index: Int) -> String? { keys.isEmpty ? nil : keys[index] }
}

/// The errors that the reader found in one JSON object. The record of the object has one more cell than there are columns.
/// For the file of rejected rows, this cell contains the values that have no cell of their own, as JSON.
struct ReadFault: Sendable {
    /// The issues of the record. The number of stored issues is limited, because a record may have many members and
    /// each of them may have an error.
    private var found = BoundedIssues()
    /// The columns that the reader could not read. The cells of these columns do not contain the values from the input.
    var unreadColumns: Set<Int>

    init(unreadColumns: Set<Int> = []) { self.unreadColumns = unreadColumns }

    mutating func add(_ problem: ValidationIssue.Problem) { found.add(ValidationIssue(nil, problem)) }

    var isThere: Bool { !found.isEmpty }

    /// The first issues, and the number of further issues.
    var issues: [ValidationIssue] { found.issues }
}

/// A batch of validated records. Each record is either a valid row or has issues.
struct JudgedBatch: Sendable {
    struct Rejected: Sendable {
        /// The position of the record in the batch.
        let record: Int
        let issues: [ValidationIssue]
    }

    let batch: ReadBatch
    /// The valid rows, in the order of the records.
    var rows: ValidProfiles
    /// The password hashes of records that are valid only if a stored profile supplies missing values. The key is the
    /// position of the record.
    var hashes: [Int: PasswordHash] = [:]
    /// The records with issues, in their order in the input.
    let rejected: [Rejected]
    /// Unusual features of the records, including the rejected ones.
    let oddities: InputOddities
    /// The positions of the first elements in `rows` and `rejected` whose outcome is not yet decided. Outcomes are
    /// inserted, updated, skipped and rejected.
    var next = (row: 0, rejected: 0)

    var isDecided: Bool { next.row == rows.count && next.rejected == rejected.count }

    /// Validates each record without a comparison to other records. Later steps find the duplicates.
    ///
    /// - Parameters:
    ///   - batch: The records as read.
    ///   - columns: The columns of the fields.
    ///   - validator: The validator of the schema.
    ///   - today: The current day for date rules.
    ///   - isCompletedByStore: Whether a stored profile may supply the values of fields that a record does not have.
    init(
        _ batch: ReadBatch, columns: ImportColumns, validator: ProfileValidator, today: CalendarDay,
        isCompletedByStore: Bool
    ) {
        var rows = RowValidator(validator, today: today)
        var oddities = InputOddities(of: batch.records)
        oddities.joinedLists = batch.joinedLists
        if let table = columns.table { oddities.shape.look(at: batch.records, header: table) }
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
            } else if !batch.faults.isEmpty, let fault = batch.faults[index] {
                judge(
                    record, of: batch.records, key: batch.key(ofRecord: index), with: fault, columns,
                    isCompletedByStore, &rows)
            } else if record.cells.count != columns.header.count {
                let isOnlyShort = wouldBeValid(padded: record, batch.records, columns, &rows)
                if isOnlyShort { oddities.shortRows.add(line: record.line) }
                rows.beginRow()
                let fault = ValidationIssue.RowFault.cellCount(
                    expected: columns.header.count, found: record.cells.count)
                rows.report(ValidationIssue(nil, .badRow(fault)))
            } else if batch.records.isHeader(record, columns.headerCells, firstLength: columns.firstHeaderLength) {
                rows.report(ValidationIssue(nil, .badRow(.headerAgain)))
            } else {
                let key = batch.key(ofRecord: index)
                for field in columns.columnOfField.indices {
                    judge(field, of: record, batch.records, key: key, columns, &rows)
                }
                if columns.mayBeOdd { oddities.lookAt(record, of: batch.records, columns) }
            }
            if !rows.endRow(ValidProfiles.Origin(line: record.line, record: record.number)) {
                rejected.append(Rejected(record: index, issues: rows.issues))
            }
        }
        return rejected
    }

    /// Whether a record with too few cells would be valid if empty cells followed. In any case, the caller discards
    /// the row in the validator and reports that the number of cells is wrong.
    private static func wouldBeValid(
        padded record: RecordBatch.Record, _ records: borrowing RecordBatch, _ columns: ImportColumns,
        _ rows: inout RowValidator
    ) -> Bool {
        guard record.cells.count < columns.header.count else { return false }
        func cell(_ column: Int) -> Int? { column < record.cells.count ? record.cells.lowerBound + column : nil }
        for (field, column) in columns.columnOfField.enumerated() {
            if field == columns.secretField {
                rows.judgePassword(
                    records.cell(0, column.flatMap(cell)), hash: records.cell(0, columns.columnOfHash.flatMap(cell)),
                    index: field, isStored: false)
            } else if let column {
                rows.judge(records.cell(0, cell(column)), index: field)
            } else if field != columns.computedKey?.field {
                rows.judgeAbsent(index: field)
            }
        }
        return rows.issues.isEmpty
    }

    /// Validates one field of a record.
    @inline(__always)
    private static func judge(
        _ field: Int, of record: RecordBatch.Record, _ records: borrowing RecordBatch, key: String?,
        _ columns: ImportColumns, _ rows: inout RowValidator
    ) {
        let first = record.cells.lowerBound
        let column = columns.columnOfField[field]
        if field == columns.secretField {
            rows.judgePassword(
                records.cell(first, column), hash: records.cell(first, columns.columnOfHash), index: field,
                isStored: false)
        } else if let computed = columns.computedKey, field == computed.field {
            judge(key, computed, of: record, records, &rows)
        } else if let column {
            rows.judge(records.cell(first + column), index: field)
        } else {
            rows.judgeAbsent(index: field)
        }
    }

    /// Validates the primary key of a record, which is computed if the record has no cell for it. If a part of the key
    /// is missing, the issue names the field of this part.
    private static func judge(
        _ key: String?, _ computed: ComputedKey, of record: RecordBatch.Record, _ records: borrowing RecordBatch,
        _ rows: inout RowValidator
    ) {
        if let key { return rows.judge(key.utf8Span.span, index: computed.field) }
        let cell = records.cell(record.cells.lowerBound, computed.column)
        guard cell.trimmed().isEmpty else {
            if let issue = computed.contradiction(in: record, of: records, rows.validator.schema) { rows.report(issue) }
            return rows.judge(cell, index: computed.field)
        }
        let lacking = computed.fieldsLacking(in: record, of: records)
        if lacking.isEmpty { rows.judgeAbsent(index: computed.field) }
        // The validation of a required field already reports a missing value.
        for rules in lacking.map({ rows.validator.schema.fields[$0] }) where !rules.isRequired {
            rows.report(ValidationIssue(rules.name, .required))
        }
    }

    /// Reports the errors of a record, and also validates its readable cells (S3).
    private static func judge(
        _ record: RecordBatch.Record, of records: borrowing RecordBatch, key: String?, with fault: ReadFault,
        _ columns: ImportColumns, _ isCompletedByStore: Bool, _ rows: inout RowValidator
    ) {
        for issue in fault.issues { rows.report(issue) }
        for field in columns.columnOfField.indices {
            let its = [columns.columnOfField[field], field == columns.secretField ? columns.columnOfHash : nil]
                .compactMap(\.self)
            guard fault.unreadColumns.isDisjoint(with: its) else { continue }
            if let computed = columns.computedKey, computed.field == field, computed.isUnread(fault) { continue }
            let isAbsent = its.allSatisfy { records.isAbsent(record.cells.lowerBound + $0) }
            if !(isAbsent && isCompletedByStore) { judge(field, of: record, records, key: key, columns, &rows) }
        }
    }

    /// The number of the first record. Record numbers in a batch are consecutive. Therefore the position of a record in
    /// the batch is its number minus the first number.
    var firstNumber: Int { batch.records.records.first?.number ?? 0 }
}

extension RecordBatch {
    /// Returns the cell of a column in the record that starts at cell `first`. Returns an empty span if the input does
    /// not have the column.
    @_lifetime(borrow self)
    func cell(_ first: Int, _ column: Int?) -> Span<UInt8> {
        if let column { return cell(first + column) }
        return Span()
    }

    /// Whether a record is a copy of the header. The comparison ignores the case of ASCII letters. The record must have
    /// as many cells as the header. The record may begin with a byte order mark, because the input may consist of
    /// several joined files. The length of the first cell is compared first, because it differs in nearly all records.
    @inline(__always)
    package func isHeader(_ record: Record, _ header: [String], firstLength: Int?) -> Bool {
        guard let firstLength else { return false }
        let surplus = length(ofCell: record.cells.lowerBound) - firstLength
        return (surplus == 0 || surplus == 3) && holds(header, in: record, behind: surplus)
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether the cells of a record equal these texts, ignoring the case of ASCII letters. Before its text, the first
    /// cell must have the first `markLength` bytes of a byte order mark.
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
