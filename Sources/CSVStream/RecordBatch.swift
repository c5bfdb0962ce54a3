/// A run of records with their cells: the unit that flows from the thread that splits to those that judge and write.
///
/// A batch owns one buffer of bytes; records and cells are tables of positions in it, so a cell costs no allocation and
/// a batch that is used again costs none at all. ``CSVReader`` splits its input in place in the buffer; other sources
/// (NDJSON, a scan of a database) append cell by cell between ``beginRecord(line:number:)`` and ``endRecord(fault:)``.
package struct RecordBatch: ~Copyable, Sendable {
    /// One record; its cells are read with ``RecordBatch/cell(_:)``.
    package struct Record: Equatable, Sendable {
        /// The first physical line of the record, counted from 1 in every style of line end, inside quotes too.
        package let line: Int
        /// The position of the record: 0 for the header, 1 for the record after it. Blank lines do not count.
        package let number: Int
        /// The indices of the record's cells in its batch.
        package let cells: Range<Int>
        /// Why the record must not be taken; its cells are then raw material for a report, and may be none.
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
    /// Records with a quote inside a cell that is not quoted, where it stands for itself.
    package internal(set) var strayQuotes = Occurrences()
    /// Blank lines between records; those before the header, after it, and at the end do not count.
    package internal(set) var blankLines = Occurrences()

    var bytes: ByteBuffer
    var extents: [CellExtent] = []
    private var open = OpenRecord()

    /// Makes an empty batch.
    ///
    /// - Parameter containsSecrets: Whether the bytes are zeroed whenever they are given up.
    package init(containsSecrets: Bool = false) {
        bytes = ByteBuffer(isSecret: containsSecrets)
    }

    /// Whether the bytes are zeroed by ``removeAll()``, on growth and at the end of the batch's life.
    package var containsSecrets: Bool {
        get { bytes.isSecret }
        set { bytes.isSecret = newValue }
    }

    /// The bytes that the batch holds, line ends and quotes of a CSV input included.
    package var byteCount: Int { bytes.count }

    /// The number of cells of all records together.
    package var cellCount: Int { extents.count }

    /// The bytes of a cell: unquoted, unescaped, and empty for a cell that is absent.
    ///
    /// - Parameter index: An index out of a record's ``Record/cells``.
    /// - Returns: The bytes, to be used while the batch is neither changed nor given away.
    @_lifetime(borrow self)
    package func cell(_ index: Int) -> Span<UInt8> {
        let extent = extents[index]
        return bytes.span(at: Int(extent.offset), count: extent.isAbsent ? 0 : Int(extent.length))
    }

    /// How many bytes a cell has that is there.
    package func length(ofCell index: Int) -> Int { Int(extents[index].length) }

    /// Whether a cell, by its index out of a record's ``Record/cells``, was not there at all, as opposed to being there
    /// and empty. A cell of a CSV input is always there.
    package func isAbsent(_ index: Int) -> Bool { extents[index].isAbsent }

    /// Removes every record and keeps the memory for the next use, zeroed if it held secrets.
    package mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        extents.removeAll(keepingCapacity: true)
        bytes.removeAll()
        strayQuotes = Occurrences()
        blankLines = Occurrences()
        open = OpenRecord()
    }
}

// MARK: Filling by hand

extension RecordBatch {
    /// Begins a record; the cells appended until ``endRecord(fault:)`` are its cells.
    ///
    /// - Parameters:
    ///   - line: The first physical line of the record in its source, from 1.
    ///   - number: The position of the record in its source, from 1.
    package mutating func beginRecord(line: Int, number: Int) {
        open = OpenRecord(line: line, number: number, firstCell: extents.count, isTooLong: false)
    }

    /// Appends a copy of a cell's bytes to the open record.
    ///
    /// A batch holds at most 4 GiB; a record that would take it past that ends with ``RecordFault/tooLong``.
    package mutating func appendCell(_ cell: Span<UInt8>) {
        guard cell.count < Int(CellExtent.absentLength), bytes.count <= Int(UInt32.max) - cell.count else {
            open.isTooLong = true
            return appendAbsentCell()
        }
        extents.append(CellExtent(offset: bytes.count, length: cell.count))
        bytes.append(cell)
    }

    /// Appends a cell that the source does not have, which is not the same as an empty one.
    package mutating func appendAbsentCell() {
        extents.append(CellExtent(offset: 0, length: Int(CellExtent.absentLength)))
    }

    /// Ends the open record.
    ///
    /// - Parameter fault: Why the record must not be taken, if so.
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

/// How often something was met in an input, and where first.
package struct Occurrences: Hashable, Sendable {
    package private(set) var count = 0
    /// The first physical line of the first; 0 where there is none.
    package private(set) var firstLine = 0

    package init() {}

    package mutating func add(line: Int) { self += Occurrences(count: 1, firstLine: line) }

    /// Adds what was met further on in the input.
    package static func += (earlier: inout Occurrences, later: Occurrences) {
        if earlier.count == 0 { earlier.firstLine = later.firstLine }
        earlier.count += later.count
    }

    private init(count: Int, firstLine: Int) {
        self.count = count
        self.firstLine = firstLine
    }
}

/// Why a record cannot be taken as it stands.
package enum RecordFault: Sendable, Hashable, CaseIterable {
    /// The record is not UTF-8 (strict, Unicode 16 table 3-7), or was UTF-16 with an unpaired surrogate.
    case badEncoding
    /// A quoted cell is still open at the end of the input or at the limit of a record's size.
    case unclosedQuote
    /// A closing quote is followed by something else than a delimiter or a line end.
    case textAfterQuote
    /// The record holds a NUL byte.
    case nul
    /// The record is longer than ``CSVOptions/maximumRecordBytes``.
    case tooLong
}

/// Where a cell lies in its batch's bytes. 32 bits each keep the table of a batch in the cache.
struct CellExtent {
    static let absentLength = UInt32.max

    var offset: UInt32
    var length: UInt32

    /// Both arguments are below 4 GiB by the bounds of ``RecordBatch`` and ``CSVOptions``; `truncatingIfNeeded` only
    /// spares the bulk path a check that cannot fail.
    @inline(__always)
    init(offset: Int, length: Int) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.length = UInt32(truncatingIfNeeded: length)
    }

    var isAbsent: Bool { length == Self.absentLength }
}
