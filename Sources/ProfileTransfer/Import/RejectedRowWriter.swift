internal import CSVStream
internal import ProfileCore
internal import ProfileStore

/// Writes the rejected rows of an import, ready for correction and another import (I7). The file has the columns of the
/// input, followed by the columns `_line` and `_issues`. An import ignores these two columns.
///
/// - Columns of secrets are present but empty. Ignored columns may be omitted: the schema does not describe them, so
///   they may contain passwords. If a record has a wrong number of cells or a fault, any of its cells may contain a
///   secret. Therefore, if the input has secret or omitted columns, all cells of such a record are written as empty
///   cells. The column `_line` contains the line of the original record.
/// - If a record has a wrong number of cells or a fault, its row in this file also has a wrong number of cells. So an
///   import refuses the row again until a person corrects it. If the record has a fault, for example because it is not
///   UTF-8, empty cells follow until the row has too many cells. An import pads only rows with too few cells. If a JSON
///   object has errors, values that could not become cells are written as one JSON object, in an additional cell.
/// - The file is always readable: U+FFFD replaces NUL and bytes that are not UTF-8.
/// - If the input is a corrected file of rejected rows, it already has the columns `_line` and `_issues`. The writer
///   replaces them.
/// - If the primary key is the record number or a hash of the content, it is written too. Without it, an import of the
///   corrected file would compute another key, which may be the key of another profile. A key of several columns is not
///   written, so an import computes it from the corrected cells.
struct RejectedRowWriter: ~Copyable {
    /// The place of a computed primary key.
    enum KeyPlace {
        /// A new first column with this heading.
        case newColumn(String)
        /// The input's column at this index.
        case column(Int)

        fileprivate var heading: String? { if case .newColumn(let name) = self { name } else { nil } }
    }

    private let columns: [String]
    /// Whether each cell belongs to its column even if the record has further cells.
    private let namesCells: Bool
    /// The columns to write. For each column: its index, and whether it is a secret.
    private let kept: [(index: Int, isSecret: Bool)]
    /// Whether the input has secret or omitted columns. The cells of these columns are not written.
    private let withholdsCells: Bool
    /// Whether a row was written without its values, because they could not be assigned to columns.
    private(set) var hasWithheldRows = false
    /// The place of the computed primary key; nil if it is not written.
    private let key: KeyPlace?
    private var writer: CSVWriter

    /// Writes the header.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns: the header of a CSV input, `column_1`, `column_2`, … if it has no header,
    ///     or the names of the fields for JSON.
    ///   - secretColumns: The indices of columns with passwords or hashes.
    ///   - omittedColumns: The indices of columns to omit.
    ///   - namesCells: Whether the input names the column of each value, as JSON does. If a record then has more cells
    ///     than there are columns, the additional cell contains no value of a column.
    ///   - computedKey: The place of the computed primary key; nil if it is not written.
    ///   - delimiter: The delimiter of the input. The file of rejected rows has the same delimiter, so it can be
    ///     imported with the same options as the input.
    ///   - isMarked: Whether to write a byte order mark, which marks the file as UTF-8. The mark is necessary if the
    ///     import options name another encoding for the input. If the file of rejected rows is imported with the same
    ///     options, the mark overrides this encoding.
    ///   - sink: The destination, usually a file with permissions 0600.
    /// - Throws: The error of the sink.
    init(
        columns: [String], secretColumns: Set<Int>, omittedColumns: Set<Int> = [], namesCells: Bool = false,
        computedKey: KeyPlace? = nil, delimiter: CSVDelimiter = .comma, isMarked: Bool = false, to sink: ByteSink
    ) throws(ByteStreamError) {
        self.columns = columns
        self.namesCells = namesCells
        kept = columns.indices
            .filter { !ImportColumns.rejectColumns.contains(columns[$0]) && !omittedColumns.contains($0) }
            .map { (index: $0, isSecret: secretColumns.contains($0)) }
        withholdsCells = !secretColumns.isEmpty || !omittedColumns.isEmpty
        key = computedKey
        writer = CSVWriter(to: sink, delimiter: delimiter, isMarked: isMarked)
        try writer.record(
            [computedKey?.heading].compactMap(\.self) + kept.map { columns[$0.index] } + ImportColumns.rejectColumns)
    }

