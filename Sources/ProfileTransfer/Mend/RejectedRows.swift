internal import CSVStream
internal import Platform
public import ProfileCore
internal import ProfileStore

/// The rows of a file of rejected rows, one after another, and a file of those that are left (N9).
///
/// ``next()`` hands out a row; unless ``drop()`` is called before the following one, the row is among those that are
/// left. ``finish()`` adds whatever was not handed out. Rows are copied as they stand, `_line` and `_issues` too, so that
/// what is left can be mended as well.
public final class RejectedRows {
    /// A rejected row, ready to be put into a form.
    public struct Row: Sendable {
        /// Its position in the file, from 1.
        public let number: Int
        /// Its line in the file that it was rejected from, or in this one where that is not known.
        public let line: Int
        /// What it holds by field; a cell that is no field, or empty, is left out.
        public let draft: ProfileDraft
        /// Whether its cells could not be told apart, so that the draft is empty.
        public let isUnreadable: Bool
    }

    /// How many rows were left so far.
    public private(set) var leftCount = 0
    private let source: ImportSource
    private let schema: ProfileSchema
    private let lineColumn: Int?
    private var writer: CSVWriter?
    private var batch: ReadBatch?
    private var position = 0
    private var isHandedOut = false

    /// Reads the header. Blocks the thread.
    ///
    /// - Parameters:
    ///   - input: The file.
    ///   - schema: The rules of the store.
    ///   - options: How the file is written, and which columns go to which fields.
    ///   - rest: An open descriptor to which rows that are left go; it stays the caller's to close.
    /// - Throws: ``ImportError``, as an import does before its first row.
    public init(
        _ input: ImportInput, schema: ProfileSchema, options: ImportOptions, rest: Int32
    ) throws(ImportError) {
        self.schema = schema
        source = try Self.source(of: input, schema, options)
        lineColumn = source.columns.header.firstIndex(of: ImportColumns.lineColumn)
        do throws(ByteStreamError) {
            var writer = CSVWriter(to: .descriptor(rest), delimiter: source.delimiter, containsSecrets: true)
            try writer.record(source.columns.header)
            self.writer = consume writer
        } catch {
            throw .writingRejects(code: error.code)
        }
    }

    /// Counts the rows of such a file. Blocks the thread.
    public static func count(
        _ input: ImportInput, schema: ProfileSchema, options: ImportOptions
    ) throws(ImportError) -> Int {
        let source = try source(of: input, schema, options)
        var count = 0
        do throws(ByteStreamError) {
            while let batch = try source.next() { count += batch.records.records.count }
        } catch {
            throw ImportError(error)
        }
        return count
    }

    /// The next row; nil at the end.
    public func next() throws(ImportError) -> Row? {
        try keepCurrent()
        guard let batch = try batchWithNext() else { return nil }
        isHandedOut = true
        return row(position, of: batch.records)
    }

    /// Leaves out the row that was handed out last: it is stored, or nobody wants it.
    public func drop() {
        guard isHandedOut else { return }
        isHandedOut = false
        position += 1
    }

    /// Writes all that is left. The file is whole then.
    public func finish() throws(ImportError) {
        while try next() != nil {}
        do throws(ByteStreamError) { try writer.take()?.finish() } catch { throw .writingRejects(code: error.code) }
    }

    // MARK: Reading

    private static func source(
        of input: ImportInput, _ schema: ProfileSchema, _ options: ImportOptions
    ) throws(ImportError) -> ImportSource {
        // Whoever mends a row is asked for what has no column, as the file of an update may have none.
        var options = options
        options.duplicates = .update
        return try ImportSource(
            input, interruptedBy: .ofInput(), schema: schema, options: options, copiedTo: nil)
    }

    private func batchWithNext() throws(ImportError) -> ReadBatch? {
        while batch.map({ position >= $0.records.records.count }) ?? true {
            do throws(ByteStreamError) { batch = try source.next() } catch { throw ImportError(error) }
            position = 0
            if batch == nil { return nil }
        }
        return batch
    }

    private func row(_ index: Int, of batch: borrowing RecordBatch) -> Row {
        let record = batch.records[index]
        let isWhole = record.fault == nil && record.cells.count == source.columns.header.count
        var draft = ProfileDraft()
        var line = record.line
        if isWhole {
            for (name, value) in ProfileMerge.cells(of: index, in: batch, source.columns, schema) {
                draft[name.text] = value
            }
            if let lineColumn, let number = Int(String(batch.cell(record.cells.lowerBound + lineColumn))) {
                line = number
            }
        }
        return Row(number: record.number, line: line, draft: draft, isUnreadable: !isWhole)
    }

    // MARK: Writing

    private func keepCurrent() throws(ImportError) {
        guard isHandedOut, let batch else { return }
        do throws(ByteStreamError) {
            try write(position, of: batch.records)
        } catch {
            throw .writingRejects(code: error.code)
        }
        leftCount += 1
        isHandedOut = false
        position += 1
    }

    private func write(_ index: Int, of batch: borrowing RecordBatch) throws(ByteStreamError) {
        for cell in batch.records[index].cells { writer?.cell(batch.cell(cell)) }
        try writer?.endRecord()
    }
}

/// One at a time reads it and says what becomes of each row.
@available(*, unavailable)
extension RejectedRows: Sendable {}
