/// Splits one record of decoded CSV into cells: RFC 4180's grammar over a window of bytes, and nothing else.
///
/// The window is a pointer because the bytes' owner is being filled with the cells meanwhile. All reads lie in
/// `0 ..< end`, but for ``ByteSearch``, which may look up to ``ByteBuffer/padding`` bytes further; ``CSVReader`` makes a
/// splitter for the time in which the buffer neither moves nor shrinks.
struct RecordSplitter {
    /// What was found at a position where a record begins.
    enum Outcome {
        /// A record whose bytes end before `end`; the next begins at `next`. `lineBreaks` lie inside its quotes, of which it
        /// has `quotes`, those that stand for one in two counted too.
        case complete(end: Int, next: Int, lineBreaks: Int, quotes: Int)
        /// A closing quote is followed by something else at `offset`.
        case textAfterQuote(offset: Int)
        /// A quoted cell runs over a line end that lies before the given limit.
        case openAtLineBreak
        /// The window ends first.
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

    /// Splits the record that begins at `start`, appending its cells; a cell with escaped quotes is noted by its index.
    ///
    /// The window ends at `end`, and the input with it if it `isLast`. A quoted cell that runs over a line end before
    /// `closedBefore` is not followed further. Cells of an outcome that is not complete are the caller's to remove.
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
                // Whether this quote closes, or is the first of two, the next byte tells.
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

    /// Splits a line that is no record as it stands, so that a person can mend it: a cell whose quotes are sound is
    /// unquoted, any other is left as it is written.
    ///
    /// Where a cell's quotes close is looked for ahead, but never twice over the same bytes: the search ends at the next
    /// odd run of quotes, and only an odd run at the start of a cell begins one that goes further than its own run.
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

    /// How many quotes are in `start..<end`.
    func quotes(from start: Int, to end: Int) -> Int {
        ByteSearch.count(of: Self.quote, in: base, from: start, to: end)
    }

    /// The first line end in `start..<end`, or `end`.
    func lineEnd(from start: Int, to end: Int) -> Int {
        lineEnds.firstOffset(in: base, from: start, to: end)
    }

    /// The offset after the line end at `offset`, of which CR LF is one.
    @inline(__always)
    func afterLineBreak(at offset: Int, end: Int) -> Int {
        let isPair = byte(offset) == Self.carriageReturn && offset + 1 < end && byte(offset + 1) == Self.lineFeed
        return offset + (isPair ? 2 : 1)
    }
}
