/// Splits CSV into batches of records, pulling bytes as it goes, in memory that does not grow with the input.
///
/// RFC 4180 and what files in the wild do: LF, CR LF or CR ends a line, mixed too; a byte order mark is skipped, and
/// tells UTF-16, which arrives in the batches as UTF-8; the last line needs no end; lines with nothing in them are no
/// records (a line of spaces is one, with one cell). A quote that is not a cell's first character is a character, and is
/// counted.
///
/// What is wrong concerns its record alone, as its ``RecordFault``:
/// - After text behind a closing quote, and after a quote that is not closed before the end of the input or the limit
///   of a record's size, the record is taken to be its first line; reading goes on with the next line, so a stray quote
///   costs one row. A later quoted cell that is open at the end of its line, inside what that quote had run over, meets
///   the same end and is not followed again: every byte is looked at a bounded number of times.
/// - A record over the limit is `tooLong`, has no cells, and is skipped to the next line end. That goes for a quoted cell
///   that has no line end within the limit too; what follows the line end is read as records again.
package struct CSVReader: ~Copyable, Sendable {
    /// The bytes read from the source so far, for showing progress.
    package var bytesRead: UInt64 { input.bytesRead }
    /// The bytes that were looked at again after a fault; a measure of work that hostile input can cause.
    package private(set) var bytesRescanned: UInt64 = 0
    /// The delimiter in force; with ``CSVOptions/Delimiter/automatic`` comma until the first record has been read.
    package private(set) var delimiter: CSVDelimiter
    /// The longest record that is read from now on, as of ``CSVOptions/maximumRecordBytes``.
    package var maximumRecordBytes: Int

    private let options: CSVOptions
    private var input: TextInput
    private var hasBegun = false
    /// Decoded bytes that no record has taken yet, between two batches.
    private var pending = ByteBuffer(isSecret: true)

    /// Where the next record begins in the bytes of the batch being filled, and its line and number.
    private var position = 0
    private var line = 1
    private var number = 0
    /// Whether the rest of the line at `position` belongs to a record that was too long.
    private var isSkippingLine = false
    /// What the last faulty quote ran over: up to `end` in the batch's bytes every line end was inside its quotes.
    private var overrun = (end: 0, fault: RecordFault.unclosedQuote)
    /// The cells of the record at hand in which two quotes stand for one.
    private var escaped: [Int] = []
    /// Blank lines after the record before, which count if another follows.
    private var blankLines = Occurrences()

    /// Makes a reader; nothing is read before the first batch is asked for.
    package init(options: CSVOptions = CSVOptions(), source: ByteSource) {
        self.init(options: options, text: TextInput(source: source))
    }

    /// Makes a reader of an input that was begun to be read.
    package init(options: CSVOptions = CSVOptions(), text: consuming TextInput) {
        self.options = options
        maximumRecordBytes = options.maximumRecordBytes
        input = text
        delimiter = if case .character(let character) = options.delimiter { character } else { .comma }
    }

    /// Reads the header alone: the record with the number 0, the first line that is not blank.
    ///
    /// A header that was not asked for by itself is the first record of the first batch.
    ///
    /// - Returns: Whether there is one; an input without any record has none.
    /// - Throws: What the source throws.
    package mutating func header(into batch: inout RecordBatch) throws(ByteStreamError) -> Bool {
        try read(into: &batch, maximumRecords: 1)
    }

    /// Replaces the batch's contents by the next records, at least one and as many as ``CSVOptions/batchBytes`` hold, up to
    /// ``CSVOptions/batchRecords``.
    ///
    /// - Parameter batch: A batch, best one that was used before, whose memory is used again.
    /// - Returns: Whether there were any; false is the end of the input.
    /// - Throws: What the source throws. The batch is then empty, and the reader goes on where it was if asked again.
    package mutating func next(into batch: inout RecordBatch) throws(ByteStreamError) -> Bool {
        try read(into: &batch, maximumRecords: options.batchRecords)
    }

    private mutating func read(
        into batch: inout RecordBatch, maximumRecords: Int
    ) throws(ByteStreamError) -> Bool {
        batch.removeAll()
        batch.bytes.append(pending, from: 0)
        pending.removeAll()
        position = 0
        var wanted = options.batchBytes
        while true {
            do throws(ByteStreamError) {
                try input.fill(&batch.bytes, to: max(wanted, leastBytes))
            } catch {
                keepPending(of: &batch)
                throw error
            }
            if !hasBegun { begin(batch) }
            split(&batch, maximumRecords: maximumRecords)
            if !batch.records.isEmpty || input.isAtEnd { break }
            // Not one whole record: drop what was skipped, and read on to the limit at the most.
            discardConsumed(of: &batch)
            wanted = max(wanted, min(batch.bytes.count * 2, maximumRecordBytes + Self.lookahead))
        }
        keepPending(of: &batch)
        return !batch.records.isEmpty
    }

    /// How many bytes have to be there before the first record is split.
    private var leastBytes: Int {
        if hasBegun { return 0 }
        if case .automatic = options.delimiter { return Self.detectionBytes }
        return Self.declarationBytes
    }

    /// Enough of the input to hold nearly any header whole.
    private static var detectionBytes: Int { 1 << 16 }
    /// Enough to hold a line that declares the delimiter.
    private static var declarationBytes: Int { 16 }

    /// Finds the delimiter, unless somebody has said it, and passes over a line that declares one.
    private mutating func begin(_ batch: borrowing RecordBatch) {
        hasBegun = true
        var declarationLength = DelimiterDetection.declaration(in: batch.bytes)?.declarationLength ?? 0
        if case .automatic = options.delimiter {
            let detection = DelimiterDetection(
                of: batch.bytes, to: min(batch.bytes.count, Self.detectionBytes), isWhole: input.isAtEnd)
            delimiter = detection.delimiter
            declarationLength = detection.declarationLength
        }
        guard declarationLength > 0 else { return }
        position = declarationLength
        line += 1
    }

    private mutating func keepPending(of batch: inout RecordBatch) {
        pending.append(batch.bytes, from: position)
        batch.bytes.truncate(to: position)
        overrun.end = max(0, overrun.end - position)
        position = 0
    }

    private mutating func discardConsumed(of batch: inout RecordBatch) {
        batch.bytes.removeFirst(position)
        overrun.end = max(0, overrun.end - position)
        position = 0
    }
}

