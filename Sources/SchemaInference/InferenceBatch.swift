internal import CSVStream

/// Records of an input as they were read, with the columns that were known by then.
struct InferenceBatch: Sendable {
    /// Shared, since a batch of records has one owner.
    final class Records: Sendable {
        let batch: RecordBatch

        init(_ batch: consuming RecordBatch) { self.batch = batch }
    }

    let records: Records
    /// How many of the records are looked at.
    var count: Int
    let columns: [InferenceColumn]
    /// The first record as it was given; every other should have a cell for each column. Nil for objects, which need not
    /// have all members.
    let header: [String]?
    /// What the reader found wrong with a record, by its position, besides the record's own fault.
    let faults: [Int: RowRefusal]
    /// Bytes of the input read so far, for showing progress.
    let bytesRead: UInt64

    init(
        _ records: consuming RecordBatch, columns: [InferenceColumn], header: [String]?,
        faults: [Int: RowRefusal] = [:], bytesRead: UInt64
    ) {
        count = records.records.count
        self.records = Records(records)
        self.columns = columns
        self.header = header
        self.faults = faults
        self.bytesRead = bytesRead
    }
}
