/// Options for reading a CSV input.
package struct CSVOptions: Sendable {
    /// How the delimiter is chosen.
    package enum Delimiter: Sendable {
        /// A fixed delimiter.
        case character(CSVDelimiter)
        /// The delimiter is detected. The candidates are comma, semicolon, tab and bar. The reader splits the first
        /// records with each candidate. Then it counts the records that have as many cells as the header. The candidate
        /// with the highest count is chosen. If no candidate splits the header into several cells, the delimiter is
        /// comma. A file from Excel may begin with a line such as `sep=;`, which sets the delimiter. If the options set
        /// the delimiter, the reader skips this line and ignores its delimiter. Skipped lines and comment lines have no
        /// influence.
        ///
        /// If `usual` splits the header into several cells, it is chosen.
        case automatic(usual: CSVDelimiter? = nil)
    }

    /// How the delimiter is chosen. The default is comma.
    package let delimiter: Delimiter
    /// The maximum size of a record in bytes of UTF-8, without its line end. The default is 1 MiB. The greatest allowed
    /// value is 1 GiB.
    package let maximumRecordBytes: Int
    /// The approximate number of bytes in a batch. Each batch contains at least one record, and only whole records.
    package let batchBytes: Int
    /// The maximum number of records in a batch.
    package let batchRecords: Int
    /// The number of lines at the start of the input that are skipped. A skipped line may contain anything; a quote in
    /// it has no meaning. A line such as `sep=;` counts as a line.
    package let skippedLines: Int
    /// The first byte of a comment line; nil if the input has no comment lines. A comment line begins where a record
    /// would begin, and ends at the next line end.
    package let comment: UInt8?
    /// Whether the first record is a header. The header has the number 0. Without a header, the first record has the
    /// number 1.
    package let hasHeader: Bool

    /// Whether a record counts as one line, even if its cells contain line breaks. The numbers of lines are then the
    /// numbers of the rows of a sheet.
    package let isLinePerRecord: Bool

    /// The default maximum size of a record, in bytes.
    package static let usualMaximumRecordBytes = 1 << 20

    /// Makes options. A size below 1 byte or above 1 GiB is clamped to this range. The number of records is at least 1.
    package init(
        delimiter: Delimiter = .character(.comma), maximumRecordBytes: Int = Self.usualMaximumRecordBytes,
        batchBytes: Int = 1 << 20, batchRecords: Int = .max, skippedLines: Int = 0, comment: UInt8? = nil,
        hasHeader: Bool = true, isLinePerRecord: Bool = false
    ) {
        self.delimiter = delimiter
        self.maximumRecordBytes = min(max(maximumRecordBytes, 1), 1 << 30)
        self.batchBytes = min(max(batchBytes, 1), 1 << 30)
        self.batchRecords = max(batchRecords, 1)
        self.skippedLines = max(skippedLines, 0)
        self.comment = comment
        self.hasHeader = hasHeader
        self.isLinePerRecord = isLinePerRecord
    }
}

/// The delimiter between two cells.
package struct CSVDelimiter: Hashable, Sendable {
    package static let comma = CSVDelimiter(known: UInt8(ascii: ","))
    package static let semicolon = CSVDelimiter(known: UInt8(ascii: ";"))
    package static let tab = CSVDelimiter(known: UInt8(ascii: "\t"))
    package static let bar = CSVDelimiter(known: UInt8(ascii: "|"))

    /// The candidates of the automatic detection. If two candidates fit equally well, the first one is used. So the
    /// delimiters that are rare in text and numbers come first.
    package static let usual = [tab, bar, semicolon, comma]

    /// The delimiter as a byte of the decoded input.
    package let byte: UInt8

    /// Makes a delimiter from an ASCII character. Returns nil for all other bytes. Also returns nil for NUL, CR, LF and
    /// the quote, because they have another meaning in CSV.
    package init?(_ byte: UInt8) {
        switch byte {
        case 0, UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\""), 0x80...: return nil
        default: self.byte = byte
        }
    }

    private init(known byte: UInt8) { self.byte = byte }
}
