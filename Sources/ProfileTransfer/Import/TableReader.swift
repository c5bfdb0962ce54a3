package import CSVStream
package import ProfileCore

/// Reads the records of a CSV input below its header.
package struct TableReader: ~Copyable, Sendable {
    package let header: TableHeader
    /// The line of the header, from 1; nil if the input has no header.
    let headerLine: Int?
    private var csv: CSVReader
    /// The records that were read to count the columns of an input without a header.
    private var ahead: RecordBatch?
    private let padsShortRows: Bool

    /// The number of records that are read to count the columns of an input without a header.
    private static let recordsAhead = 500
    /// The maximum number of cells in a batch of padded records. Each short line may become a record of 10,000 cells.
    private static let mostPaddedCells = 1 << 19

    /// The delimiter of the input.
    package var delimiter: CSVDelimiter { csv.delimiter }
    /// The number of bytes of the input read so far.
    package var bytesRead: UInt64 { csv.bytesRead }

    /// Reads the header. Blocks the thread.
    ///
    /// - Parameters:
    ///   - reader: The reader of the input.
    ///   - layout: The layout of the table.
    ///   - knownColumns: The number of columns that an input without a header probably has. If several numbers of cells
    ///     are equally frequent in the first records, the reader prefers this number.
    /// - Throws: ``ImportError`` if there is no readable header.
    package init(
        _ reader: consuming CSVReader, layout: TableLayout, knownColumns: Int? = nil
    ) throws(ImportError) {
        var csv = reader
        // The rows of a sheet lack their empty cells at the end.
        padsShortRows = layout.padsShortRows || csv.isLinePerRecord
        let most = csv.batchRecords
        // The reader may put passwords into the batch before the columns are known. Therefore the batch is marked as
        // secret.
        var records = RecordBatch(containsSecrets: true)
        if !layout.hasHeader { csv.batchRecords = min(most, Self.recordsAhead) }
        do throws(ByteStreamError) {
            _ = layout.hasHeader ? try csv.header(into: &records) : try csv.next(into: &records)
        } catch {
            throw ImportError(error)
        }
        header = try Self.header(of: records, layout, isPadded: padsShortRows, knownColumns)
        headerLine = layout.hasHeader ? records.records.first?.line : nil
        csv.batchRecords =
            padsShortRows ? min(most, max(1, Self.mostPaddedCells / max(1, header.names.count))) : most
        if ImportColumns.isOfRejects(header.names) { csv.maximumRecordBytes = ImportSource.longestReject }
        self.csv = csv
        if layout.hasHeader { ahead = nil } else { ahead = consume records }
    }

    /// Reads the next records.
    ///
    /// - Parameter containsSecrets: Whether the bytes of the records are zeroed when they are discarded.
    /// - Returns: The records, or nil at the end of the input.
    /// - Throws: The error of the source.
    package mutating func next(containsSecrets: Bool) throws(ByteStreamError) -> RecordBatch? {
        var records = RecordBatch(containsSecrets: containsSecrets)
        if let first = ahead.take() {
            records = first
        } else {
            guard try csv.next(into: &records) else { return nil }
        }
        if padsShortRows {
            let reason = ImportColumns.endsWithReason(header.names) ? ImportColumns.rejectColumns.count : 0
            records.pad(to: header.names.count, keepingLast: reason)
        }
        return records
    }

    private static func header(
        of records: borrowing RecordBatch, _ layout: TableLayout, isPadded: Bool, _ knownColumns: Int?
    ) throws(ImportError) -> TableHeader {
        if let line = layout.headerLine, records.records.first?.line != line { throw .noHeaderInLine(line) }
        guard let first = records.records.first else { throw .noHeader }
        let count = layout.hasHeader ? first.cells.count : width(of: records, isPadded: isPadded, knownColumns)
        guard let count, first.fault == nil || !layout.hasHeader else { throw .unreadableHeader(line: first.line) }
        guard count <= ImportColumns.mostColumns else {
            throw .tooManyColumns(count, most: ImportColumns.mostColumns)
        }
        return layout.hasHeader
            ? TableHeader(cells: first.cells.map { String(records.cell($0)) }) : TableHeader(columns: count)
    }

    /// Returns the number of columns of an input without a header. It is the number of cells that most records have. If
    /// short records are padded, it is the largest number of cells that at least two records have.
    ///
    /// - Returns: Nil if no record is readable.
    private static func width(
        of records: borrowing RecordBatch, isPadded: Bool, _ knownColumns: Int?
    ) -> Int? {
        var counts: [Int: Int] = [:]
        for record in records.records where record.fault == nil { counts[record.cells.count, default: 0] += 1 }
        if isPadded, let widest = counts.filter({ $0.value > 1 }).keys.max() { return widest }
        func rank(_ count: (key: Int, value: Int)) -> (Int, Int, Int) {
            (count.value, count.key == knownColumns ? 1 : 0, count.key)
        }
        return counts.max { rank($0) < rank($1) }?.key
    }
}
