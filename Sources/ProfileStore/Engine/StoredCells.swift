/// Raw cells of rows in one buffer, without a `String` for each cell.
package struct StoredCells: Sendable {
    /// The bytes of the cells, and memory for further cells.
    @usableFromInline var bytes: [UInt8] = []
    /// For each cell: twice its end offset, plus 1 if the cell is absent. A cell with no bytes can still have a value: the
    /// empty text.
    @usableFromInline var cells: [Int] = []
    @usableFromInline let columnCount: Int
    /// The number of bytes in all cells.
    package private(set) var byteCount = 0

    package init(columns: Int) { columnCount = columns }

    /// Returns the bytes of a cell; no bytes if it is absent.
    @inlinable @inline(__always)
    @_lifetime(borrow self)
    package func cell(_ row: Int, _ column: Int) -> Span<UInt8> {
        let index = row * columnCount + column
        let start = index == 0 ? 0 : cells[index - 1] >> 1
        return bytes.span.extracting(start..<cells[index] >> 1)
    }

    @inlinable @inline(__always)
    package func isAbsent(_ row: Int, _ column: Int) -> Bool { cells[row * columnCount + column] & 1 != 0 }

    package mutating func reserve(rows: Int, bytes byteCount: Int) {
        cells.reserveCapacity(rows * columnCount)
        grow(by: byteCount)
    }

    /// Appends a copy of the next cell.
    package mutating func append(_ cell: Span<UInt8>) {
        if bytes.count - byteCount < cell.count { grow(by: cell.count) }
        let start = byteCount
        // For few bytes, `append(contentsOf:)` executes nearly twice as many instructions as this copy.
        cell.withUnsafeBytes { cell in
            bytes.withUnsafeMutableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyMemory(from: cell)
            }
        }
        byteCount += cell.count
        cells.append(byteCount << 1)
    }

    /// Appends a cell without a value.
    package mutating func appendAbsent() { cells.append(byteCount << 1 | 1) }

    private mutating func grow(by count: Int) {
        bytes += [UInt8](repeating: 0, count: max(count, bytes.count))
    }
}
