internal import ProfileCore
internal import ProfileStore

/// The format and options of an export.
struct ExportForm: Sendable {
    let format: ExportFormat
    /// The profiles to export and their order. Nil exports all profiles in the order of their ids.
    var query: ProfileQuery?
    /// The ids of the profiles to export; nil for all profiles that the query finds.
    var ids: Set<Int64>?
    /// The columns: fields, and facts about the profile such as `_id`. Nil exports all fields that are not secret.
    var columns: [FieldName]?
    let includesHashes: Bool
    let isSpreadsheetSafe: Bool
    /// Whether the file has the headers and notations of the file from which the schema was inferred.
    var isOriginal = false
    /// The folder for the file that a large sorted export needs.
    var temporaryFolder = "/var/tmp"
}
