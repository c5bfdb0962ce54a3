internal import CSVStream

/// The reason that a spreadsheet cannot be read. An import throws it as the error of an
/// ``/ProfileTransfer/ImportError/readingStream(_:)``.
public enum SpreadsheetError: Error, Hashable, Sendable {
    /// The workbook is encrypted with a password.
    case encrypted
    /// The file is a workbook of a format that the reader does not support.
    case unsupported(Format)
    /// The archive that holds the parts of the workbook is damaged or incomplete, so nothing in it can be found. The
    /// file may be an archive of another kind.
    case damagedArchive
    /// A part of the archive, such as `xl/workbook.xml`, cannot be read.
    case unreadablePart(String, PartFault)
    /// The workbook has no sheet with cells, or all its sheets are hidden and the caller named none.
    case noSheet
    /// The workbook has no sheet of this name. The array contains the names of its sheets.
    case unknownSheet(String, sheets: [String])
    /// The workbook has no sheet of the usual name, and the caller named no other sheet. The array contains the names of
    /// its sheets.
    case unknownUsualSheet(String, sheets: [String])
    /// A sheet was named, but the input is not a workbook.
    case notSpreadsheet

    /// A format of workbooks that the reader does not support.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// An Excel workbook in the binary format, `.xlsb`.
        case binaryWorkbook = "xlsb"
        /// A spreadsheet of Apple Numbers.
        case numbers
    }

    /// The reason that a part of a workbook cannot be read.
    public enum PartFault: Hashable, Sendable {
        /// The archive does not contain the part.
        case missing
        /// The compressed data is damaged or incomplete.
        case damaged
        /// The part is compressed with a method other than Deflate.
        case unknownCompression
        /// The part is not well-formed XML, declares a document type, or has tags that are too long or nested too
        /// deeply. `line` is the line of the part at which the reader stopped.
        case malformed(line: Int)
        /// The part is well-formed XML, but its content is not valid. For example, a cell is outside the sheet.
        case unexpected
        /// The part or its rows are far larger than the compressed data, as in an archive that is made to exhaust the
        /// memory or the time of its reader.
        case tooLarge
    }
}

extension ByteStreamError {
    /// Makes the error of a source that reads a spreadsheet.
    init(_ error: SpreadsheetError) { self.init(operation: .read, cause: error) }

    static func part(_ name: String, _ fault: SpreadsheetError.PartFault) -> ByteStreamError {
        ByteStreamError(.unreadablePart(name, fault))
    }
}
