package import ProfileStore

/// The file format of an export.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// A header, then one record per profile (RFC 4180). An absent value is an empty cell.
    case csv
    /// CSV with tabs in place of commas.
    case tsv
    /// One array of objects. An absent value is null.
    case json
    /// One object per line. An absent value is null.
    case ndjson
    /// A Markdown table, as GitHub shows it. An absent value is an empty cell. Such a file cannot be imported.
    case markdown
}

/// The reason that an export into a file ended early. The written file is incomplete.
package enum ExportError: Error, Hashable, Sendable {
    /// Reading the store failed, or the task was cancelled.
    case store(ProfileStoreError)
    /// Writing failed with this `errno`.
    case writing(code: Int32)
    /// The temporary file of a sorted export could not be written or read. The value is the `errno`.
    case sorting(code: Int32)
}
