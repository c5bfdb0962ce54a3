internal import CSVStream
public import ProfileCore

/// A file of rejected rows that are mended one after another (N9): read row by row, and written anew without those that
/// are done with.
///
/// It is a plain file, and read by its positions, so that it can be read while it is written anew under its name. What is
/// no file of rejected rows, or could not be written as it stands, is refused: nothing would be left of what was in it.
public struct RejectedRowFile: Sendable {
    private let input: ImportInput
    private let schema: ProfileSchema
    private let options: ImportOptions

    /// Names an open file.
    ///
    /// - Parameters:
    ///   - input: The file; it is read from where it stands, and has to stay open.
    ///   - schema: The rules of the store.
    ///   - options: How the file is written, and which columns go to which fields.
    public init(_ input: ImportInput, schema: ProfileSchema, options: ImportOptions) {
        self.input = input
        self.schema = schema
        var options = options
        // Whoever mends a row is asked for what has no column, as the file of an update may have none.
        options.duplicates = .update
        self.options = options
    }

    /// Its rows, from the first on. Blocks the thread.
    ///
    /// - Throws: ``ImportError``, as an import does before its first row.
    public func rows() throws(ImportError) -> RejectedRows { RejectedRows(try source(), schema) }

    /// How many rows there are. Blocks the thread.
    ///
    /// - Throws: ``ImportError``, as an import does before its first row; `notRejectedRows` where not every row could be
    ///   written as it stands.
    public func count() throws(ImportError) -> Int {
        let source = try source()
        guard ImportColumns.isOfRejects(source.columns.header) else { throw .notRejectedRows(.noIssues) }
        if source.isCompressed { throw .notRejectedRows(.compressed) }
        guard source.encoding == .utf8 else { throw .notRejectedRows(.encoding(source.encoding.name)) }
        var count = 0
        while let batch = try source.nextOfRejects() {
            if let record = batch.records.records.first(where: { $0.fault != nil }) {
                throw .notRejectedRows(.unreadable(line: record.line))
            }
            count += batch.records.records.count
        }
        return count
    }

    /// Writes it anew: a byte order mark if it has one, the header, and its rows as they stand, `_line` and `_issues` too. Blocks the thread.
    ///
    /// - Parameters:
    ///   - descriptor: Open for writing; it stays the caller's to close.
    ///   - dropped: The numbers of rows that are left out.
    ///   - typed: A row that gets other values in the columns of fields, as somebody has typed them; a secret's is emptied.
    /// - Returns: How many rows are in the new file.
    /// - Throws: `writingRejects`, or why the file cannot be read.
    public func copy(
        to descriptor: Int32, without dropped: RangeSet<Int>, typed: (number: Int, profile: ValidProfile)? = nil
    ) throws(ImportError) -> Int {
        let source = try source()
        var count = 0
        do throws(ByteStreamError) {
            var writer = CSVWriter(
                to: .descriptor(descriptor), delimiter: source.delimiter, containsSecrets: true,
                isMarked: source.isMarked)
            try writer.record(source.columns.header)
            while let batch = try source.next() {
                for record in batch.records.records where !dropped.contains(record.number) {
                    if let typed, typed.number == record.number {
                        try writer.record(cells(of: typed.profile, for: record, batch.records, source.columns))
                    } else {
                        try writer.record(record, of: batch.records)
                    }
                    count += 1
                }
            }
            try writer.finish()
        } catch {
            throw error.operation == .write ? .writingRejects(code: error.code) : ImportError(error)
        }
        return count
    }

    private func source() throws(ImportError) -> ImportSource {
        let input = try input.readableAgain(keptIn: "/tmp")
        return try ImportSource(
            input, interruptedBy: .ofInput(), schema: schema, options: options, copiedTo: nil)
    }

    /// A profile in the columns of a record: as it can be imported, and what is no field as it stands.
    private func cells(
        of profile: ValidProfile, for record: RecordBatch.Record, _ batch: borrowing RecordBatch,
        _ columns: ImportColumns
    ) -> [String] {
        var cells = columns.header.map { $0 == ImportColumns.lineColumn ? String(record.line) : "" }
        if record.isWhole(by: columns) { cells = record.cells.map { String(batch.cell($0)) } }
        for (rules, column) in zip(schema.fields, columns.columnOfField) {
            if let column { cells[column] = rules.isSecret ? "" : profile[rules.name].map(rules.typedForm) ?? "" }
        }
        if let column = columns.columnOfHash { cells[column] = "" }
        return cells
    }
}

extension CSVWriter {
    fileprivate mutating func record(
        _ record: RecordBatch.Record, of batch: borrowing RecordBatch
    ) throws(ByteStreamError) {
        for index in record.cells { cell(batch.cell(index)) }
        try endRecord()
    }
}
