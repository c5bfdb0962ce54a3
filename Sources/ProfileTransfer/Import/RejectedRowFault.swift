/// The reason that a file of rejected rows cannot be corrected row by row.
public enum RejectedRowFault: Hashable, Sendable {
    /// The file does not have the columns `_line` and `_issues`.
    case noIssues
    /// The file is compressed.
    case compressed
    /// The file uses the encoding of this name, not UTF-8.
    case encoding(String)
    /// The record on this line is unreadable.
    case unreadable(line: Int)
}
