/// A batch of records with their cells. One thread splits the input and passes batches to other threads, which validate
/// and write.
///
/// A batch owns one byte buffer. Records and cells are stored as positions in this buffer, so a cell needs no
/// allocation. If a batch is reused, it needs no allocation either. ``CSVReader`` reads its input into this buffer and
/// splits it in place. For other sources (NDJSON, a scan of a database), cells are appended between
/// ``beginRecord(line:number:)`` and ``endRecord(fault:)``.
package struct RecordBatch: ~Copyable, Sendable {
    /// One record; its cells are read with ``RecordBatch/cell(_:)``.
    package struct Record: Equatable, Sendable {
        /// The number of the physical line on which the record begins. The first line of the input is 1. LF, CR LF and
        /// CR are line ends, also inside quotes unless ``CSVOptions/isLinePerRecord`` is true.
        package let line: Int
        /// The position of the record: 0 for the header, 1 for the record after it. Blank lines do not count.
        package let number: Int
        /// The indices of the record's cells in its batch.
        package let cells: Range<Int>
        /// The reason why the record must not be used; nil if it can be used. A faulty record may have no cells. The
        /// cells of a faulty record are used only in a report.
        package let fault: RecordFault?

        package init(line: Int, number: Int, cells: Range<Int>, fault: RecordFault?) {
            self.line = line
            self.number = number
            self.cells = cells
            self.fault = fault
        }
    }

    /// The records in the order of the input.
    package internal(set) var records: [Record] = []
    /// The records with a stray quote. A stray quote is a quote inside an unquoted cell, where it is an ordinary
    /// character.
    package internal(set) var strayQuotes = Occurrences()
    /// The blank lines between records. If blank lines are before the header, directly after the header, or at the end
    /// of the input, they are not counted.
    package internal(set) var blankLines = Occurrences()

    /// Whether any cell of the batch is absent. An absent cell is different from an empty one. The cells of a CSV input
    /// are never absent.
    package private(set) var hasAbsentCells = false

    var bytes: ByteBuffer
    var extents: [CellExtent] = []
    private var open = OpenRecord()

    /// Makes an empty batch.
    ///
    /// - Parameter containsSecrets: Whether the bytes are zeroed when they are discarded.
    package init(containsSecrets: Bool = false) {
        bytes = ByteBuffer(isSecret: containsSecrets)
    }

    /// Whether bytes are zeroed when they are discarded: by ``removeAll()``, when the buffer grows, and when the batch
    /// is destroyed.
    package var containsSecrets: Bool {
        get { bytes.isSecret }
        set { bytes.isSecret = newValue }
    }

    /// The number of bytes in the batch, including the line ends and quotes of a CSV input.
    package var byteCount: Int { bytes.count }

    /// The total number of cells in all records.
    package var cellCount: Int { extents.count }

    /// Returns the bytes of a cell without its quotes and escapes. For an absent cell, returns no bytes.
    ///
    /// - Parameter index: An index from a record's ``Record/cells``.
    /// - Returns: The bytes. The span is valid until the batch is changed or moved.
    @_lifetime(borrow self)
    package func cell(_ index: Int) -> Span<UInt8> {
        let extent = extents[index]
        return bytes.span(at: Int(extent.offset), count: extent.isAbsent ? 0 : Int(extent.length))
    }

    /// Returns the length of a cell in bytes. The cell must not be absent.
    package func length(ofCell index: Int) -> Int { Int(extents[index].length) }

    /// Returns whether a cell is absent. `index` must come from a record's ``Record/cells``. An absent cell is
    /// different from an empty one. A cell of a CSV input is never absent.
    package func isAbsent(_ index: Int) -> Bool { extents[index].isAbsent }

    /// Removes all records and keeps the memory for reuse. The memory is zeroed if it held secrets.
    package mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        extents.removeAll(keepingCapacity: true)
        bytes.removeAll()
        strayQuotes = Occurrences()
        blankLines = Occurrences()
        hasAbsentCells = false
        open = OpenRecord()
    }
}

// MARK: Short records

