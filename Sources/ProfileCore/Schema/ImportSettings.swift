/// The settings with which files are imported into a store with this schema, unless an option says otherwise.
///
/// An import that creates a store keeps the settings with which it read its file. So the next file of the same kind
/// needs no options. In a schema file, the settings are members of the object `profiles`; see <doc:Schema>.
public struct ImportSettings: Hashable, Sendable {
    /// The delimiter between two cells; nil to detect it.
    public var delimiter: UInt8?
    /// The name of the character encoding, as in iconv(3); nil to detect it.
    public var encoding: String?
    /// The parts of a file that belong to the table.
    public var layout = TableLayout()
    /// The source of each profile's key.
    public var key = KeySource.column
    /// The names of the fields from which a key is computed if ``key`` is ``KeySource/content``. An empty list stands
    /// for all fields except the primary key and the password.
    ///
    /// The import that creates a store puts the fields of its file into this list. So if the schema gets more fields,
    /// the key of a row stays the same.
    public var contentFields: [String] = []
    /// The headers of the columns that are ignored.
    public var ignoredColumns: [String] = []

    /// Creates the default settings: everything is detected, and no column is ignored.
    public init() {}
}

/// The parts of a file that belong to the table, and how its rows are read.
public struct TableLayout: Hashable, Sendable {
    /// Whether the first row contains the names of the columns. Otherwise the columns are named `column_1`,
    /// `column_2`, ….
    public var hasHeader = true
    /// The number of lines at the start of the file that are skipped.
    public var skippedLines = 0
    /// The line that contains the names of the columns, from 1; nil for the first line that is not skipped. The lines
    /// above it are skipped.
    public var headerLine: Int?
    /// The ASCII character with which a comment line begins; nil if the file has no comment lines.
    public var comment: UInt8?
    /// Whether a row with fewer cells than the header is read as if empty cells followed.
    public var padsShortRows = false
    /// The name of the sheet of a spreadsheet; nil for the first sheet.
    public var sheet: String?

    /// The greatest number that each of ``skippedLines`` and ``headerLine`` may be. A larger number is probably a
    /// mistake.
    package static let mostLines = 1_000_000_000

    /// Creates the layout of a usual table: a header in the first line, and only rows below it.
    public init() {}

    /// Whether the layout says where the table begins.
    package var givesBeginning: Bool { !hasHeader || skippedLines > 0 || headerLine != nil }

    /// Returns this layout, completed with the settings of the layout `usual` that this layout does not set.
    package func completed(by usual: TableLayout) -> TableLayout {
        var layout = givesBeginning ? self : usual
        layout.comment = comment ?? usual.comment
        layout.padsShortRows = padsShortRows || usual.padsShortRows
        layout.sheet = sheet ?? usual.sheet
        return layout
    }
}

/// The source of a profile's key in an import.
public enum KeySource: Hashable, Sendable {
    /// The column that matches the primary key.
    case column
    /// The cells of several columns, which form one text. The array contains their headers.
    case columns([String])
    /// The number of the row, from 1.
    case rowNumber
    /// A hash of the row's cells. The second row with equal cells gets `-2` after the hash, the third row `-3`, and so
    /// on.
    case content
}
