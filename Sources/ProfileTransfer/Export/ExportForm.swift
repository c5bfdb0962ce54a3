/// The format and options of an export.
struct ExportForm: Sendable {
    let format: ExportFormat
    let includesHashes: Bool
    let isSpreadsheetSafe: Bool
    /// Whether the file has the headers and notations of the file from which the schema was inferred.
    var isOriginal = false
}
