package import CSVStream
internal import ProfileCore
internal import Threads

/// Reads an input and returns its records in batches. Any thread may call `next()`.
package final class ImportSource: Sendable {
    let columns: ImportColumns
    /// The detected format of the input.
    let format: InputFormat
    /// The delimiter of the input, or a comma if the input is not CSV.
    let delimiter: CSVDelimiter
    /// The character encoding of the input.
    let encoding: TextEncoding
    /// Whether the encoding is a guess from the bytes.
    let isEncodingGuessed: Bool
    /// Whether the input has a byte order mark.
    let isMarked: Bool
    /// Whether the input is compressed with gzip.
    let isCompressed: Bool
    private let reader: Locked<Reader>
    private let reading: InputReading
    private let schema: ProfileSchema
    private let options: ImportOptions

    /// The maximum number of records in a batch. Each batch is a transaction. Other writers wait for this transaction,
    /// so it must be short even if the batch has many short records (I14).
    package static let recordsPerBatch = 5_000

    /// The maximum length of a rejected row in bytes. A rejected row may be longer than the original record, because
    /// the writer doubles quotes and adds the text of the issues.
    private static let longestReject = 2 * CSVOptions.usualMaximumRecordBytes + (1 << 16)

    private enum Reader: ~Copyable, Sendable {
        case csv(CSVReader, containsSecrets: Bool)
        case json(JSONObjectReader)
    }

    /// Reads the header and maps each column to a field. Blocks the thread.
    init(_ reading: InputReading, schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        self.reading = reading
        self.schema = schema
        self.options = options
        let input: OpenedInput
        do throws(InputError) {
            input = try OpenedInput(
                reading, format: options.format, encoding: options.encoding, batchRecords: Self.recordsPerBatch)
        } catch {
            throw ImportError(error)
        }
        encoding = input.encoding
        isEncodingGuessed = input.isEncodingGuessed
        isMarked = input.isMarked
        isCompressed = input.isCompressed
        switch consume input.records {
        case .json(let elements):
            columns = try ImportColumns(objectsOf: schema, options: options)
            format = .json
            delimiter = .comma
            reader = Locked(.json(JSONObjectReader(elements, columns: columns, options: options)))
        case .csv(var csv):
            columns = try Self.columns(of: &csv, schema, options)
            format = .csv(delimiter: csv.delimiter.byte)
            delimiter = csv.delimiter
            reader = Locked(.csv(csv, containsSecrets: columns.hasPasswords))
        }
    }

    /// Returns a source that reads the input from its beginning again. The input must be repeatable. When this method
    /// is called, no read of this source may be in progress. Blocks the thread.
    func again() throws(ImportError) -> ImportSource {
        guard let repeatable = reading.repeatable else { throw .inputChanged }
        let again = try ImportSource(repeatable.reading(), schema: schema, options: options)
        guard again.columns.header == columns.header else { throw .inputChanged }
        return again
    }

    /// Returns the next records, or nil at the end of the input.
    func next() throws(ByteStreamError) -> ReadBatch? {
        try reader.withLock { reader throws(ByteStreamError) in
            switch consume reader {
            case .csv(var csv, let containsSecrets):
                var records = RecordBatch(containsSecrets: containsSecrets)
                let outcome: Result<Bool, ByteStreamError>
                do throws(ByteStreamError) {
                    outcome = .success(try csv.next(into: &records))
                } catch {
                    outcome = .failure(error)
                }
                let bytesRead = csv.bytesRead
                reader = .csv(csv, containsSecrets: containsSecrets)
                return try outcome.get() ? ReadBatch(records, bytesRead: bytesRead) : nil
            case .json(var objects):
                let outcome: Result<ReadBatch?, ByteStreamError>
                do throws(ByteStreamError) {
                    outcome = .success(try objects.next())
                } catch {
                    outcome = .failure(error)
                }
                reader = .json(objects)
                return try outcome.get()
            }
        }
    }

    /// Reads the header and maps each column to a field. If the columns do not match the schema, searches the next
    /// lines for a line that may be the header.
    private static func columns(
        of csv: inout CSVReader, _ schema: ProfileSchema, _ options: ImportOptions
    ) throws(ImportError) -> ImportColumns {
        let header = try header(of: &csv)
        if ImportColumns.isOfRejects(header) { csv.maximumRecordBytes = longestReject }
        do throws(ImportError) {
            return try ImportColumns(header: header, schema: schema, options: options)
        } catch .columnMismatch(var mismatch) {
            var records = RecordBatch(containsSecrets: true)
            do throws(ByteStreamError) { _ = try csv.next(into: &records) } catch { throw ImportError(error) }
            mismatch.headerLine = ImportColumns.headerLine(in: records, schema: schema, options: options)
            throw .columnMismatch(mismatch)
        }
    }

    package static func header(of csv: inout CSVReader) throws(ImportError) -> [String] {
        // The reader may put passwords into the batch before the columns are known. Therefore the batch is marked as
        // secret.
        var batch = RecordBatch(containsSecrets: true)
        let isThere: Bool
        do throws(ByteStreamError) { isThere = try csv.header(into: &batch) } catch { throw ImportError(error) }
        guard isThere, let record = batch.records.first else { throw .noHeader }
        guard record.fault == nil else { throw .unreadableHeader(line: record.line) }
        guard record.cells.count <= ImportColumns.mostColumns else {
            throw .tooManyColumns(record.cells.count, most: ImportColumns.mostColumns)
        }
        return record.cells.map { String(batch.cell($0)) }
    }
}

extension ImportError {
    /// Converts an error that occurred when an input was opened.
    package init(_ error: InputError) {
        switch error {
        case .stream(let error): self.init(error)
        case .unknownEncoding(let name): self = .unknownEncoding(name)
        case .looksLike(let kind): self = .looksLike(kind)
        }
    }

    /// Converts an error that occurred when an input was read, or when a copy of the input was written.
    package init(_ error: ByteStreamError) {
        if let cause = error.cause {
            self = .readingStream(StreamFailure(cause))
            return
        }
        switch error.operation {
        case .read: self = .reading(code: error.code)
        case .write: self = .copyingInput(code: error.code)
        case .decompress: self = .damagedCompression
        }
    }

    /// Converts an error that occurred when rejected rows were written.
    init(writingRejects error: ByteStreamError) {
        self = error.cause.map { .writingToSink(StreamFailure($0)) } ?? .writingRejects(code: error.code)
    }
}
