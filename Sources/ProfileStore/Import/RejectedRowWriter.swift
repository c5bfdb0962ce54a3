internal import CSVStream
struct RejectedRowWriter: ~Copyable {
    init(descriptor: Int32, header: [String], secretColumns: Set<Int>) {}
    mutating func write(record: Int, of: borrowing RecordBatch, _ issues: [ReportedIssue]) throws(ByteStreamError) {}
    consuming func finish() throws(ByteStreamError) {}
}
