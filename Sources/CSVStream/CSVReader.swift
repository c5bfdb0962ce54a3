/// Splits CSV into batches of records. It reads the input incrementally, and its memory use does not grow with the
/// input.
///
/// It accepts RFC 4180 and the common deviations below. A line ends with LF, CR LF or CR. One file may contain all
/// three line ends. A byte order mark is skipped. If the mark is for UTF-16 or UTF-32, the reader also converts the
/// input to UTF-8. The last line may have no line end. Empty lines are not records, but a line of spaces is a record
/// with one cell. If a quote is not the first character of a cell, it is an ordinary character.
/// ``RecordBatch/strayQuotes`` counts the records with such quotes. The options may name lines that are skipped: the
/// first lines, and comment lines.
///
/// A fault affects only its own record, which gets a ``RecordFault``:
/// - A quoted cell is faulty if text follows its closing quote. A quoted cell without a closing quote is also faulty.
///   The search for the closing quote ends at the end of the input or at the maximum size of a record. A faulty record
///   consists only of its first line, and reading continues with the next line. So a stray quote damages only one row.
///   The reader never searches the same bytes twice for a closing quote. A search may cover several lines. If a later
///   quoted cell begins in one of these lines and is not closed in that line, it gets the fault of the first cell
///   without another search. So every byte is examined a bounded number of times.
/// - A record that is longer than ``maximumRecordBytes`` gets the fault ``RecordFault/tooLong`` and has no cells. The
///   reader skips the rest of the line and continues with the next line. If a quoted cell has no closing quote, and the
///   first line of its record exceeds the limit, the record also gets this fault.
package struct CSVReader: ~Copyable, Sendable {
    /// The number of bytes that were read from the source so far. It is used to show the progress.
    package var bytesRead: UInt64 { input.bytesRead }
    /// The number of bytes that the reader examined a second time because of a fault. It shows how much extra work a
    /// hostile input causes.
    package private(set) var bytesRescanned: UInt64 = 0
    /// The current delimiter. With ``CSVOptions/Delimiter/automatic``, it is comma until the delimiter has been
    /// detected.
    package private(set) var delimiter: CSVDelimiter
    /// The maximum size of one record in bytes. A new value applies only to the records that are read later. Initially
    /// ``CSVOptions/maximumRecordBytes``.
    package var maximumRecordBytes: Int
    /// The maximum number of records in the next batches. Initially ``CSVOptions/batchRecords``.
    package var batchRecords: Int
    /// See ``CSVOptions/isLinePerRecord``.
    package var isLinePerRecord: Bool { options.isLinePerRecord }

    private let options: CSVOptions
    private var input: TextInput
    private var hasBegun = false
    /// Whether the first line may declare the delimiter, because it was not examined yet.
    private var mayDeclare = true
    /// The delimiter that the first line declares, if the options do not set it.
    private var declared: CSVDelimiter?
    /// The decoded bytes that were not part of the previous batch. The next batch begins with these bytes.
    private var pending = ByteBuffer(isSecret: true)

    /// The offset of the next record in the current batch's bytes. `line` and `number` belong to the same record.
    private var position = 0
    private var line = 1
    private var number: Int
    /// Whether the bytes at `position` are the rest of a line that is not read: a comment, or a record that was too
    /// long.
    private var isSkippingLine = false
    /// The first byte of a comment line. If the input has no comment lines, this is a line feed. No record begins with
    /// a line feed, so the byte needs no further check.
    private let comment: UInt8
    /// The fault of the last faulty quoted cell. `end` is the offset at which the search for its closing quote ended.
    /// If a later quoted cell contains a line end before `end`, the later cell gets the same fault.
    private var overrun = (end: 0, fault: RecordFault.unclosedQuote)
    /// The indices of the cells with escaped quotes in the current record.
    private var escaped: [Int] = []
    /// The blank lines after the previous record. They are counted only if another record follows.
    private var blankLines = Occurrences()

    /// Makes a reader. It reads nothing before the first batch is requested.
    package init(options: CSVOptions = CSVOptions(), source: ByteSource) {
        self.init(options: options, text: TextInput(source: source))
    }

    /// Makes a reader for an input. The beginning of the input was already read.
    package init(options: CSVOptions = CSVOptions(), text: consuming TextInput) {
        self.options = options
        maximumRecordBytes = options.maximumRecordBytes
        batchRecords = options.batchRecords
        number = options.hasHeader ? 0 : 1
        comment = options.comment ?? RecordSplitter.lineFeed
        input = text
        delimiter = if case .character(let character) = options.delimiter { character } else { .comma }
    }

    /// Reads only the header: the first record, which has the number 0.
    ///
    /// If this method is not called, the header is the first record of the first batch.
    ///
    /// - Returns: True if the input has a header; false if the input has no records.
    /// - Throws: The error of the source.
    package mutating func header(into batch: inout RecordBatch) throws(ByteStreamError) -> Bool {
        try read(into: &batch, maximumRecords: 1)
    }

    /// Replaces the contents of the batch with the next records. It reads at least one record, and at most
    /// ``batchRecords`` records. It stops after about ``CSVOptions/batchBytes`` bytes.
    ///
    /// - Parameter batch: The batch to fill. If the previous batch is passed again, its memory is reused.
    /// - Returns: True if the batch contains records; false at the end of the input.
    /// - Throws: The error of the source. After an error, the batch is empty, and the next call continues at the same
    ///   place.
    package mutating func next(into batch: inout RecordBatch) throws(ByteStreamError) -> Bool {
        try read(into: &batch, maximumRecords: max(1, batchRecords))
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
            if hasBegun || begin(batch) {
                split(&batch, maximumRecords: maximumRecords)
                if !batch.records.isEmpty || input.isAtEnd { break }
            }
            // The buffer contains no whole record. So the reader removes the skipped bytes and then reads more bytes,
            // up to the size limit of a record.
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

    /// The number of bytes that are examined to detect the delimiter. Nearly every header is shorter than this.
    private static var detectionBytes: Int { 1 << 16 }
    /// The number of bytes that are read to detect a line such as `sep=;`. Such a line declares the delimiter.
    private static var declarationBytes: Int { 16 }

    /// Skips the lines above the table, and detects the delimiter if the options do not set it.
    ///
    /// - Returns: Whether the records begin at `position`. If not, more bytes are needed.
    private mutating func begin(_ batch: borrowing RecordBatch) -> Bool {
        if mayDeclare, let declaration = DelimiterDetection.declaration(in: batch.bytes) {
            if case .automatic = options.delimiter { declared = declaration.delimiter }
            position = declaration.length
            line += 1
        }
        mayDeclare = false
        let splitter = RecordSplitter(base: UnsafeRawPointer(batch.bytes.base), delimiter: delimiter.byte)
        while line <= options.skippedLines, position < batch.bytes.count {
            guard passLine(splitter, count: batch.bytes.count) else { break }
        }
        if line <= options.skippedLines, !input.isAtEnd { return false }
        // Skipped lines do not count for the detection. It needs `leastBytes` bytes after them.
        if position > 0, batch.bytes.count - position < leastBytes, !input.isAtEnd { return false }
        hasBegun = true
        if let declared {
            delimiter = declared
        } else if case .automatic(let usual) = options.delimiter {
            delimiter = DelimiterDetection.delimiter(
                of: batch.bytes, from: position, to: min(batch.bytes.count, position + Self.detectionBytes),
                isWhole: input.isAtEnd, comment: comment, usual: usual)
        }
        return true
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
    /// The length of the longest line end, which is CR LF. To recognize the end of a record of the maximum size, these
    /// two bytes are also read.
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
            } else if byte == comment {
                isSkippingLine = true
            } else {
                guard splitRecord(splitter, content: content, into: &batch) else { return }
            }
        }
    }

    /// Skips the rest of a line. The line is blank, above the table or a comment, or its record was too long.
    ///
    /// - Returns: Whether the buffer contains the end of the line. If not, more bytes are needed.
    private mutating func passLine(_ splitter: RecordSplitter, count: Int) -> Bool {
        position = splitter.lineEnd(from: position, to: count)
        // The last CR in the buffer may be the first half of CR LF.
        let isWhole = position + 1 < count || (position < count && splitter.byte(position) == RecordSplitter.lineFeed)
        guard isWhole || input.isAtEnd else { return false }
        if position < count { position = splitter.afterLineBreak(at: position, end: count) }
        // Blank lines are counted only after record 1, which is the first record after the header.
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
                take(
                    cells: firstCell..<firstCell, fault: .tooLong, next: recordEnd, lines: lines(lineBreaks), of: &batch
                )
                isSkippingLine = true
                return true
            }
            let fault = content.isPlain ? nil : content.fault(of: batch.bytes.span(at: start, count: recordEnd - start))
            if content.hasQuote, fault == nil, splitter.quotes(from: start, to: recordEnd) != quotes {
                batch.strayQuotes.add(line: line)
            }
            if !escaped.isEmpty { unescape(&batch) }
            take(
                cells: firstCell..<batch.extents.count, fault: fault, next: next, lines: lines(lineBreaks) + 1,
                of: &batch)
            return true

        case .ranOut(let insideQuotes, let lineBreaks):
            batch.extents.removeSubrange(firstCell...)
            guard isLast || isWholeWindow else { return false }
            if insideQuotes {
                return takeFirstLine(splitter, fault: .unclosedQuote, reach: end, end: end, into: &batch)
            }
            // The last CR in the window is not skipped here, because it may be the first half of CR LF.
            let rest = splitter.byte(end - 1) == RecordSplitter.carriageReturn ? end - 1 : end
            take(cells: firstCell..<firstCell, fault: .tooLong, next: rest, lines: lines(lineBreaks), of: &batch)
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

    /// Returns the number of lines that line breaks in cells add to the line of their record.
    private func lines(_ lineBreaks: Int) -> Int { options.isLinePerRecord ? 0 : lineBreaks }

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

    /// Replaces each escaped quote with one quote, in all cells that `escaped` lists. The bytes are changed in place,
    /// because a cell can only become shorter.
    private func unescape(_ batch: inout RecordBatch) {
        for index in escaped {
            let length = batch.bytes.collapseQuotes(
                at: Int(batch.extents[index].offset), count: Int(batch.extents[index].length))
            batch.extents[index].length = UInt32(truncatingIfNeeded: length)
        }
    }
}
