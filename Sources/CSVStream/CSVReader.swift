/// Splits CSV into batches of records. It reads the input incrementally, and its memory use does not grow with the
/// input.
///
/// It accepts RFC 4180 and the common deviations below. A line ends with LF, CR LF or CR. One file may contain all
/// three. A byte order mark is skipped. If the mark is for UTF-16 or UTF-32, the reader also converts the input to
/// UTF-8. The last line may have no line end. Empty lines are not records, but a line of spaces is a record with one
/// cell. If a quote is not the first character of a cell, it is an ordinary character. ``RecordBatch/strayQuotes``
/// counts the records with such quotes.
///
/// A fault affects only its own record, which gets a ``RecordFault``:
/// - A quoted cell is faulty if text follows its closing quote. A quoted cell without a closing quote is also faulty.
///   The reader searches for the closing quote up to the end of the input or the maximum size of a record. A faulty
///   record consists only of its first line, and reading continues with the next line. So a stray quote damages only
///   one row. The reader never searches the same bytes twice for a closing quote. The bytes that it has already
///   searched may contain later lines. If a quoted cell in such a line is still open at the line end, the cell gets the
///   same fault without a search. So every byte is examined a bounded number of times.
/// - A record that is longer than ``maximumRecordBytes`` gets the fault ``RecordFault/tooLong`` and has no cells. The
///   reader skips the bytes up to the next line end and continues there. A record with an unclosed quoted cell gets
///   this fault too, if its first line exceeds the limit.
package struct CSVReader: ~Copyable, Sendable {
    /// The number of bytes read from the source so far, for showing progress.
    package var bytesRead: UInt64 { input.bytesRead }
    /// The number of bytes that the reader examined a second time because of a fault. It shows how much extra work a
    /// hostile input causes.
    package private(set) var bytesRescanned: UInt64 = 0
    /// The current delimiter. With ``CSVOptions/Delimiter/automatic`` it is comma until the first record has been read.
    package private(set) var delimiter: CSVDelimiter
    /// The maximum size of one record in bytes. If it is changed, the new value applies to records that were not read
    /// yet. Initially ``CSVOptions/maximumRecordBytes``.
    package var maximumRecordBytes: Int

    private let options: CSVOptions
    private var input: TextInput
    private var hasBegun = false
    /// The decoded bytes that were not part of the previous batch. The next batch begins with these bytes.
    private var pending = ByteBuffer(isSecret: true)

    /// The offset of the next record in the current batch's bytes. `line` and `number` belong to the same record.
    private var position = 0
    private var line = 1
    private var number = 0
    /// Whether the bytes at `position` are the rest of a record that was too long.
    private var isSkippingLine = false
    /// The last faulty quoted cell: its fault, and the offset where the search for its closing quote ended. If a later
    /// quoted cell contains a line end before `end`, it gets the same fault.
    private var overrun = (end: 0, fault: RecordFault.unclosedQuote)
    /// The indices of the current record's cells that contain escaped quotes.
    private var escaped: [Int] = []
    /// The blank lines after the previous record. They are counted only if another record follows.
    private var blankLines = Occurrences()

    /// Makes a reader. It reads nothing before the first batch is requested.
    package init(options: CSVOptions = CSVOptions(), source: ByteSource) {
        self.init(options: options, text: TextInput(source: source))
    }

    /// Makes a reader for an input whose beginning was already read.
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

    /// Replaces the contents of the batch with the next records. It reads at least one record, up to about
    /// ``CSVOptions/batchBytes`` bytes, and at most ``CSVOptions/batchRecords`` records.
    ///
    /// - Parameter batch: The batch to fill. If the previous batch is passed again, its memory is reused.
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
            // If the buffer contains no whole record, the skipped bytes are removed. Then more bytes are read, up to
            // the size limit of a record.
            discardConsumed(of: &batch)
            wanted = max(wanted, min(batch.bytes.count * 2, maximumRecordBytes + Self.lookahead))
        }
        keepPending(of: &batch)
        return !batch.records.isEmpty
    }

    /// The minimum number of bytes to read before the first record is split.
    private var leastBytes: Int {
        if hasBegun { return 0 }
        if case .automatic = options.delimiter { return Self.detectionBytes }
        return Self.declarationBytes
    }

    /// The number of bytes from which the delimiter is detected. Nearly every header is shorter.
    private static var detectionBytes: Int { 1 << 16 }
    /// The number of bytes that is enough for a line such as `sep=;`, which declares the delimiter.
    private static var declarationBytes: Int { 16 }

    /// Detects the delimiter if the options do not set it. Skips the first line if it declares a delimiter.
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
    /// The number of bytes to read after a record of the maximum size, to recognize its line end. The line end may be
    /// CR LF, so two bytes are needed.
    private static var lookahead: Int { 2 }

    /// Splits the bytes of the batch into records. Stops if the remaining bytes are not a whole record.
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

    /// Skips the rest of a line. The line is blank, or its record was too long.
    ///
    /// - Returns: Whether the buffer contains the end of the line. If not, more bytes are needed.
    private mutating func passLine(_ splitter: RecordSplitter, count: Int) -> Bool {
        position = splitter.lineEnd(from: position, to: count)
        // The last CR in the buffer may be the first half of CR LF.
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
    /// - Returns: Whether the record could be split. If not, nothing has changed, and more bytes are needed.
    private mutating func splitRecord(
        _ splitter: RecordSplitter, content: ByteContent, into batch: inout RecordBatch
    ) -> Bool {
        let start = position
        let count = batch.bytes.count
        let firstCell = batch.extents.count
        // The outcome depends only on the bytes in `start..<end`. It does not depend on the number of bytes that were
        // read so far.
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
            // The last CR in the window is not skipped here, because it may be the first half of CR LF.
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

    /// Adds the first line of the window as a faulty record. The search for its closing quote ended at `reach`.
    ///
    /// - Returns: Whether the whole line was available. If not, nothing has changed, and more bytes are needed.
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
        // The line must end inside the window. If the last byte is CR, the end is not known, because CR may be the
        // first half of CR LF.
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

    /// Replaces each escaped quote in the cells of `escaped` with one quote. A cell only becomes shorter, so this
    /// happens in place.
    private func unescape(_ batch: inout RecordBatch) {
        for index in escaped {
            let length = batch.bytes.collapseQuotes(
                at: Int(batch.extents[index].offset), count: Int(batch.extents[index].length))
            batch.extents[index].length = UInt32(truncatingIfNeeded: length)
        }
    }
}
