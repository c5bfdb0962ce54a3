/// Splits CSV into batches of records. It reads the input incrementally, and its memory use does not grow with the
/// input.
///
/// It accepts RFC 4180 and common deviations. A line ends with LF, CR LF or CR, and one file may mix them. A byte order
/// mark is skipped. A mark of UTF-16 or UTF-32 also makes the reader convert the input to UTF-8. The last line needs no
/// line end. Empty lines are not records, but a line of spaces is a record with one cell. A quote that is not the first
/// character of a cell is an ordinary character. The reader counts such records in ``RecordBatch/strayQuotes``.
///
/// A fault affects only its own record, which gets a ``RecordFault``:
/// - A quoted cell is faulty if text follows its closing quote. It is also faulty if the closing quote does not come
///   before the end of the input or the size limit of a record. The faulty record then consists only of its first line,
///   and reading continues with the next line. So a stray quote costs one row. The reader does not search the same
///   bytes for a closing quote again. If a later line of the searched bytes has a quoted cell that is open at the end
///   of this line, the cell gets the same fault. So every byte is examined a bounded number of times.
/// - A record that is longer than ``maximumRecordBytes`` gets the fault ``RecordFault/tooLong`` and has no cells. The
///   reader skips the bytes up to the next line end and continues there. A record with an unclosed quoted cell also
///   gets this fault if its first line is longer than the limit.
package struct CSVReader: ~Copyable, Sendable {
    /// The number of bytes read from the source so far, for showing progress.
    package var bytesRead: UInt64 { input.bytesRead }
    /// The number of bytes that were examined again after a fault. It measures the work that hostile input can cause.
    package private(set) var bytesRescanned: UInt64 = 0
    /// The current delimiter. With ``CSVOptions/Delimiter/automatic`` it is comma until the first record has been read.
    package private(set) var delimiter: CSVDelimiter
    /// The maximum size of one record in bytes. A new value applies to the records that are not read yet. Initially
    /// ``CSVOptions/maximumRecordBytes``.
    package var maximumRecordBytes: Int

    private let options: CSVOptions
    private var input: TextInput
    private var hasBegun = false
    /// The decoded bytes after the last record of the previous batch. The next batch begins with them.
    private var pending = ByteBuffer(isSecret: true)

    /// The offset of the next record in the bytes of the current batch. `line` and `number` describe the same record.
    private var position = 0
    private var line = 1
    private var number = 0
    /// Whether the rest of the line at `position` belongs to a record that was too long.
    private var isSkippingLine = false
    /// The last faulty quoted cell: its fault, and the end of the bytes that were searched for its closing quote. A
    /// later quoted cell that contains a line end before `end` gets the same fault.
    private var overrun = (end: 0, fault: RecordFault.unclosedQuote)
    /// The indices in the batch of those cells of the current record that contain escaped quotes.
    private var escaped: [Int] = []
    /// The blank lines after the previous record. They count only if another record follows.
    private var blankLines = Occurrences()

    /// Makes a reader. It reads nothing before the first batch is requested.
    package init(options: CSVOptions = CSVOptions(), source: ByteSource) {
        self.init(options: options, text: TextInput(source: source))
    }

    /// Makes a reader of an input whose beginning was already read.
    package init(options: CSVOptions = CSVOptions(), text: consuming TextInput) {
        self.options = options
        maximumRecordBytes = options.maximumRecordBytes
        input = text
        delimiter = if case .character(let character) = options.delimiter { character } else { .comma }
    }

    /// Reads only the header: the first record, which has the number 0.
    ///
    /// If this method is not called, the header is the first record of the first batch.
    ///
    /// - Returns: Whether there is a header; false if the input has no records.
    /// - Throws: The error of the source.
    package mutating func header(into batch: inout RecordBatch) throws(ByteStreamError) -> Bool {
        try read(into: &batch, maximumRecords: 1)
    }

    /// Replaces the contents of the batch by the next records: at least one, up to about ``CSVOptions/batchBytes``
    /// bytes, and at most ``CSVOptions/batchRecords``.
    ///
    /// - Parameter batch: The batch to fill. Passing the previous batch again reuses its memory.
    /// - Returns: Whether there were more records; false at the end of the input.
    /// - Throws: The error of the source. The batch is then empty, and the next call continues at the same place.
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
            // The buffer contains no whole record. The skipped bytes are removed, and more bytes are read, up to the
            // size limit of a record.
            discardConsumed(of: &batch)
            wanted = max(wanted, min(batch.bytes.count * 2, maximumRecordBytes + Self.lookahead))
        }
        keepPending(of: &batch)
        return !batch.records.isEmpty
    }

    /// The number of bytes needed before the first record is split.
    private var leastBytes: Int {
        if hasBegun { return 0 }
        if case .automatic = options.delimiter { return Self.detectionBytes }
        return Self.declarationBytes
    }

    /// The number of bytes in which the delimiter is detected. They contain nearly every header.
    private static var detectionBytes: Int { 1 << 16 }
    /// Enough bytes for a line that declares the delimiter, such as `sep=;`.
    private static var declarationBytes: Int { 16 }

    /// Detects the delimiter if the options do not set it, and skips a line that declares one.
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
    /// The number of bytes after a record of the maximum size that are needed to recognize its line end: CR and LF.
    private static var lookahead: Int { 2 }

    /// Splits the batch's bytes into records until the rest is not a whole record.
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

    /// Skips the rest of a line. The line is blank, or it belongs to a record that was too long.
    ///
    /// - Returns: Whether the buffer contains the end of the line. If not, more bytes are needed.
    private mutating func passLine(_ splitter: RecordSplitter, count: Int) -> Bool {
        position = splitter.lineEnd(from: position, to: count)
        // A CR at the end of the buffer may be the first half of a CR LF.
        let isWhole = position + 1 < count || (position < count && splitter.byte(position) == RecordSplitter.lineFeed)
        guard isWhole || input.isAtEnd else { return false }
        if position < count { position = splitter.afterLineBreak(at: position, end: count) }
        // Blank lines count only after record 1, the first record after the header.
        if !isSkippingLine, number > 1 { blankLines.add(line: line) }
        line += 1
        isSkippingLine = false
        return true
    }

    /// Splits the record at `position`.
    ///
    /// - Returns: Whether the record could be split. If not, more bytes are needed and nothing has changed.
    private mutating func splitRecord(
        _ splitter: RecordSplitter, content: ByteContent, into batch: inout RecordBatch
    ) -> Bool {
        let start = position
        let count = batch.bytes.count
        let firstCell = batch.extents.count
        // The outcome depends only on the window `start..<end`, and not on the number of bytes that were read so far.
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
            // A CR at the end of the window is not skipped here, because it may be the first half of a CR LF.
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

    /// Adds the first line of the window as a faulty record. The splitter has searched for its closing quote up to
    /// `reach`.
    ///
    /// - Returns: Whether the whole line was available. If not, more bytes are needed and nothing has changed.
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
        // The line must end inside the window. A CR as the last byte of the window is not enough, because it may be the
        // first half of a CR LF.
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

    /// Unescapes the quotes of the cells in `escaped`, in place. This is possible because a cell only becomes shorter.
    private func unescape(_ batch: inout RecordBatch) {
        for index in escaped {
            let length = batch.bytes.collapseQuotes(
                at: Int(batch.extents[index].offset), count: Int(batch.extents[index].length))
            batch.extents[index].length = UInt32(truncatingIfNeeded: length)
        }
    }
}
