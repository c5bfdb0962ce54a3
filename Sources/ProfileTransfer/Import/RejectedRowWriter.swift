internal import CSVStream
internal import ProfileCore
internal import ProfileStore

/// Writes the rows that an import rejects, ready to be mended and imported again (I7): the input's columns, then `_line`
/// and `_issues`, which an import passes over.
///
/// - Columns of secrets are there and empty; others may be left out, which nothing is known of. In an input that has
///   any of either, a record whose cells cannot be told apart for certain, since it has more or fewer of them than the
///   header or could not be split as it should, has none of its cells written: a secret may stand in any of them. Its
///   line leads to it.
/// - A record with fewer cells than the header is filled up with empty ones; in one with more, what is over is joined to
///   the last cell by the delimiter, so that nothing is lost and the row fits its header.
/// - The file can be read whatever the input was: bytes that are not UTF-8, and NUL, become U+FFFD. Only these rows'
///   cells differ from the input's.
/// - `_line` and `_issues` columns of the input, which a mended file of ours has, give way to the new ones.
/// - Where the primary key is the record's number it has a column, before all others: in another file the row would have
///   another number, which may be somebody else's.
struct RejectedRowWriter: ~Copyable {
    private let columnCount: Int
    /// The columns that are kept, and whether each is a secret.
    private let kept: [(index: Int, isSecret: Bool)]
    /// Whether there are columns whose cells are not written.
    private let withholdsCells: Bool
    /// Whether rows begin with their numbers.
    private let hasNumbers: Bool
    private let delimiter: CSVDelimiter
    private var writer: CSVWriter

    /// Writes the header.
    ///
    /// - Parameters:
    ///   - columns: The input's header, or the fields' names where it has none.
    ///   - secretColumns: The indices of columns with passwords or hashes.
    ///   - omittedColumns: The indices of columns that are left out.
    ///   - numberedKey: What the primary key is called where it is the record's number; nil where it has a column.
    ///   - delimiter: The input's, so that one set of options imports both files.
    ///   - isMarked: Whether a byte order mark says that the file is UTF-8: the same options may name the encoding of an
    ///     input that is not, and the mark says more than they.
    ///   - sink: Usually a file made 0600.
    /// - Throws: What the sink throws.
    init(
        columns: [String], secretColumns: Set<Int>, omittedColumns: Set<Int> = [],
        numberedKey: String? = nil, delimiter: CSVDelimiter = .comma, isMarked: Bool = false, to sink: ByteSink
    ) throws(ByteStreamError) {
        columnCount = columns.count
        kept = columns.indices
            .filter { !ImportColumns.rejectColumns.contains(columns[$0]) && !omittedColumns.contains($0) }
            .map { (index: $0, isSecret: secretColumns.contains($0)) }
        withholdsCells = !secretColumns.isEmpty || !omittedColumns.isEmpty
        hasNumbers = numberedKey != nil
        self.delimiter = delimiter
        writer = CSVWriter(to: sink, delimiter: delimiter, isMarked: isMarked)
        try writer.record(
            [numberedKey].compactMap(\.self) + kept.map { columns[$0.index] } + ImportColumns.rejectColumns)
    }

    /// Writes one rejected record.
    ///
    /// - Parameters:
    ///   - index: Its position in the batch's `records`.
    ///   - batch: The batch as it was read.
    ///   - issues: All of the record's.
    /// - Throws: What the sink throws.
    mutating func write(
        record index: Int, of batch: borrowing RecordBatch, issues: [ReportedIssue]
    ) throws(ByteStreamError) {
        let record = batch.records[index]
        let isWhole = record.fault == nil && record.cells.count == columnCount
        if hasNumbers { writer.cell(String(record.number).utf8.span) }
        for (position, column) in kept.enumerated() {
            if column.isSecret || (withholdsCells && !isWhole) || column.index >= record.cells.count {
                writer.cell("".utf8.span)
            } else if isWhole {
                writer.cell(batch.cell(record.cells.lowerBound + column.index))
            } else {
                var text = Self.readable(batch.cell(record.cells.lowerBound + column.index))
                if position == kept.count - 1 { text += surplus(of: record, batch) }
                writer.cell(text.utf8.span)
            }
        }
        writer.cell(String(record.line).utf8.span)
        writer.cell(issues.map(\.inOneCell).joined(separator: "; ").utf8.span)
        try writer.endRecord()
    }

    /// Writes the last records; without it they are not written.
    consuming func finish() throws(ByteStreamError) { try writer.finish() }

    private func surplus(of record: RecordBatch.Record, _ batch: borrowing RecordBatch) -> String {
        var text = ""
        for cell in record.cells.dropFirst(columnCount) {
            text.unicodeScalars.append(Unicode.Scalar(delimiter.byte))
            text += Self.readable(batch.cell(cell))
        }
        return text
    }

    private static func readable(_ cell: Span<UInt8>) -> String {
        let text = String(cell)
        guard text.utf8.contains(0) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}

extension ReportedIssue {
    /// `phone: too_short (Phone should have at least 8 characters)`.
    fileprivate var inOneCell: String { "\(field ?? "row"): \(code) (\(message))" }
}
