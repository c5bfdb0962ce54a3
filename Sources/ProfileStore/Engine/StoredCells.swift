/// Raw cells of rows in one buffer, without a `String` for each cell.
package struct StoredCells: Sendable {
    private var bytes: [UInt8] = []
    /// The end offset of each cell, and whether the cell is absent. A cell with no bytes can still have a value: the
    /// empty text.
    private var cells: [(end: Int, isAbsent: Bool)] = []
    private let columnCount: Int

    package init(columns: Int) { columnCount = columns }

    /// The number of bytes in all cells.
    package var byteCount: Int { bytes.count }

    /// Returns the bytes of a cell; no bytes if it is absent.
    @_lifetime(borrow self)
    package func cell(_ row: Int, _ column: Int) -> Span<UInt8> {
        let index = row * columnCount + column
        let start = index == 0 ? 0 : cells[index - 1].end
        return bytes.span.extracting(start..<cells[index].end)
    }

    package func isAbsent(_ row: Int, _ column: Int) -> Bool { cells[row * columnCount + column].isAbsent }

    package mutating func reserve(rows: Int, bytes byteCount: Int) {
        cells.reserveCapacity(rows * columnCount)
        bytes.reserveCapacity(byteCount)
    }

    /// Appends a copy of the next cell.
    package mutating func append(_ cell: Span<UInt8>) {
        cell.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        cells.append((bytes.count, false))
    }

    /// Appends a cell without a value.
    package mutating func appendAbsent() { cells.append((bytes.count, true)) }
}
