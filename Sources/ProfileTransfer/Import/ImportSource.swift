internal import CSVStream
internal import ProfileCore
internal import Synchronization

/// An input that is being imported: an open file and what is known of it.
public struct ImportInput: Sendable {
    /// Stays the caller's to close.
    public let descriptor: Int32
    /// As it was given; `-` for standard input.
    public let name: String
    /// Nil where it cannot be known, as of a pipe.
    public let byteCount: UInt64?
    /// What it is read from where it may be read more than once.
    private(set) var repeatable: RepeatableInput?

    /// Names an open file.
    public init(descriptor: Int32, name: String, byteCount: UInt64?) {
        self.descriptor = descriptor
        self.name = name
        self.byteCount = byteCount
    }

    /// The same input, fit to be read from its beginning more than once, as by an inference and an import after it.
    ///
    /// What is no file is kept while it is read for the first time, in a file without a name that nobody else can read.
    ///
    /// - Parameter folder: Where that file is made.
    /// - Returns: The input, which may be read again.
    /// - Throws: Why it cannot be made.
    public func readableAgain(keptIn folder: String) throws(ImportError) -> ImportInput {
        var input = self
        input.repeatable = try RepeatableInput(
            self, interruptedBy: .ofInput(), copiedTo: .temporaryFileTemplate(in: folder))
        return input
    }
}

/// Hands out the records of an input, batch by batch, to whichever thread asks.
final class ImportSource: Sendable {
    let columns: ImportColumns
    /// The input's, or a comma where it is no CSV.
    let delimiter: CSVDelimiter
    /// How the input's characters are written.
    let encoding: TextEncoding
    /// Whether nothing but the look of the bytes says so.
    let isEncodingGuessed: Bool
    /// Ends the input for whoever waits for more of it.
    let interruption: ReadInterruption
    private let reader: Mutex<Reader>
    /// What it is read from, if it may be read twice.
    private let repeatable: RepeatableInput?
    private let schema: ProfileSchema
    private let options: ImportOptions

    /// A transaction a batch must be short, so that others do not wait (I14), however short the records are.
    static let recordsPerBatch = 5_000

    private enum Reader: ~Copyable, Sendable {
        case csv(CSVReader, containsSecrets: Bool)
        case json(JSONObjectReader)
    }

    /// Reads the header and finds the field of each column. Blocks the thread.
    ///
    /// An input that may have passwords, and is no file, is copied, so that it can be read twice; without a template for
    /// the copy's name once is enough.
    convenience init(
        _ input: ImportInput, interruptedBy interruption: ReadInterruption, schema: ProfileSchema,
        options: ImportOptions, copiedTo template: [CChar]?
    ) throws(ImportError) {
        try input.repeatable?.rewind()
        var repeatable = input.repeatable
        if repeatable == nil, let template {
            repeatable = try RepeatableInput(input, interruptedBy: interruption, copiedTo: template)
        }
        try self.init(
            repeatable?.source ?? .descriptor(input.descriptor, interruptedBy: interruption), repeatable,
            interruption, schema, options)
        if !columns.hasPasswords { repeatable?.readOnce() }
    }

    private init(
        _ source: ByteSource, _ repeatable: RepeatableInput?, _ interruption: ReadInterruption,
        _ schema: ProfileSchema, _ options: ImportOptions
    ) throws(ImportError) {
        self.repeatable = repeatable
        self.interruption = interruption
        self.schema = schema
        self.options = options
        let input: OpenedInput
        do throws(InputError) {
            input = try OpenedInput(
                source, format: options.format, encoding: options.encoding, batchRecords: Self.recordsPerBatch)
        } catch {
            throw ImportError(error)
        }
        encoding = input.encoding
        isEncodingGuessed = input.isEncodingGuessed
        switch consume input.records {
        case .json(let elements):
            columns = try ImportColumns(objectsOf: schema, options: options)
            delimiter = .comma
            reader = Mutex(.json(JSONObjectReader(elements, columns: columns, options: options)))
        case .csv(var csv):
            columns = try Self.columns(of: &csv, schema, options)
            delimiter = csv.delimiter
            reader = Mutex(.csv(csv, containsSecrets: columns.hasPasswords))
        }
    }

    /// The input from its beginning, when nobody reads this one any more. Blocks the thread.
    func again() throws(ImportError) -> ImportSource {
        guard let repeatable else { throw .inputChanged }
        try repeatable.rewind()
        let again = try ImportSource(repeatable.source, repeatable, interruption, schema, options)
        guard again.columns.header == columns.header else { throw .inputChanged }
        return again
    }

    /// The next records; nil at the end of the input.
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

    /// Finds the field of each column. Where they do not fit, a line further down may be the header.
    private static func columns(
        of csv: inout CSVReader, _ schema: ProfileSchema, _ options: ImportOptions
    ) throws(ImportError) -> ImportColumns {
        let header = try header(of: &csv)
        do throws(ImportError) {
            return try ImportColumns(header: header, schema: schema, options: options)
        } catch .columnMismatch(var mismatch) {
            var records = RecordBatch(containsSecrets: true)
            do throws(ByteStreamError) { _ = try csv.next(into: &records) } catch { throw ImportError(error) }
            mismatch.headerLine = ImportColumns.headerLine(in: records, schema: schema, options: options)
            throw .columnMismatch(mismatch)
        }
    }

    static func header(of csv: inout CSVReader) throws(ImportError) -> [String] {
        // Read with as much of the input as comes at once, before it is known whether there are passwords in it.
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

extension ReadInterruption {
    /// One for an input that is going to be read.
    static func ofInput() throws(ImportError) -> ReadInterruption {
        do throws(ByteStreamError) { return try ReadInterruption() } catch { throw ImportError(error) }
    }
}

extension [CChar] {
    /// A name of `mkstemp(3)` for a file that loses it as soon as it is open.
    static func temporaryFileTemplate(in folder: String) -> [CChar] { Array("\(folder)/profiles-XXXXXX".utf8CString) }
}

extension ImportError {
    /// Why an input cannot be opened.
    init(_ error: InputError) {
        switch error {
        case .stream(let error): self.init(error)
        case .unknownEncoding(let name): self = .unknownEncoding(name)
        case .looksLike(let kind): self = .looksLike(kind)
        }
    }

    /// Why an input cannot be read: a copy of it may have to be written meanwhile.
    init(_ error: ByteStreamError) {
        switch error.operation {
        case .read: self = .reading(code: error.code)
        case .write: self = .copyingInput(code: error.code)
        case .decompress: self = .damagedCompression
        }
    }
}
