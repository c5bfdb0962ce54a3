internal import ProfileCore

/// A row whose refusal depends on whether some of its columns become fields. The decision is possible only at the end
/// of the input. If a column is left out, no row is refused because of the column's values.
struct DoubtfulRow: Sendable {
    let line: Int
    /// The columns in which the row has a NUL. A text in JSON can contain one.
    var nulColumns: Set<Int> = []
    /// The columns in which the row has another control character.
    var controlColumns: Set<Int> = []
    /// The columns in which the row has a value other than a hash, although most values of the column are hashes.
    var otherColumns: Set<Int> = []
    /// The fingerprints of the row's values in the columns that may be the key; nil if the row has no value in a
    /// column.
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
        // The column of hashes is not checked here. A hash with a control character in it is refused as unsupported
        // below. A control character before or after a hash may be white space.
        if controlColumns.contains(where: { $0 != hashes && isField($0) }) { return .controlCharacter }
        return hashes.map(otherColumns.contains) ?? false ? .unsupportedHash : nil
    }
}
