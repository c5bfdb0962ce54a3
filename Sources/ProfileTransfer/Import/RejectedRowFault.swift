/// Why a file is not one of rejected rows that can be mended row by row.
public enum RejectedRowFault: Hashable, Sendable {
    /// It has no columns `_line` and `_issues`.
    case noIssues
    /// It is compressed.
    case compressed
    /// Its characters are written in the encoding of this name.
    case encoding(String)
    /// The record in this line cannot be read.
    case unreadable(line: Int)
}
