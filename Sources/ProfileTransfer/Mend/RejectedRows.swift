internal import CSVStream
public import ProfileCore
public import ProfileStore
internal import Threads

/// The rows of a file of rejected rows, one after another (N9).
public final class RejectedRows {
    /// A rejected row, ready to be put into a form.
    public struct Row: Sendable {
        /// Its position in the file, from 1.
        public let number: Int
        /// Its line in the file that it was rejected from, or in this one where that is not known.
        public let line: Int
        /// What it holds by field, nil in an empty cell. Fields without a column are not there, nor is a secret.
        public let values: [FieldName: String?]
        /// Why it was rejected, as the file says it.
        public let reason: String
        /// Whether its cells could not be told apart, so that there are no values.
        public let isUnreadable: Bool
        /// Whether somebody has put a password there, or a hash.
        public let holdsSecret: Bool
    }

    private let source: ImportSource
    private let reading: InputReading
    private let schema: ProfileSchema
    private let thread: ThreadPool
    private var batch: ReadBatch?
    /// The next row's in the batch.
    private var position = 0

    init(_ source: ImportSource, _ reading: InputReading, _ schema: ProfileSchema, _ thread: ThreadPool) {
        self.source = source
        self.reading = reading
        self.schema = schema
        self.thread = thread
    }

    /// The next row; nil at the end.
    public func next() async throws(ImportError) -> Row? {
        while batch.map({ position >= $0.records.records.count }) ?? true {
            batch = try await reading.blocking(thread) { [source] () throws(ImportError) in try source.nextOfRejects() }
            position = 0
            if batch == nil { return nil }
        }
        defer { position += 1 }
        return batch.map { row(position, of: $0.records) }
    }

    private func row(_ index: Int, of batch: borrowing RecordBatch) -> Row {
        let record = batch.records[index]
        let columns = source.columns
        guard record.isWhole(by: columns) else {
            return Row(
                number: record.number, line: record.line, values: [:], reason: "", isUnreadable: true,
                holdsSecret: false)
        }
        func text(of name: String) -> String? {
            columns.header.firstIndex(of: name).map { String(batch.cell(record.cells.lowerBound + $0)) }
        }
        return Row(
            number: record.number, line: text(of: ImportColumns.lineColumn).flatMap { Int($0) } ?? record.line,
            values: ProfileMerge.cells(of: index, in: batch, columns, schema),
            reason: text(of: ImportColumns.issuesColumn) ?? "", isUnreadable: false,
            holdsSecret: columns.secretColumns.contains { !batch.cell(record.cells.lowerBound + $0).isEmpty })
    }
}

/// One at a time reads it.
@available(*, unavailable)
extension RejectedRows: Sendable {}

extension RejectedRows.Row {
    /// The profile that the row would be by itself.
    public var draft: ProfileDraft { ProfileDraft().taking(values) }

    /// A stored profile with the row's values, as an import merges them that updates what is there (I4).
    public func draft(updating stored: Profile) -> ProfileDraft { stored.draft.taking(values) }

    /// Whether the file says that something was wrong with a field.
    public func wasRejected(for field: FieldName) -> Bool { "; \(reason)".contains("; \(field.text): ") }
}

extension ImportSource {
    /// The next records of a file of rejected rows; nil at its end.
    func nextOfRejects() throws(ImportError) -> ReadBatch? {
        do throws(ByteStreamError) { return try next() } catch { throw ImportError(error) }
    }
}

extension RecordBatch.Record {
    /// Whether its cells are those of the header.
    func isWhole(by columns: ImportColumns) -> Bool { fault == nil && cells.count == columns.header.count }
}
