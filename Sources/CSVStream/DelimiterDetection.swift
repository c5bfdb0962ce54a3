/// Detects the delimiter of an input by splitting its first records with each candidate.
struct DelimiterDetection {
    /// The delimiter.
    let delimiter: CSVDelimiter
    /// The length of the first line if it is a line such as `sep=;`, otherwise 0. Such a line declares the delimiter
    /// and is not a record.
    let declarationLength: Int

    private static let mostRecords = 1_000

    /// Examines the beginning of an input. The input must be decoded and must not begin with a byte order mark.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the input.
    ///   - end: The number of bytes to examine.
    ///   - isWhole: Whether `bytes` is the whole input.
    ///   - usual: The delimiter that is chosen if it splits the header into several cells.
    init(of bytes: borrowing ByteBuffer, to end: Int, isWhole: Bool, usual: CSVDelimiter? = nil) {
        if let declared = Self.declaration(in: bytes) {
            self = declared
            return
        }
        var best = (delimiter: CSVDelimiter.comma, score: Score.none)
        let isWhole = isWhole && end == bytes.count
        let usualScore = usual.map { Self.score(of: $0, for: bytes, to: end, isWhole: isWhole) } ?? .none
        let isUsual = usualScore != .none
        if let usual, isUsual { best.delimiter = usual }
        for candidate in CSVDelimiter.usual where !isUsual {
            let score = Self.score(of: candidate, for: bytes, to: end, isWhole: isWhole)
            if best.score < score { best = (candidate, score) }
        }
        self.init(delimiter: best.delimiter, declarationLength: 0)
    }

    private init(delimiter: CSVDelimiter, declarationLength: Int) {
        self.delimiter = delimiter
        self.declarationLength = declarationLength
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
        of delimiter: CSVDelimiter, for bytes: borrowing ByteBuffer, to end: Int, isWhole: Bool
    ) -> Score {
        let splitter = RecordSplitter(base: UnsafeRawPointer(bytes.base), delimiter: delimiter.byte)
        var score = Score.none
        var position = 0
        var cells: [CellExtent] = []
        var escaped: [Int] = []
        for _ in 0..<mostRecords {
            while position < end, splitter.isLineBreak(at: position) { position += 1 }
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

    static func declaration(in bytes: borrowing ByteBuffer) -> DelimiterDetection? {
        let splitter = RecordSplitter(base: UnsafeRawPointer(bytes.base), delimiter: CSVDelimiter.comma.byte)
        let name = Array("sep=".utf8)
        let length = name.count + 1
        guard bytes.count > length, splitter.isLineBreak(at: length),
            name.indices.allSatisfy({ splitter.byte($0) == name[$0] }),
            let delimiter = CSVDelimiter(splitter.byte(name.count))
        else { return nil }
        return DelimiterDetection(
            delimiter: delimiter, declarationLength: splitter.afterLineBreak(at: length, end: bytes.count))
    }
}

extension RecordSplitter {
    fileprivate func isLineBreak(at offset: Int) -> Bool {
        byte(offset) == Self.lineFeed || byte(offset) == Self.carriageReturn
    }
}
