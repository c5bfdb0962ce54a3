internal import CSVStream
internal import ProfileCore
internal import SQLiteAccess
internal import Synchronization

/// Some of the stored profiles, as raw cells, on their way to being judged again.
final class StoredBatch: Sendable {
    struct Row: Sendable {
        let id: Int64
        let revision: Int64
        let schemaVersion: Int
        let hasPassword: Bool
        /// The issues that are remembered of it, in their stored form.
        let issues: String?
    }

    let rows: [Row]
    /// A record a row, a cell a field of the schema that judges; that of the secret field is absent.
    let records: RecordBatch

    init(rows: [Row], records: consuming RecordBatch) {
        self.rows = rows
        self.records = records
    }
}

/// Reads the stored profiles in the order of their ids, a batch at a time, each from a snapshot of its own.
final class StoredScan: Sendable {
    private let repository: ProfileRepository
    private let sql: String
    private let fieldCount: Int
    private let lastID = Mutex<Int64>(0)

    private static let rowsPerBatch = 8_000
    /// With values as long as they may be, rows alone would be no bound.
    private static let bytesPerBatch = 4 << 20

    /// Reads the fields of `schema`; one that the table has no column for is absent. Rows that were judged by one of
    /// `versions` are left out.
    init(_ repository: ProfileRepository, schema: ProfileSchema, besides versions: [Int]) throws(ProfileStoreError) {
        let columns = try repository.read { connection throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in try SchemaTable.columnNames(connection) }
        }
        self.repository = repository
        fieldCount = schema.fields.count
        sql = ProfileTable.scan(schema, existingColumns: columns, besides: versions)
    }

    /// The next profiles; nil at the end.
    func next() throws(ProfileStoreError) -> StoredBatch? {
        try lastID.withLock { lastID throws(ProfileStoreError) in
            let after = lastID
            let batch = try repository.read { connection throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) in try self.read(after: after, connection) }
            }
            guard let last = batch.rows.last else { return nil }
            lastID = last.id
            return batch
        }
    }

    private func read(after id: Int64, _ connection: borrowing Connection) throws(SQLiteError) -> StoredBatch {
        var rows: [StoredBatch.Row] = []
        rows.reserveCapacity(Self.rowsPerBatch)
        var records = RecordBatch()
        var statement = try connection.prepare(sql)
        try statement.bind(id, at: 1)
        try statement.bind(Int64(Self.rowsPerBatch), at: 2)
        while records.byteCount < Self.bytesPerBatch, try statement.step() {
            rows.append(
                StoredBatch.Row(
                    id: statement.integer(at: 0), revision: statement.integer(at: 1),
                    schemaVersion: Int(statement.integer(at: 2)), hasPassword: statement.integer(at: 3) != 0,
                    issues: statement.string(at: 4)))
            records.beginRecord(line: 0, number: rows.count)
            for field in 0..<fieldCount {
                if let cell = statement.bytes(at: field + ProfileTable.firstScannedField) {
                    records.appendCell(cell)
                } else {
                    records.appendAbsentCell()
                }
            }
            records.endRecord()
        }
        return StoredBatch(rows: rows, records: records)
    }
}
