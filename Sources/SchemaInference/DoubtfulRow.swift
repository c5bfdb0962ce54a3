internal import ProfileCore

/// A row that is refused or not by what becomes of some of its columns, which only the end of the input tells: a column
/// may be left out, and then nothing is refused for what it holds.
struct DoubtfulRow: Sendable {
    let line: Int
    /// The columns that hold a NUL, which an object of JSON can have.
    var nulColumns: Set<Int> = []
    /// The columns that hold another control character.
    var controlColumns: Set<Int> = []
    /// The columns that hold something else than a hash, where most values are hashes.
    var otherColumns: Set<Int> = []
    /// Its values in the columns that may be the key; nil where it has none.
    var keys: [Int: Fingerprint?] = [:]

    init(line: Int) { self.line = line }

    /// Tells why the row is refused; nil if it is not.
    ///
    /// - Parameters:
    ///   - isField: Whether a column becomes a field.
    ///   - hashes: The column of hashes.
    /// - Returns: The first reason in the order of ``RowRefusal``.
    func refusal(isField: (Int) -> Bool, hashes: Int?) -> RowRefusal? {
        if nulColumns.contains(where: isField) { return .nul }
        if controlColumns.contains(where: isField) { return .controlCharacter }
        return hashes.map(otherColumns.contains) ?? false ? .unsupportedHash : nil
    }
}
