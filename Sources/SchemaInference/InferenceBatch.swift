internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// A batch of records, with the columns known when it was read.
struct InferenceBatch: Sendable {
    /// A shared reference to a batch of records. The batch itself can have only one owner.
    final class Records: Sendable {
        let batch: RecordBatch

        init(_ batch: consuming RecordBatch) { self.batch = batch }
    }

    let records: Records
    /// The number of records that are examined.
    var count: Int
    let columns: [InferenceColumn]
    /// The header of the table. All records should have as many cells as the header. Nil for JSON objects, which need
    /// not have all members.
    let header: TableHeader?
    /// The faults that the reader of JSON objects found, by the position of the record. They are separate from the
    /// faults that the records themselves contain.
    let faults: [Int: RowRefusal]
    /// The number of bytes of the input read so far, for showing progress.
    let bytesRead: UInt64

    init(
        _ records: consuming RecordBatch, columns: [InferenceColumn], header: TableHeader?,
        faults: [Int: RowRefusal] = [:], bytesRead: UInt64
    ) {
        count = records.records.count
        self.records = Records(records)
        self.columns = columns
        self.header = header
        self.faults = faults
        self.bytesRead = bytesRead
    }

    /// Calls `body` with each nonempty value of a column, and with the line of the value's record.
    func forEachValue(in column: Int, _ body: (String, Int) -> Void) {
        Self.forEachValue(in: column, of: records.batch, count, body)
    }

    private static func forEachValue(
        in column: Int, of records: borrowing RecordBatch, _ count: Int, _ body: (String, Int) -> Void
    ) {
        for record in records.records.prefix(count) where record.fault == nil && column < record.cells.count {
            let text = String(records.cell(record.cells.lowerBound + column).trimmed())
            if !text.isEmpty { body(text, record.line) }
        }
    }
}
