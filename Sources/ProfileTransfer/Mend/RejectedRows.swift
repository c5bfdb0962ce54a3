internal import CSVStream
public import ProfileCore
public import ProfileStore
internal import Threads

/// Iterates over the rows of a file of rejected rows (N9).
public final class RejectedRows {
    /// A rejected row, for display in a form.
    public struct Row: Sendable {
        /// The position of the row in the file, from 1.
        public let number: Int
        /// The line number of the row in the original input. If this number is unknown, the line number in this file.
        public let line: Int
        /// The value of each field. If a cell is empty, the value is nil. Secrets are omitted, and so are fields that
        /// have no column.
        public let values: [FieldName: String?]
        /// The issues of the row, as written in the file.
        public let reason: String
        /// Whether the record has a fault or a wrong number of cells. The row then has no values, because its cells
        /// cannot be assigned to columns.
        public let isUnreadable: Bool
        /// The cells of an unreadable row, without `_line` and `_issues`. Empty if the row is readable, or if the file has
        /// a column of secrets, because any of the cells may then be a secret.
        public let cells: [String]
        /// Whether the row has a password or a hash. An import never writes secrets to this file, so a user has added
        /// the secret.
        public let holdsSecret: Bool
    }

    private let source: ImportSource
    private let reading: InputReading
    private let schema: ProfileSchema
    private let thread: ThreadPool
    private let corrections: [RejectedRowFile.Correction]
    private var batch: ReadBatch?
    /// The position of the next row in the batch.
    private var position = 0

    init(
        _ source: ImportSource, _ reading: InputReading, _ schema: ProfileSchema, _ thread: ThreadPool,
        _ corrections: [RejectedRowFile.Correction]
    ) {
        self.corrections = corrections
        self.source = source
        self.reading = reading
        self.schema = schema
        self.thread = thread
    }

    /// Returns the next row, or nil at the end.
    public func next() async throws(ImportError) -> Row? {
        while batch.map({ position >= $0.records.records.count }) ?? true {
            batch = try await reading.blocking(thread) { [source] () throws(ImportError) in try source.nextOfRejects() }
            position = 0
            if batch == nil { return nil }
        }
        defer { position += 1 }
        return batch.map { row(position, of: $0.records, key: $0.key(ofRecord: position)).correcting(corrections) }
    }

    private func row(_ index: Int, of batch: borrowing RecordBatch, key: String?) -> Row {
        let record = batch.records[index]
        let columns = source.columns
        // A key of several columns must be computed from the corrected cells, so the key as read is not used.
        let key = columns.computedKey?.isOfColumns ?? false ? nil : key
        guard record.isWhole(by: columns) else {
            let cells = record.cellsBeforeReason(of: batch, columns.header)
            let reason = record.reasonCells(of: batch, columns.header).map { String(batch.cell($0)) }
            return Row(
                number: record.number, line: reason.first.flatMap { Int($0) } ?? record.line, values: [:],
                reason: reason.last ?? "", isUnreadable: true,
                cells: columns.secretColumns.isEmpty ? cells.map { String(batch.cell($0)) } : [], holdsSecret: false)
        }
        func text(of name: String) -> String? {
            columns.header.firstIndex(of: name).map { String(batch.cell(record.cells.lowerBound + $0)) }
        }
        return Row(
            number: record.number, line: text(of: ImportColumns.lineColumn).flatMap { Int($0) } ?? record.line,
            values: ProfileMerge.cells(of: index, in: batch, key: key, columns, schema),
            reason: text(of: ImportColumns.issuesColumn) ?? "", isUnreadable: false, cells: [],
            holdsSecret: columns.secretColumns.contains { !batch.cell(record.cells.lowerBound + $0).isEmpty })
    }
}

/// Unavailable, because only one task at a time may read the rows.
@available(*, unavailable)
extension RejectedRows: Sendable {}

extension RejectedRows.Row {
    /// The draft of a new profile from the values of the row.
    public var draft: ProfileDraft { ProfileDraft().taking(values) }

    /// Returns a draft in which the values of the row are merged into a stored profile. An import with `update` merges
    /// the values in the same way (I4).
    public func draft(updating stored: Profile) -> ProfileDraft { stored.draft.taking(values) }

    /// Whether the row was rejected because of a field.
    public func wasRejected(for field: FieldName) -> Bool { Self.isRejected(for: field, reason) }

    static func isRejected(for field: FieldName, _ reason: String) -> Bool {
        "; \(reason)".contains("; \(field.text): ")
    }
}

extension ImportSource {
    /// Returns the next records of a file of rejected rows, or nil at its end.
    func nextOfRejects() throws(ImportError) -> ReadBatch? {
        do throws(ByteStreamError) { return try next() } catch { throw ImportError(error) }
    }
}

extension RecordBatch.Record {
    /// Whether the record has a cell for each column of the header.
    func isWhole(by columns: ImportColumns) -> Bool { fault == nil && cells.count == columns.header.count }
}