// MARK: Records

extension CSVReader {
    /// What must be seen past the longest record to know that it ends there: CR LF.
    private static var lookahead: Int { 2 }

    /// Splits records off the batch's bytes until what is left is no whole record.
    private mutating func split(_ batch: inout RecordBatch, maximumRecords: Int) {
        let splitter = RecordSplitter(base: UnsafeRawPointer(batch.bytes.base), delimiter: delimiter.byte)
        let content = ByteContent(of: batch.bytes, from: position)
        let count = batch.bytes.count
        while position < count, batch.records.count < maximumRecords {
            let byte = splitter.byte(position)
            if isSkippingLine || byte == RecordSplitter.lineFeed || byte == RecordSplitter.carriageReturn {
                guard passLine(splitter, count: count) else { return }
            } else {
                guard splitRecord(splitter, content: content, into: &batch) else { return }
            }
        }
    }

    /// Passes over the rest of a line, which is blank or belongs to a record that was too long.
    ///
    /// - Returns: Whether its end is there.
    private mutating func passLine(_ splitter: RecordSplitter, count: Int) -> Bool {
        position = splitter.lineEnd(from: position, to: count)
        // A CR at the very end may be half of a CR LF.
        let isWhole = position + 1 < count || (position < count && splitter.byte(position) == RecordSplitter.lineFeed)
        guard isWhole || input.isAtEnd else { return false }
        if position < count { position = splitter.afterLineBreak(at: position, end: count) }
        // The header has the number 0.
        if !isSkippingLine, number > 1 { blankLines.add(line: line) }
        line += 1
        isSkippingLine = false
        return true
    }