extension RecordBatch {
    /// Adds empty cells to each record that has fewer than `count` cells. A record with a fault stays unchanged.
    ///
    /// - Parameters:
    ///   - count: The minimum number of cells that each record without a fault has afterwards.
    ///   - last: The number of cells that stay at the end of each record. The empty cells are inserted before them.
    /// - Complexity: For each record, `count` positions of 8 bytes. So the number of records in a batch must be limited
    ///   if `count` is large.
    package mutating func pad(to count: Int, keepingLast last: Int = 0) {
        for index in records.indices {
            let record = records[index]
            guard record.cells.count < count, record.fault == nil else { continue }
            let first = extents.count
            extents += extents[record.cells.dropLast(last)]
            extents += repeatElement(CellExtent(offset: 0, length: 0), count: count - record.cells.count)
            extents += extents[record.cells.suffix(last)]
            records[index] = Record(line: record.line, number: record.number, cells: first..<extents.count, fault: nil)
        }
    }
}

// MARK: Appending records

extension RecordBatch {
    /// Begins a record. All cells that are appended before ``endRecord(fault:)`` belong to this record.
    ///
    /// - Parameters:
    ///   - line: The first physical line of the record in its source, from 1.
    ///   - number: The position of the record in its source, from 1.
    package mutating func beginRecord(line: Int, number: Int) {
        open = OpenRecord(line: line, number: number, firstCell: extents.count, isTooLong: false)
    }

    /// Appends a copy of a cell's bytes to the open record.
    ///
    /// A batch holds at most 4 GiB. A record that would exceed this limit gets ``RecordFault/tooLong``.
    package mutating func appendCell(_ cell: Span<UInt8>) {
        guard cell.count < Int(CellExtent.absentLength), bytes.count <= Int(UInt32.max) - cell.count else {
            open.isTooLong = true
            return appendAbsentCell()
        }
        extents.append(CellExtent(offset: bytes.count, length: cell.count))
        bytes.append(cell)
    }

    /// Appends an absent cell, which is different from an empty one.
    package mutating func appendAbsentCell() {
        hasAbsentCells = true
        extents.append(CellExtent(offset: 0, length: Int(CellExtent.absentLength)))
    }

    /// Ends the open record.
    ///
    /// - Parameter fault: The reason why the record must not be used; nil if it can be used.
    package mutating func endRecord(fault: RecordFault? = nil) {
        records.append(
            Record(
                line: open.line, number: open.number, cells: open.firstCell..<extents.count,
                fault: open.isTooLong ? .tooLong : fault))
        open = OpenRecord(line: 0, number: 0, firstCell: extents.count, isTooLong: false)
    }

    private struct OpenRecord {
        var line = 0
        var number = 0
        var firstCell = 0
        var isTooLong = false
    }
}

/// The number of occurrences in an input, and the line of the first occurrence.
package struct Occurrences: Hashable, Sendable {
    package private(set) var count = 0
    /// The first physical line of the first occurrence; 0 if there is none.
    package private(set) var firstLine = 0

    package init() {}

    package mutating func add(line: Int) { self += Occurrences(count: 1, firstLine: line) }

    /// Adds the occurrences of a later part of the input.
    package static func += (earlier: inout Occurrences, later: Occurrences) {
        if earlier.count == 0 { earlier.firstLine = later.firstLine }
        earlier.count += later.count
    }

    private init(count: Int, firstLine: Int) {
        self.count = count
        self.firstLine = firstLine
    }
}

/// The reason why a record cannot be used.
package enum RecordFault: Sendable, Hashable, CaseIterable {
    /// The record is not valid UTF-8 (Unicode 16, table 3-7). If the input has another encoding, the bytes of the
    /// record are not valid in that encoding.
    case badEncoding
    /// A quoted cell is still open at the end of the input, or at the maximum size of a record.
    case unclosedQuote
    /// A closing quote is followed by a character that is neither a delimiter nor a line end.
    case textAfterQuote
    /// The record holds a NUL byte.
    case nul
    /// The record is longer than ``CSVOptions/maximumRecordBytes``.
    case tooLong
}

/// The position of a cell in the bytes of its batch. Offset and length have only 32 bits. So the positions of all cells
/// in a batch fit into the processor's cache.
struct CellExtent {
    static let absentLength = UInt32.max

    var offset: UInt32
    var length: UInt32

    /// Makes an extent. Both arguments are less than 4 GiB, because ``RecordBatch`` and ``CSVOptions`` limit them. So
    /// `truncatingIfNeeded` never truncates a number. It is used to avoid an unnecessary check.
    @inline(__always)
    init(offset: Int, length: Int) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.length = UInt32(truncatingIfNeeded: length)
    }

    var isAbsent: Bool { length == Self.absentLength }
}
