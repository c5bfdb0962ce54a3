internal import SQLiteAccess

/// The table `store`: one row with the numbers that a store counts.
enum StoreTable {
    /// Sets ids aside for new profiles, within a transaction.
    ///
    /// - Returns: The first of them.
    static func reserveIDs(_ count: Int, _ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare(
            "UPDATE store SET next_profile_id = next_profile_id + ?1 RETURNING next_profile_id")
        try statement.bind(Int64(count), at: 1)
        guard try statement.step() else { return 1 }
        return statement.integer(at: 0) - Int64(count)
    }

    /// Says that this transaction changes profiles or the schema, for those who watch the store.
    static func countChange(_ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("UPDATE store SET change_number = change_number + 1")
        try statement.run()
    }

    static func changeNumber(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare("SELECT change_number FROM store")
        return try statement.step() ? statement.integer(at: 0) : 0
    }
}
