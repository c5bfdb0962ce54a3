/// Writes records as CSV (RFC 4180). A cell has quotes only if it needs them. The default line end is LF.
///
/// If ``CSVReader`` reads the output, it returns the same cells. The cells must be UTF-8 text without NUL. LF is the
/// default because every reader accepts it and it is one byte shorter than RFC 4180's CR LF. With CR LF, Unix line
/// tools would show the CR as a stray character in the last column.
///
/// Bytes are buffered and written to the sink in large pieces. ``finish()`` writes the last piece.
package struct CSVWriter: ~Copyable, Sendable {
    /// The line end.
    package enum LineEnd: Sendable, CaseIterable { case lf, crlf, cr }

    private let delimiter: UInt8
    private let lineEnd: LineEnd
    private let spreadsheetSafe: Bool
    private let sink: ByteSink
    private var bytes: ByteBuffer
    private var isAtStart = true
    /// Whether the current record has cells. `isBlank` is true if the record has one cell and this cell is empty.
    private var hasCells = false
    private var isBlank = false

    private static var flushBytes: Int { 1 << 16 }

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - sink: The destination of the bytes.
    ///   - delimiter: The delimiter between cells.
    ///   - lineEnd: The line end.
    ///   - spreadsheetSafe: Whether to prefix a cell with `'` if it begins with `=`, `+`, `-`, `@`, tab or CR. A
    ///     spreadsheet would run such a cell as a formula. ``CSVReader`` does not remove the prefix.
    ///   - containsSecrets: Whether bytes are zeroed after they are written.
    ///   - isMarked: Whether the output begins with a byte order mark.
    package init(
        to sink: ByteSink, delimiter: CSVDelimiter = .comma, lineEnd: LineEnd = .lf, spreadsheetSafe: Bool = false,
        containsSecrets: Bool = false, isMarked: Bool = false
    ) {
        self.sink = sink
        self.delimiter = delimiter.byte
        self.lineEnd = lineEnd
        self.spreadsheetSafe = spreadsheetSafe
        bytes = ByteBuffer(isSecret: containsSecrets)
        if isMarked { for byte: UInt8 in [0xEF, 0xBB, 0xBF] { bytes.append(byte) } }
    }

    /// Appends a cell to the current record.
    package mutating func cell(_ cell: Span<UInt8>) {
        if hasCells { bytes.append(delimiter) }
        isBlank = !hasCells && cell.isEmpty
        let needsPrefix = spreadsheetSafe && Self.wouldRun(cell)
        if needsQuotes(cell) {
            bytes.append(RecordSplitter.quote)
            if needsPrefix { bytes.append(UInt8(ascii: "'")) }
            appendEscaped(cell)
            bytes.append(RecordSplitter.quote)
        } else {
            if needsPrefix { bytes.append(UInt8(ascii: "'")) }
            bytes.append(cell)
        }
        hasCells = true
        isAtStart = false
    }

    /// Ends the current record. If a record is empty or its only cell is empty, it is written as `""`, because a blank
    /// line is not a record.
    ///
    /// - Throws: The error of the sink.
    package mutating func endRecord() throws(ByteStreamError) {
        if isBlank || !hasCells {
            bytes.append(RecordSplitter.quote)
            bytes.append(RecordSplitter.quote)
        }
        endLine()
        isAtStart = false
        hasCells = false
        isBlank = false
        if bytes.count >= Self.flushBytes { try flush() }
    }

    /// Appends blank lines, which are not records. The current record must have no cells.
    package mutating func blankLines(_ count: Int) {
        for _ in 0..<max(0, count) { endLine() }
    }

    /// Writes the buffered bytes to the sink.
    ///
    /// - Throws: The error of the sink. After an error, the output may contain only some of the bytes.
    package mutating func flush() throws(ByteStreamError) {
        guard bytes.count > 0 else { return }
        try sink.write(UnsafeRawBufferPointer(start: bytes.base, count: bytes.count))
        bytes.removeAll()
    }

    /// Writes the remaining bytes and ends the writer. Without this call, the last records are lost.
    ///
    /// - Throws: The error of the sink.
    package consuming func finish() throws(ByteStreamError) {
        try flush()
    }

    private mutating func endLine() {
        if lineEnd != .lf { bytes.append(RecordSplitter.carriageReturn) }
        if lineEnd != .cr { bytes.append(RecordSplitter.lineFeed) }
    }

    private func needsQuotes(_ cell: Span<UInt8>) -> Bool {
        guard !cell.isEmpty else { return false }
        let space = UInt8(ascii: " ")
        // Other readers remove spaces at the ends of a cell, so such cells are quoted. All readers skip a byte order
        // mark (U+FEFF) at the start of the text. So the first cell is also quoted if it begins with 0xEF, the first
        // byte of U+FEFF.
        if cell[0] == space || cell[cell.count - 1] == space || (isAtStart && cell[0] == 0xEF) { return true }
        return cell.withUnsafeBufferPointer { cell in
            var isSpecial = false
            for byte in cell {
                // The loop has no early exit, so the compiler can vectorize it. Cells are short, so an early exit would
                // save little.
                isSpecial =
                    isSpecial || byte == delimiter || byte == RecordSplitter.quote
                    || byte == RecordSplitter.lineFeed || byte == RecordSplitter.carriageReturn
            }
            return isSpecial
        }
    }

    private mutating func appendEscaped(_ cell: Span<UInt8>) {
        bytes.reserve(bytes.count + cell.count)
        for index in cell.indices {
            if cell[index] == RecordSplitter.quote { bytes.append(RecordSplitter.quote) }
            bytes.append(cell[index])
        }
    }

    private static func wouldRun(_ cell: Span<UInt8>) -> Bool {
        guard !cell.isEmpty else { return false }
        return switch cell[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "\t"),
            UInt8(ascii: "\r"):
            true
        default: false
        }
    }
}
