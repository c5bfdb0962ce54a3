/// How a CSV input is to be read.
package struct CSVOptions: Sendable {
    /// Where the delimiter comes from.
    package enum Delimiter: Sendable {
        /// This one.
        case character(CSVDelimiter)
        /// The one of comma, semicolon, tab and bar that splits the most of the first records as it splits the header; comma
        /// where none splits the header. A first line `sep=;`, as Excel knows it, says which, and is no record, whatever was told.
        case automatic
    }

    /// Where the delimiter comes from; comma by default.
    package let delimiter: Delimiter
    /// The longest record in bytes of UTF-8, its line end not counted; 1 MiB by default, 1 GiB at the most.
    package let maximumRecordBytes: Int
    /// How many bytes a batch is to hold, more or less: at least one record, and whole records only.
    package let batchBytes: Int
    /// The most records in a batch, however short they are.
    package let batchRecords: Int

    /// In bytes, of what is no longer than a record usually may be.
    package static let usualMaximumRecordBytes = 1 << 20

    /// Makes options; sizes outside 1 byte … 1 GiB are taken as the nearer of the two.
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

/// The byte between two cells.
package struct CSVDelimiter: Hashable, Sendable {
    package static let comma = CSVDelimiter(known: UInt8(ascii: ","))
    package static let semicolon = CSVDelimiter(known: UInt8(ascii: ";"))
    package static let tab = CSVDelimiter(known: UInt8(ascii: "\t"))
    package static let bar = CSVDelimiter(known: UInt8(ascii: "|"))

    /// Those that an input is looked through for. The first is meant where two would do: texts and numbers have it the most
    /// seldom.
    package static let usual = [tab, bar, semicolon, comma]

    /// The delimiter as a byte of the decoded input.
    package let byte: UInt8

    /// Takes any ASCII character but those that mean something else: NUL, CR, LF and the quote.
    package init?(_ byte: UInt8) {
        switch byte {
        case 0, UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\""), 0x80...: return nil
        default: self.byte = byte
        }
    }

    private init(known byte: UInt8) { self.byte = byte }
}