    /// Takes the record at `position`.
    ///
    /// - Returns: Whether it could be told what it is; if not, more bytes are needed and nothing has changed.
    private mutating func splitRecord(
        _ splitter: RecordSplitter, content: ByteContent, into batch: inout RecordBatch
    ) -> Bool {
        let start = position
        let count = batch.bytes.count
        let firstCell = batch.extents.count
        // The outcome depends on this window alone, never on how many bytes have come in so far.
        let end = min(count, start + maximumRecordBytes + Self.lookahead)
        let isWholeWindow = end == start + maximumRecordBytes + Self.lookahead
        let isLast = input.isAtEnd && !isWholeWindow
        escaped.removeAll(keepingCapacity: true)

        let outcome = splitter.split(
            from: start, to: end, isLast: isLast, closedBefore: overrun.end, cells: &batch.extents, escaped: &escaped)
        switch outcome {
        case .complete(let recordEnd, let next, let lineBreaks, let quotes):
            guard recordEnd - start <= maximumRecordBytes else {
                batch.extents.removeSubrange(firstCell...)
                take(cells: firstCell..<firstCell, fault: .tooLong, next: recordEnd, lines: lineBreaks, of: &batch)
                isSkippingLine = true
                return true
            }
            let fault = content.isPlain ? nil : content.fault(of: batch.bytes.span(at: start, count: recordEnd - start))
            if content.hasQuote, fault == nil, splitter.quotes(from: start, to: recordEnd) != quotes {
                batch.strayQuotes.add(line: line)
            }
            if !escaped.isEmpty { unescape(&batch) }
            take(
                cells: firstCell..<batch.extents.count, fault: fault, next: next, lines: lineBreaks + 1, of: &batch)
            return true

        case .ranOut(let insideQuotes, let lineBreaks):
            batch.extents.removeSubrange(firstCell...)
            guard isLast || isWholeWindow else { return false }
            if insideQuotes {
                return takeFirstLine(splitter, fault: .unclosedQuote, reach: end, end: end, into: &batch)
            }
            // A CR that may begin a CR LF is left for the line's end.
            let rest = splitter.byte(end - 1) == RecordSplitter.carriageReturn ? end - 1 : end
            take(cells: firstCell..<firstCell, fault: .tooLong, next: rest, lines: lineBreaks, of: &batch)
            isSkippingLine = true
            return true

        case .textAfterQuote(let offset):
            batch.extents.removeSubrange(firstCell...)
            return takeFirstLine(splitter, fault: .textAfterQuote, reach: offset, end: end, into: &batch)

        case .openAtLineBreak:
            batch.extents.removeSubrange(firstCell...)
            return takeFirstLine(splitter, fault: overrun.fault, reach: start, end: end, into: &batch)
        }
    }

    /// Takes the first line of the window as a faulty record, whose quotes were followed as far as `reach`.
    ///
    /// - Returns: Whether the line was there whole; if not, more bytes are needed and nothing has changed.
    private mutating func takeFirstLine(
        _ splitter: RecordSplitter, fault: RecordFault, reach: Int, end: Int, into batch: inout RecordBatch
    ) -> Bool {
        let start = position
        let firstCell = batch.extents.count
        let isWholeWindow = end == start + maximumRecordBytes + Self.lookahead
        let lineEnd = splitter.lineEnd(from: start, to: end)
        guard lineEnd - start <= maximumRecordBytes else {
            take(cells: firstCell..<firstCell, fault: .tooLong, next: lineEnd, lines: 0, of: &batch)
            isSkippingLine = true
            return true
        }
        // The line must end in the window, and if by a CR not with it, since that may be half of a CR LF.
        let isWhole = lineEnd + 1 < end || (lineEnd < end && splitter.byte(lineEnd) == RecordSplitter.lineFeed)
        guard isWhole || input.isAtEnd || isWholeWindow else { return false }

        escaped.removeAll(keepingCapacity: true)
        splitter.splitLeniently(from: start, to: lineEnd, cells: &batch.extents, escaped: &escaped)
        let next = lineEnd < end ? splitter.afterLineBreak(at: lineEnd, end: end) : end
        if reach > next {
            bytesRescanned += UInt64(reach - next)
            overrun = (end: reach, fault: fault)
        }
        unescape(&batch)
        take(cells: firstCell..<batch.extents.count, fault: fault, next: next, lines: 1, of: &batch)
        return true
    }

    private mutating func take(
        cells: Range<Int>, fault: RecordFault?, next: Int, lines: Int, of batch: inout RecordBatch
    ) {
        batch.records.append(RecordBatch.Record(line: line, number: number, cells: cells, fault: fault))
        if blankLines.count > 0 {
            batch.blankLines += blankLines
            blankLines = Occurrences()
        }
        position = next
        line += lines
        number += 1
    }

    /// Makes one quote of two in the cells that were noted, in place: a cell only becomes shorter.
    private func unescape(_ batch: inout RecordBatch) {
        for index in escaped {
            let length = batch.bytes.collapseQuotes(
                at: Int(batch.extents[index].offset), count: Int(batch.extents[index].length))
            batch.extents[index].length = UInt32(truncatingIfNeeded: length)
        }
    }
}
