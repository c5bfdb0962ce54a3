/// Splits one record of decoded CSV into cells. It applies the grammar of RFC 4180 to a window: a range of bytes in the
/// caller's buffer.
///
/// The splitter holds only a pointer to the bytes. It cannot borrow a ``RecordBatch``, which owns the bytes, because a
/// split appends cells to the batch. The splitter reads only bytes in `0 ..< end`, where `end` is the end of the
/// window. ``ByteSearch`` may also read up to ``ByteBuffer/padding`` bytes after `end`. ``CSVReader`` uses a splitter
/// only while the buffer neither moves nor shrinks.
struct RecordSplitter {
    /// The outcome of splitting the record at a position.
    enum Outcome {
        /// A whole record. Its bytes end before `end`, and the next record begins at `next`. `lineBreaks` is the number
        /// of line breaks in quoted cells. `quotes` is the number of quotes without stray quotes; an escaped quote
        /// counts as two.
        case complete(end: Int, next: Int, lineBreaks: Int, quotes: Int)
        /// Text follows a closing quote. This text begins at `offset`.
        case textAfterQuote(offset: Int)
        /// A quoted cell contains a line end before the offset `closedBefore`.
        case openAtLineBreak
        /// The window ends inside the record.
        case ranOut(insideQuotes: Bool, lineBreaks: Int)
    }

    static let quote = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    let base: UnsafeRawPointer
    let delimiter: UInt8
    private let unquotedEnds: ByteSearch
    private let quotedEnds = ByteSearch(quote, lineFeed, carriageReturn)
    private let lineEnds = ByteSearch(lineFeed, lineFeed, carriageReturn)

    init(base: UnsafeRawPointer, delimiter: UInt8) {
        self.base = base
        self.delimiter = delimiter
        unquotedEnds = ByteSearch(delimiter, Self.lineFeed, Self.carriageReturn)
    }

    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

    /// Splits the record at `start` and appends its cells. If a cell contains escaped quotes, its index is added to
    /// `escaped`.
    ///
    /// The window ends at `end`. If `isLast` is true, the input also ends there. If a quoted cell contains a line end
    /// before `closedBefore`, the search stops, and the outcome is `openAtLineBreak`. If the outcome is not `complete`,
    /// the caller must remove the appended cells.
    @inline(__always)
    func split(
        from start: Int, to end: Int, isLast: Bool, closedBefore: Int,
        cells: inout [CellExtent], escaped: inout [Int]
    ) -> Outcome {
        var offset = start
        var lineBreaks = 0
        var quotes = 0
        while true {
            let cellEnd: Int
            if offset < end, byte(offset) == Self.quote {
                let cellStart = offset + 1
                var isEscaped = false
                offset = cellStart
                while true {
                    offset = quotedEnds.firstOffset(in: base, from: offset, to: end)
                    guard offset < end else { return .ranOut(insideQuotes: true, lineBreaks: lineBreaks) }
                    if byte(offset) != Self.quote {
                        if offset < closedBefore { return .openAtLineBreak }
                        lineBreaks += 1
                        offset = afterLineBreak(at: offset, end: end)
                    } else if offset + 1 < end, byte(offset + 1) == Self.quote {
                        isEscaped = true
                        quotes += 2
                        offset += 2
                    } else {
                        break
                    }
                }
                // This quote closes the cell, or it is the first quote of an escaped pair. Only the next byte shows
                // which case it is.
                if offset + 1 == end, !isLast { return .ranOut(insideQuotes: true, lineBreaks: lineBreaks) }
                if isEscaped { escaped.append(cells.count) }
                cells.append(CellExtent(offset: cellStart, length: offset - cellStart))
                quotes += 2
                cellEnd = offset + 1
            } else {
                cellEnd = unquotedEnds.firstOffset(in: base, from: offset, to: end)
                if cellEnd == end, !isLast { return .ranOut(insideQuotes: false, lineBreaks: lineBreaks) }
                cells.append(CellExtent(offset: offset, length: cellEnd - offset))
            }

            guard cellEnd < end else { return .complete(end: end, next: end, lineBreaks: lineBreaks, quotes: quotes) }
            let terminator = byte(cellEnd)
            if terminator == delimiter {
                offset = cellEnd + 1
            } else if terminator == Self.lineFeed || terminator == Self.carriageReturn {
                if terminator == Self.carriageReturn, cellEnd + 1 == end, !isLast {
                    return .ranOut(insideQuotes: false, lineBreaks: lineBreaks)
                }
                return .complete(
                    end: cellEnd, next: afterLineBreak(at: cellEnd, end: end), lineBreaks: lineBreaks, quotes: quotes)
            } else {
                return .textAfterQuote(offset: cellEnd)
            }
        }
    }

    /// Splits a faulty line into cells that a person can read and correct. If the quotes of a cell are correct, they
    /// are removed. Otherwise the cell keeps its bytes unchanged.
    ///
    /// Each byte is searched for a closing quote at most twice. A search begins after the opening quote of a cell, and
    /// skips pairs of quotes. If the cell begins with an even number of quotes, the search ends inside this group.
    /// Otherwise the search ends at the next group with an odd number of quotes. Each group that it passes has an even
    /// number of quotes, so a later search that begins at such a group is short. Two searches overlap only within one
    /// group of quotes.
    func splitLeniently(from start: Int, to end: Int, cells: inout [CellExtent], escaped: inout [Int]) {
        var offset = start
        while true {
            var cellEnd = offset
            var content = offset..<offset
            var isEscaped = false
            if offset < end, byte(offset) == Self.quote {
                var close = offset + 1
                while close < end, byte(close) != Self.quote || (close + 1 < end && byte(close + 1) == Self.quote) {
                    isEscaped = isEscaped || byte(close) == Self.quote
                    close += byte(close) == Self.quote ? 2 : 1
                }
                if close < end, close + 1 == end || byte(close + 1) == delimiter {
                    content = offset + 1..<close
                    cellEnd = close + 1
                }
            }
            if cellEnd == offset {
                cellEnd = min(end, unquotedEnds.firstOffset(in: base, from: offset, to: end))
                content = offset..<cellEnd
                isEscaped = false
            }
            if isEscaped { escaped.append(cells.count) }
            cells.append(CellExtent(offset: content.lowerBound, length: content.count))
            guard cellEnd < end else { return }
            offset = cellEnd + 1
        }
    }

    /// Returns the number of quotes in `start..<end`.
    func quotes(from start: Int, to end: Int) -> Int {
        ByteSearch.count(of: Self.quote, in: base, from: start, to: end)
    }

    /// Returns the offset of the first line end in `start..<end`, or `end` if there is none.
    func lineEnd(from start: Int, to end: Int) -> Int {
        lineEnds.firstOffset(in: base, from: start, to: end)
    }

    /// Returns the offset after the line end at `offset`. CR LF counts as one line end.
    @inline(__always)
    func afterLineBreak(at offset: Int, end: Int) -> Int {
        let isPair = byte(offset) == Self.carriageReturn && offset + 1 < end && byte(offset + 1) == Self.lineFeed
        return offset + (isPair ? 2 : 1)
    }
}
