internal import CSVStream
internal import Threads

/// Writes the rows of a sheet as CSV. Each row is one record, and blank rows are blank lines. The reader counts a
/// record as one line, even if its cells contain line breaks. So the number of a line is the number of the row.
///
/// Empty cells at the end of a row are left out. A row that is shorter than the header is filled with empty cells.
final class RowWriter {
    private var writer: CSVWriter
    private let output: WaitingBytes
    private let part: String
    /// The maximum number of bytes that the rows may have together.
    private let mostOutput: Int64
    private var written: Int64 = 0
    /// The row that determines the number of cells. If this row is blank, the first row below it that is not blank
    /// determines the number.
    private let headerRow: Int
    /// The number of cells in the header; 0 before the header.
    private(set) var headerWidth = 0

    /// The number of the current row.
    private(set) var row = 0
    /// The number of the last row that was written.
    private var lastRow = 0
    /// The number of cells in the current row, up to the last one that is not empty.
    private(set) var width = 0
    /// The number of cells in the widest row so far.
    private(set) var greatestWidth = 0
    private var rowBytes = 0

    /// Excel allows 16,384 columns and 1,048,576 rows. LibreOffice allows the same, or 16,777,216 rows if the user asks
    /// for them.
    static let mostColumns = 16_384
    static let mostRows = 16_777_216
    /// The maximum number of bytes that are kept of a row. The CSV reader refuses rows of this length.
    static let mostBytes = 3 << 20

    /// The rows can have `freeOutput` bytes in total, or `highestRatio` times the size of the workbook if that is more.
    private static let freeOutput: Int64 = 64 << 20
    private static let highestRatio: Int64 = 1_000

    init(part: String, byteCount: Int64, headerRow: Int?) {
        let output = WaitingBytes()
        self.output = output
        self.part = part
        self.headerRow = headerRow ?? 1
        mostOutput = max(Self.freeOutput, byteCount.multipliedReportingOverflow(by: Self.highestRatio).partialValue)
        writer = CSVWriter(to: ByteSink { bytes throws(ByteStreamError) in output.append(bytes) })
    }

    /// Begins a row. Rows must come in order.
    func begin(row: Int) throws(ByteStreamError) {
        guard row > self.row, row <= Self.mostRows else { throw .part(part, .unexpected) }
        self.row = row
        width = 0
        rowBytes = 0
    }

    /// Writes a cell into a column, counted from 1. The cells must come in the order of their columns.
    func cell(_ column: Int, _ text: [UInt8]) throws(ByteStreamError) {
        guard !text.isEmpty else { return }
        guard column > width, column <= Self.mostColumns else { throw .part(part, .unexpected) }
        if width == 0 { writer.blankLines(row - lastRow - 1) }
        skip(to: column - 1)
        width = column
        let kept = text.prefix(Self.mostBytes - rowBytes)
        writer.cell(kept.span)
        rowBytes += kept.count
    }

    /// Ends the row. Returns whether the row has cells that are not empty.
    func endRow() throws(ByteStreamError) -> Bool {
        guard width > 0 else { return false }
        greatestWidth = max(greatestWidth, width)
        if headerWidth == 0, row >= headerRow { headerWidth = width }
        written += Int64(rowBytes + max(width, headerWidth) + row - lastRow)
        guard written <= mostOutput else { throw .part(part, .tooLarge) }
        skip(to: headerWidth)
        lastRow = row
        try writer.endRecord()
        return true
    }

    private func skip(to column: Int) {
        let empty: [UInt8] = []
        for _ in 0..<max(0, column - width) { writer.cell(empty.span) }
    }

    /// Writes the last bytes.
    func finish() throws(ByteStreamError) { try writer.flush() }

    /// Whether so many bytes are waiting that no further row should be written before a read.
    var isFull: Bool { output.count >= 1 << 16 }

    /// Moves waiting bytes into a buffer, and returns their number.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int { output.take(into: buffer) }
}

/// Bytes that wait to be read.
private final class WaitingBytes: Sendable {
    private struct Waiting {
        var bytes: [UInt8] = []
        var position = 0
    }

    private let waiting = Locked(Waiting())

    var count: Int { waiting.withLock { $0.bytes.count - $0.position } }

    func append(_ bytes: UnsafeRawBufferPointer) { waiting.withLock { $0.bytes.append(contentsOf: bytes) } }

    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        waiting.withLock { waiting in
            let end = min(waiting.bytes.count, waiting.position + buffer.count)
            let count = end - waiting.position
            buffer.copyBytes(from: waiting.bytes[waiting.position..<end])
            waiting.position = end
            if end == waiting.bytes.count {
                waiting.bytes.removeAll(keepingCapacity: true)
                waiting.position = 0
            }
            return count
        }
    }
}
