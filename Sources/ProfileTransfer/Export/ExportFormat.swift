package import ProfileStore

/// A form in which profiles are exported.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// A header and a record a profile (RFC 4180); absent is empty.
    case csv
    /// One array of objects; absent is null.
    case json
    /// One object a line; absent is null.
    case ndjson
}

/// Why an export into a file ended before its end; what it had written by then is not whole.
package enum ExportError: Error, Hashable, Sendable {
    /// The store could not be read to the end, or the task was cancelled.
    case store(ProfileStoreError)
    /// The system refused to write, with this `errno`.
    case writing(code: Int32)
}
