/// Detects the delimiter of an input by splitting its first records with each candidate.
enum DelimiterDetection {
    private static let mostRecords = 1_000

    /// Detects the delimiter of an input from its first records.
    ///
    /// - Parameters:
    ///   - bytes: The decoded bytes of the input.
    ///   - start: The offset of the first record.
    ///   - end: The offset at which the examination ends.
    ///   - isWhole: Whether `bytes` ends at the end of the input.
    ///   - comment: The first byte of a comment line, or a line feed if there are no comment lines.
    ///   - usual: The delimiter that is chosen if it splits the header into several cells.
    /// - Returns: The delimiter.
    static func delimiter(
        of bytes: borrowing ByteBuffer, from start: Int, to end: Int, isWhole: Bool, comment: UInt8,
        usual: CSVDelimiter? = nil
    ) -> CSVDelimiter {
        var best = (delimiter: CSVDelimiter.comma, score: Score.none)
        // If two candidates are equally good, the first one is chosen.
        for candidate in [usual].compactMap(\.self) + CSVDelimiter.usual where candidate.byte != comment {
            let score = score(
                of: candidate, for: bytes, from: start, to: end, isWhole: isWhole && end == bytes.count,
                comment: comment)
            if candidate == usual, score != .none { return candidate }
            if best.score < score { best = (candidate, score) }
        }
        return best.delimiter
    }

    // MARK: Splitting

    /// The quality of a delimiter. The first criterion is the number of records that have as many cells as the header.
    /// If two delimiters are equal in this number, the delimiter that splits the header into more cells is better.
    private struct Score: Comparable {
        var records = 0
        var cells = 0

        /// The score of a delimiter that does not split the header.
        static let none = Score()

        static func < (one: Score, other: Score) -> Bool {
            (one.records, one.cells) < (other.records, other.cells)
        }
    }

    private static func score(
        of delimiter: CSVDelimiter, for bytes: borrowing ByteBuffer, from start: Int, to end: Int, isWhole: Bool,
        comment: UInt8
    ) -> Score {
        let splitter = RecordSplitter(base: UnsafeRawPointer(bytes.base), delimiter: delimiter.byte)
        var score = Score.none
        var position = start
        var cells: [CellExtent] = []
        var escaped: [Int] = []
        for _ in 0..<mostRecords {
            while position < end, splitter.isLineBreak(at: position) || splitter.byte(position) == comment {
                position = splitter.isLineBreak(at: position) ? position + 1 : splitter.lineEnd(from: position, to: end)
            }
            guard position < end else { break }
            cells.removeAll(keepingCapacity: true)
            let outcome = splitter.split(
                from: position, to: end, isLast: isWhole, closedBefore: 0, cells: &cells, escaped: &escaped)
            switch outcome {
            case .complete(_, let next, _, _):
                position = next
            case .ranOut where score == .none:
                // The header is longer than the examined bytes, so the score uses only the beginning of the header.
                position = end
            case .ranOut:
                return score
            case .textAfterQuote, .openAtLineBreak:
                cells.removeAll(keepingCapacity: true)
                position = splitter.lineEnd(from: position, to: end)
            }
            if score == .none {
                guard cells.count > 1 else { return .none }
                score.cells = cells.count
            } else if cells.count == score.cells {
                score.records += 1
            }
        }
        return score
    }

    // MARK: A declaration

    /// Returns the delimiter that the first line declares, and the length of this line. Such a line is not a record.
    static func declaration(in bytes: borrowing ByteBuffer) -> (delimiter: CSVDelimiter, length: Int)? {
        let splitter = RecordSplitter(base: UnsafeRawPointer(bytes.base), delimiter: CSVDelimiter.comma.byte)
        let name = Array("sep=".utf8)
        let length = name.count + 1
        guard bytes.count > length, splitter.isLineBreak(at: length),
            name.indices.allSatisfy({ splitter.byte($0) == name[$0] }),
            let delimiter = CSVDelimiter(splitter.byte(name.count))
        else { return nil }
        return (delimiter, splitter.afterLineBreak(at: length, end: bytes.count))
    }
}

extension RecordSplitter {
    fileprivate func isLineBreak(at offset: Int) -> Bool {
        byte(offset) == Self.lineFeed || byte(offset) == Self.carriageReturn
    }
}
