internal import CSVStream
public import ProfileCore
internal import ProfileStore
internal import Threads

/// A file of rejected rows that are mended one after another (N9): read row by row, and written anew without those that
/// are done with.
///
/// It may be read while it is written anew under its name. What is no file of rejected rows, or could not be written as it
/// stands, is refused: nothing would be left of what was in it.
public struct RejectedRowFile: Sendable {
    private let input: ImportInput
    private let schema: ProfileSchema
    private let options: ImportOptions
    /// Its own, since reading and writing may keep it waiting.
    private let thread = ThreadPool(threads: 1)

    /// Opens it.
    ///
    /// - Parameters:
    ///   - input: Where its bytes come from.
    ///   - schema: The rules of the store.
    ///   - options: How the file is written, and which columns go to which fields.
    ///   - folder: Where a copy is made of what can be read once only, without a name and for nobody else to read.
    /// - Throws: Why it cannot be opened.
    public init(
        _ input: ImportInput, schema: ProfileSchema, options: ImportOptions, keptIn folder: String = "/tmp"
    ) throws(ImportError) {
        self.input = try input.readableAgain(keptIn: folder)
        self.schema = schema
        var options = options
        // Whoever mends a row is asked for what has no column, as the file of an update may have none.
        options.duplicates = .update
        self.options = options
    }

    /// Its rows, from the first on.
    ///
    /// - Throws: ``ImportError``, as an import does before its first row.
    public func rows() async throws(ImportError) -> RejectedRows {
        let reading = try InputReading(input)
        let source = try await reading.blocking(thread) { () throws(ImportError) in
            try ImportSource(reading, schema: schema, options: options)
        }
        return RejectedRows(source, reading, schema, thread)
    }

    /// How many rows there are.
    ///
    /// - Throws: ``ImportError``, as an import does before its first row; `notRejectedRows` where not every row could be
    ///   written as it stands.
    public func count() async throws(ImportError) -> Int {
        try await reading { source throws(ImportError) in
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
    }

    /// A row with corrected values.
    public struct CorrectedRow: Sendable {
        /// The number of the row in the file.
        public let number: Int
        /// The corrected values.
        public let profile: ValidProfile

        /// Makes a row with corrected values.
        public init(number: Int, profile: ValidProfile) {
            self.number = number
            self.profile = profile
        }
    }

    /// Writes the rows of the file to a sink, unchanged: the byte order mark if there is one, the header, and the rows with
    /// `_line` and `_issues`.
    ///
    /// - Parameters:
    ///   - sink: Where it goes. What was written before an error is not whole.
    ///   - dropped: The numbers of rows that are left out.
    ///   - corrected: A row that gets the values of a profile; the cells of secrets become empty.
    /// - Returns: How many rows are in the new file.
    /// - Throws: `writingToSink`, or why the file cannot be read.
    public func copy(
        to sink: ChunkSink, without dropped: RangeSet<Int>, corrected: CorrectedRow? = nil
    ) async throws(ImportError) -> Int {
        let channel = ByteChannel()
        async let undelivered = sink.drain(channel)
        let outcome: Result<Int, ImportError>
        do throws(ImportError) {
            outcome = .success(try await copy(to: channel.blockingSink, without: dropped, corrected: corrected))
        } catch {
            outcome = .failure(error)
        }
        channel.finish()
        if let failure = await undelivered { throw .writingToSink(failure) }
        return try outcome.get()
    }

    /// Writes it anew as above, to an open descriptor that stays the caller's to close.
    package func copy(
        to descriptor: Int32, without dropped: RangeSet<Int>, corrected: CorrectedRow? = nil
    ) async throws(ImportError) -> Int {
        try await copy(to: .descriptor(descriptor), without: dropped, corrected: corrected)
    }

    private func copy(
        to sink: ByteSink, without dropped: RangeSet<Int>, corrected: CorrectedRow?
    ) async throws(ImportError) -> Int {
        try await reading { source throws(ImportError) in
            var count = 0
            do throws(ByteStreamError) {
                var writer = CSVWriter(
                    to: sink, delimiter: source.delimiter, containsSecrets: true, isMarked: source.isMarked)
                try writer.record(source.columns.header)
                while let batch = try source.next() {
                    for record in batch.records.records where !dropped.contains(record.number) {
                        if let corrected, corrected.number == record.number {
                            try writer.record(cells(of: corrected.profile, for: record, batch.records, source.columns))
                        } else {
                            try writer.record(record, of: batch.records)
                        }
                        count += 1
                    }
                }
                try writer.finish()
            } catch {
                throw error.operation == .write ? ImportError(writingRejects: error) : ImportError(error)
            }
            return count
        }
    }

    /// Reads it from its first row on, where that may block.
    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable (ImportSource) throws(ImportError) -> Value
    ) async throws(ImportError) -> Value {
        let reading = try InputReading(input)
        return try await reading.blocking(thread) { () throws(ImportError) in
            try body(ImportSource(reading, schema: schema, options: options))
        }
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
