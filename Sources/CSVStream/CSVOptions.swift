/// Options for reading a CSV input.
package struct CSVOptions: Sendable {
    /// The way in which the delimiter is chosen.
    package enum Delimiter: Sendable {
        /// A fixed delimiter.
        case character(CSVDelimiter)
        /// The delimiter is detected. The candidates are comma, semicolon, tab and bar. The reader splits the first
        /// records with each candidate. It chooses the candidate for which the largest number of records have as many
        /// cells as the header. If no candidate splits the header, the delimiter is comma. A first line such as
        /// `sep=;`, as Excel writes it, sets the delimiter. Such a line is also skipped if the delimiter is fixed.
        case automatic
    }

    /// The way in which the delimiter is chosen; comma by default.
    package let delimiter: Delimiter
    /// The maximum size of a record in bytes of UTF-8, without its line end; 1 MiB by default, at most 1 GiB.
    package let maximumRecordBytes: Int
    /// The approximate number of bytes in a batch. A batch has at least one record, and only whole records.
    package let batchBytes: Int
    /// The maximum number of records in a batch.
    package let batchRecords: Int

    /// The default maximum size of a record, in bytes.
    package static let usualMaximumRecordBytes = 1 << 20

    /// Makes options. Sizes outside 1 byte … 1 GiB are clamped to this range. The number of records is at least 1.
    package init(
        delimiter: Delimiter = .character(.comma), maximumRecordBytes: Int = Self.usualMaximumRecordBytes,
        batchBytes: Int = 1 << 20, batchRecords: Int = .max
    ) {
        self.delimiter = delimiter
        self.maximumRecordBytes = min(max(maximumRecordBytes, 1), 1 << 30)
        self.batchBytes = min(max(batchBytes, 1), 1 << 30)
        self.batchRecords = max(batchRecords, 1)
    }
}

/// The delimiter between two cells.
package struct CSVDelimiter: Hashable, Sendable {
    package static let comma = CSVDelimiter(known: UInt8(ascii: ","))
    package static let semicolon = CSVDelimiter(known: UInt8(ascii: ";"))
    package static let tab = CSVDelimiter(known: UInt8(ascii: "\t"))
    package static let bar = CSVDelimiter(known: UInt8(ascii: "|"))

    /// The candidates of the automatic detection. The delimiters that are rarest in texts and numbers come first. If
    /// two candidates fit equally well, the first one is used.
    package static let usual = [tab, bar, semicolon, comma]

    /// The delimiter as a byte of the decoded input.
    package let byte: UInt8

    /// Makes a delimiter of an ASCII character; nil for other bytes, and for NUL, CR, LF and the quote, which have
    /// another meaning in CSV.
    package init?(_ byte: UInt8) {
        switch byte {
        case 0, UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\""), 0x80...: return nil
        default: self.byte = byte
        }
    }

    private init(known byte: UInt8) { self.byte = byte }
}