    /// Writes one rejected record.
    ///
    /// - Parameters:
    ///   - index: The position of the record in the batch's `records`.
    ///   - batch: The records as read.
    ///   - computed: The computed primary key of the record; nil if it has none.
    ///   - isHeader: Whether the record repeats the header. Its row then repeats the header of this file, so an import
    ///     refuses it again.
    ///   - issues: All issues of the record.
    /// - Throws: The error of the sink.
    mutating func write(
        record index: Int, of batch: borrowing RecordBatch, key computed: String? = nil, isHeader: Bool = false,
        issues: [ReportedIssue]
    ) throws(ByteStreamError) {
        let record = batch.records[index]
        if let heading = key?.heading { writer.cell((isHeader ? heading : computed ?? "").utf8.span) }
        if record.fault == nil, namesCells || record.cells.count == columns.count {
            writeColumns(of: record, batch, computed, isHeader: isHeader)
        } else {
            writeCells(of: record, batch)
        }
        writer.cell(String(record.line).utf8.span)
        // A message may quote the name of a JSON member, which may contain NUL.
        writer.cell(Self.readable(issues.map(\.inOneCell).joined(separator: "; ")).utf8.span)
        try writer.endRecord()
    }

    /// Writes the buffered records. Without this call, the buffered records are lost.
    consuming func finish() throws(ByteStreamError) { try writer.finish() }

    /// Writes the cells of a record in their columns, and the cells that belong to no column after them.
    private mutating func writeColumns(
        of record: RecordBatch.Record, _ batch: borrowing RecordBatch, _ computed: String?, isHeader: Bool
    ) {
        // A JSON string may contain NUL as an escape sequence. Such a record has no `fault`.
        let isReadable = !record.cells.contains { batch.hasNUL(inCell: $0) }
        for column in kept {
            if isHeader {
                // The row must repeat the header of this file, in which repeated names have numbers.
                writer.cell(columns[column.index].utf8.span)
            } else if let computed, case .column(column.index)? = key {
                writer.cell(computed.utf8.span)
            } else if column.isSecret {
                writer.cell("".utf8.span)
            } else {
                let cell = record.cells.lowerBound + column.index
                if isReadable { writer.cell(batch.cell(cell)) } else { writeReadable(batch.cell(cell)) }
            }
        }
        for cell in record.cells.dropFirst(columns.count) { writeReadable(batch.cell(cell)) }
    }

    /// Writes the cells of a record that cannot be assigned to columns, because the record has a fault or a wrong
    /// number of cells.
    private mutating func writeCells(of record: RecordBatch.Record, _ batch: borrowing RecordBatch) {
        let cells = record.cellsBeforeReason(of: batch, columns)
        if withholdsCells { hasWithheldRows = true }
        let omitted = columns.count { !ImportColumns.rejectColumns.contains($0) } - kept.count
        var count = 0
        for cell in cells.dropFirst(omitted) {
            if withholdsCells { writer.cell("".utf8.span) } else { writeReadable(batch.cell(cell)) }
            count += 1
        }
        guard record.fault != nil || count == kept.count else { return }
        for _ in count..<max(count, kept.count + 1) { writer.cell("".utf8.span) }
    }

    private mutating func writeReadable(_ cell: Span<UInt8>) { writer.cell(Self.readable(String(cell)).utf8.span) }

    private static func readable(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}

extension RecordBatch.Record {
    /// Returns the cells of a row without the cells `_line` and `_issues` of an earlier file of rejected rows. The row
    /// may have any number of cells. Its last two cells are `_line` and `_issues` only if they look like a line number
    /// and issues.
    func cellsBeforeReason(of batch: borrowing RecordBatch, _ header: [String]) -> Range<Int> {
        guard ImportColumns.endsWithReason(header), cells.count > 1,
            Int(String(batch.cell(cells.upperBound - 2))) != nil,
            String(batch.cell(cells.upperBound - 1)).contains(": ")
        else { return cells }
        return cells.lowerBound..<cells.upperBound - 2
    }

    /// Returns the cells `_line` and `_issues` at the end of a row; none if they are missing.
    func reasonCells(of batch: borrowing RecordBatch, _ header: [String]) -> Range<Int> {
        cellsBeforeReason(of: batch, header).upperBound..<cells.upperBound
    }
}

extension RecordBatch {
    fileprivate func hasNUL(inCell index: Int) -> Bool { cell(index).withUnsafeBufferPointer { $0.contains(0) } }
}

extension ReportedIssue {
    /// The text for one cell, such as `phone: too_short (Phone should have at least 8 characters)`.
    fileprivate var inOneCell: String { "\(field ?? "row"): \(code) (\(message))" }
}
