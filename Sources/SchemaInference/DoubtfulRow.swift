internal import ProfileCore

/// A row whose refusal depends on whether some of its columns become fields. That is known only at the end of the
/// input: if a column is left out, no row is refused because of its values.
struct DoubtfulRow: Sendable {
    let line: Int
    /// The columns that hold a NUL, which can occur in a JSON object.
    var nulColumns: Set<Int> = []
    /// The columns that hold another control character.
    var controlColumns: Set<Int> = []
    /// The columns that hold a value other than a hash although most of their values are hashes.
    var otherColumns: Set<Int> = []
    /// The row's values in the columns that may be the key; nil if the row has none.
    var keys: [Int: Fingerprint?] = [:]

    init(line: Int) { self.line = line }

    /// Returns the reason why the row is refused; nil if it is not.
    ///
    /// - Parameters:
    ///   - isField: Returns whether a column becomes a field.
    ///   - hashes: The column of hashes; nil if there is none.
    /// - Returns: The first reason in the order of ``RowRefusal``.
    func refusal(isField: (Int) -> Bool, hashes: Int?) -> RowRefusal? {
        if nulColumns.contains(where: isField) { return .nul }
        // A control character in a hash makes the hash unsupported. A control character around a hash may be white
        // space.
        if controlColumns.contains(where: { $0 != hashes && isField($0) }) { return .controlCharacter }
        return hashes.map(otherColumns.contains) ?? false ? .unsupportedHash : nil
    }
}
