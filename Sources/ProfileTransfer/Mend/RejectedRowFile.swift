internal import CSVStream
public import ProfileCore
internal import ProfileStore
internal import Threads

/// A file of rejected rows that a person corrects one after another (N9). The rows can be read one by one, and the
/// unfinished rows can be written to a new file.
///
/// The first read copies the file, and later reads use the copy. So no row is lost if the file is changed, shortened or
/// replaced while the user corrects the rows. ``count()`` refuses a file in two cases: the file is not a file of
/// rejected rows, or its rows cannot be written unchanged. If such a file were written again, some of its contents
/// would be lost.
public struct RejectedRowFile: Sendable {
    private let input: ImportInput
    let schema: ProfileSchema
    private let options: ImportOptions
    /// The corrections of ``correcting(_:)``, in their order.
    public private(set) var corrections: [Correction] = []
    /// The options of an import that stores rows of this file.
    let optionsOfStoring: ImportOptions
    /// The thread for reading and writing, because both operations may block.
    private let thread = ThreadPool(threads: 1)

    /// Opens a file of rejected rows.
    ///
    /// - Parameters:
    ///   - input: The source of the bytes.
    ///   - schema: The schema of the store.
    ///   - options: The format of the file, and the mapping of its columns to fields.
    ///   - folder: The folder for the copy of the input. The copy has no name, and no other process can read it.
    /// - Throws: ``ImportError`` if the input cannot be opened.
    public init(
        _ input: ImportInput, schema: ProfileSchema, options: ImportOptions, keptIn folder: String = "/tmp"
    ) throws(ImportError) {
        self.input = try input.independentlyReadable(keptIn: folder)
        self.schema = schema
        var storing = options
        (storing.mostIssues, storing.remembersRejectedRecords) = (0, true)
        optionsOfStoring = storing
        var options = options
        // Only an import with `update` accepts a file in which a required field has no column. The user is asked for
        // the missing values.
        options.duplicates = .update
        self.options = options
    }

    /// Returns the rows from the beginning of the file.
    ///
    /// - Throws: ``ImportError`` if the file or its header cannot be read, or if an import with
    ///   `update` would refuse its columns.
    public func rows() async throws(ImportError) -> RejectedRows {
        let reading = try InputReading(input)
        let source = try await reading.blocking(thread) { () throws(ImportError) in
            try ImportSource(reading, schema: schema, options: options)
        }
        return RejectedRows(source, reading, schema, thread, corrections)
    }

    /// Returns the number of rows.
    ///
    /// - Throws: ``ImportError`` if the file cannot be read, or if an import with `update` would refuse its columns.
    ///   Throws `notRejectedRows` if the file is not a file of rejected rows or if a row cannot be written unchanged.
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

    /// The name of the file.
    var name: String { input.name }

    /// Returns the file with one more correction. All rows are read and written with this correction, except for rows
    /// that ``rows()`` has already begun to read.
    public func correcting(_ correction: Correction) -> RejectedRowFile {
        var file = self
        file.corrections.append(correction)
        return file
    }

    /// A row with corrected values.
    public struct CorrectedRow: Sendable {
        /// The number of the row in the file.
        public let number: Int
        /// The corrected values.
        public let profile: ValidProfile

        /// Creates a row with corrected values.
        public init(number: Int, profile: ValidProfile) {
            self.number = number
            self.profile = profile
        }
    }

    /// Writes the file to a sink: the byte order mark if there is one, the header, and the rows. Except for
    /// the ``corrections``, all cells are written unchanged, including those in the columns `_line` and `_issues`.
    ///
    /// - Parameters:
    ///   - sink: The destination. After an error the written file is incomplete.
    ///   - dropped: The numbers of rows to omit.
    ///   - corrected: The row that is written with corrected values. The cells of secrets become empty.
    /// - Returns: The number of rows in the new file.
    /// - Throws: `writingToSink`, or the error of reading the file.
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

    /// Writes the rows of the file to an open descriptor, which the caller closes.
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
                let corrections = cellCorrections(source.columns)
                while let batch = try source.next() {
                    for record in batch.records.records where !dropped.contains(record.number) {
                        if let corrected, corrected.number == record.number {
                            try writer.record(cells(of: corrected.profile, for: record, batch.records, source.columns))
                        } else if let (cells, _) = corrections.cells(of: record, batch.records) {
                            try writer.record(cells)
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

    /// Reads the file from its first row, on a thread that may block.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (ImportSource) throws(ImportError) -> Value
    ) async throws(ImportError) -> Value {
        let reading = try InputReading(input)
        return try await reading.blocking(thread) { () throws(ImportError) in
            try body(ImportSource(reading, schema: schema, options: options))
        }
    }

    /// Returns the cells of a corrected profile. The values have the form that an import accepts. The cells of secrets
    /// are empty. If a column belongs to no field, the cell of a readable row stays unchanged.
    private func cells(
        of profile: ValidProfile, for record: RecordBatch.Record, _ batch: borrowing RecordBatch,
        _ columns: ImportColumns
    ) -> [String] {
        let line =
            record.reasonCells(of: batch, columns.header).first.map { String(batch.cell($0)) } ?? String(record.line)
        var cells = columns.header.map { $0 == ImportColumns.lineColumn ? line : "" }
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
