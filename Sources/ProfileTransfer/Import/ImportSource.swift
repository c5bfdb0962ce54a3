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
    /// The line of the header, if a search found it below the first line. Nil if the options or the settings of the
    /// store name this line.
    let foundHeaderLine: Int?
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
    static let longestReject = 2 * CSVOptions.usualMaximumRecordBytes + (1 << 16)

    private enum Reader: ~Copyable, Sendable {
        case csv(TableReader, ComputedKeys?)
        case json(JSONObjectReader)
    }

    /// Reads the header and maps each column to a field. Blocks the thread.
    init(_ reading: InputReading, schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        self.reading = reading
        self.schema = schema
        self.options = options
        let usual = schema.importSettings
        let input: OpenedInput
        do throws(InputError) {
            input = try OpenedInput(
                reading, format: options.format, encoding: options.encoding, layout: options.layout, usual: usual,
                header: StoreHeader(schema, options),
                batchRecords: Self.recordsPerBatch)
        } catch {
            throw ImportError(error)
        }
        encoding = input.encoding
        isEncodingGuessed = input.isEncodingGuessed
        isMarked = input.isMarked
        isCompressed = input.isCompressed
        let layout = input.layout
        let askedLine = options.layout.completed(by: usual.layout).headerLine
        foundHeaderLine = layout.headerLine == askedLine ? nil : layout.headerLine
        switch consume input.records {
        case .json(let elements):
            columns = try ImportColumns(objectsOf: schema, options: options)
            format = .json
            delimiter = .comma
            reader = Locked(.json(JSONObjectReader(elements, columns: columns, options: options)))
        case .csv(let csv):
            var table = try TableReader(
                csv, layout: layout,
                knownColumns: layout.hasHeader ? nil : ColumnUses(schema, options).numberedColumns)
            columns = try Self.columns(of: &table, schema, options)
            format = .csv(delimiter: table.delimiter.byte)
            delimiter = table.delimiter
            reader = Locked(.csv(table, ComputedKeys(of: columns)))
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
            case .csv(var table, var keys):
                let outcome: Result<ReadBatch?, ByteStreamError>
                do throws(ByteStreamError) {
                    if let records = try table.next(containsSecrets: columns.hasPasswords) {
                        let computed = keys?.keys(of: records) ?? []
                        outcome = .success(ReadBatch(records, keys: computed, bytesRead: table.bytesRead))
                    } else {
                        outcome = .success(nil)
                    }
                } catch {
                    outcome = .failure(error)
                }
                reader = .csv(table, keys)
                return try outcome.get()
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

    /// Reads the header and maps each column to a field. If the columns do not match the schema, throws
    /// `columnMismatch`. The error names a later line that looks like the header, if there is such a line.
    private static func columns(
        of table: inout TableReader, _ schema: ProfileSchema, _ options: ImportOptions
    ) throws(ImportError) -> ImportColumns {
        do throws(ImportError) {
            return try ImportColumns(of: table.header, schema: schema, options: options)
        } catch .columnMismatch(var mismatch) {
            mismatch.lineRead = table.headerLine
            do throws(ByteStreamError) {
                if let records = try table.next(containsSecrets: true) {
                    mismatch.headerLine = ImportColumns.headerLine(in: records, schema: schema, options: options)
                }
            } catch {
                throw ImportError(error)
            }
            throw .columnMismatch(mismatch)
        }
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
