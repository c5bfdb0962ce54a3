internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Finds stored profiles by the primary keys of many rows.
extension ProfileTable {
    /// For each row in a range, finds the stored profile that has the row's primary key.
    ///
    /// If a file is imported again, its rows usually have the same order as in the first import. This is the order of
    /// the ids. So one statement reads the table in the order of the ids, as long as each profile has the key of the
    /// next row. This is four times as fast as one look-up for each row. If the next profile has another key, the index
    /// of the primary key is used to find the profile of the row.
    ///
    /// - Parameters:
    ///   - rows: The rows of a batch.
    ///   - range: The rows to look for.
    ///   - withValues: Whether the matches contain the values.
    ///   - connection: A connection in a transaction.
    /// - Returns: The profiles that were found, each with its row.
    /// - Throws: Errors of SQLite.
    func matches(
        of rows: ValidProfiles, _ range: Range<Int>, withValues: Bool, _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredMatches {
        var matches = StoredMatches(of: range, columns: withValues ? openFields.count + 1 : 0)
        var next = try connection.prepare(withValues ? selectFollowing : selectFollowingKeys)
        var find = try connection.prepare(selectIDByKey)
        var isOnProfile = false
        var lastID: Int64?
        try rows.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            for row in range {
                let slot = rows.slot(row: row, field: schema.primaryKeyIndex)
                let key = UnsafeBufferPointer(rebasing: bytes[slot.range])
                var isInOrder = true
                if !(isOnProfile && Self.isKey(key, of: next)) {
                    try find.bindUncopied(text: key, at: 1)
                    let id = try find.step() ? find.integer(at: 0) : nil
                    find.reset()
                    guard let id else { continue }
                    isInOrder = lastID.map { Self.usualGaps.contains(id - $0) } ?? true
                    isOnProfile = false
                    lastID = id
                    if withValues || isInOrder {
                        next.reset()
                        try next.bind(id, at: 1)
                        isOnProfile = try next.step()
                    }
                }
                if isOnProfile { lastID = next.integer(at: 0) }
                if withValues { append(next, to: &matches, ofRow: row) } else { matches.append(row: row) }
                isOnProfile = isInOrder ? try next.step() : false
            }
        }
        return matches
    }

    /// If the rows of a file are in the order of the ids, the ids of two successive rows usually differ by a number in
    /// this range. The difference is more than 1 if profiles between the two rows were removed or are not in the file.
    private static let usualGaps: ClosedRange<Int64> = 1...16

    /// Appends the profile in the current row of a statement.
    @inline(__always)
    private func append(_ statement: borrowing Statement, to matches: inout StoredMatches, ofRow row: Int) {
        matches.append(
            StoredMatches.Match(
                id: statement.integer(at: 0), revision: statement.integer(at: 2),
                schemaVersion: Int(statement.integer(at: 3)), isValid: statement.isNull(at: 4)), ofRow: row)
        for column in 5..<5 + openFields.count + 1 {
            if let cell = statement.bytes(at: column) {
                matches.append(cell: cell)
            } else {
                matches.appendAbsentCell()
            }
        }
    }

    /// Returns whether the profile in the current row of a statement has this primary key. SQLite's `NOCASE` folds only
    /// ASCII letters.
    private static func isKey(_ key: UnsafeBufferPointer<UInt8>, of statement: borrowing Statement) -> Bool {
        guard let stored = statement.bytes(at: 1), stored.count == key.count else { return false }
        for index in key.indices where stored[index] != key[index] {
            if stored[index].asciiFolded != key[index].asciiFolded { return false }
        }
        return true
    }
}
