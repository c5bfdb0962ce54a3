/// Writes records as CSV: RFC 4180, quotes only where they are needed, LF at the end of a line.
///
/// What is written is read back by ``CSVReader`` as the same cells, whatever UTF-8 they hold but NUL, which no record may
/// hold. LF is the default because every reader takes it, it is a byte shorter, and the line tools of Unix would show
/// RFC 4180's CR LF as a stray character in the last column.
///
/// Bytes are gathered and go to the sink in large pieces; ``finish()`` writes the last of them.
package struct CSVWriter: ~Copyable, Sendable {
    /// What ends a line.
    package enum LineEnd: Sendable, CaseIterable { case lf, crlf, cr }

    private let delimiter: UInt8
    private let lineEnd: LineEnd
    private let spreadsheetSafe: Bool
    private let sink: ByteSink
    private var bytes: ByteBuffer
    private var isAtStart = true
    /// Whether the record at hand has cells, and whether it is so far nothing but one empty cell.
    private var hasCells = false
    private var isBlank = false

    private static var flushBytes: Int { 1 << 16 }

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - sink: Where the bytes go.
    ///   - delimiter: What stands between cells.
    ///   - lineEnd: What ends a line.
    ///   - spreadsheetSafe: Whether a cell that a spreadsheet would run, one that begins with `=`, `+`, `-`, `@`, tab or
    ///     CR, is prefixed with `'`. Such a cell is not read back as it was.
    ///   - containsSecrets: Whether bytes are zeroed once they are written.
    ///   - isMarked: Whether a byte order mark comes first.
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

    /// Appends a cell to the record at hand.
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

    /// Ends the record at hand. A record of one empty cell is written `""`, since a blank line is no record; one without
    /// any cell is written like it.
    ///
    /// - Throws: What the sink throws.
    package mutating func endRecord() throws(ByteStreamError) {
        if isBlank || !hasCells {
            bytes.append(RecordSplitter.quote)
            bytes.append(RecordSplitter.quote)
        }
        if lineEnd != .lf { bytes.append(RecordSplitter.carriageReturn) }
        if lineEnd != .cr { bytes.append(RecordSplitter.lineFeed) }
        isAtStart = false
        hasCells = false
        isBlank = false
        if bytes.count >= Self.flushBytes { try flush() }
    }

    /// Writes what has been gathered to the sink.
    ///
    /// - Throws: What the sink throws; some of the bytes may then have been written, and the output is not whole.
    package mutating func flush() throws(ByteStreamError) {
        guard bytes.count > 0 else { return }
        try sink.write(UnsafeRawBufferPointer(start: bytes.base, count: bytes.count))
        bytes.removeAll()
    }

    /// Writes the rest and ends the writer; one that is dropped instead has not written its last records.
    ///
    /// - Throws: What the sink throws.
    package consuming func finish() throws(ByteStreamError) {
        try flush()
    }

    private func needsQuotes(_ cell: Span<UInt8>) -> Bool {
        guard !cell.isEmpty else { return false }
        let space = UInt8(ascii: " ")
        // Other readers trim spaces, and all take U+FEFF at the start of the text for a byte order mark.
        if cell[0] == space || cell[cell.count - 1] == space || (isAtStart && cell[0] == 0xEF) { return true }
        return cell.withUnsafeBufferPointer { cell in
            var isSpecial = false
            for byte in cell {
                // No early exit: cells are short, and this way the loop is vectors.
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
